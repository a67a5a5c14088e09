"""Where the work of a run is done: in this process, in several, or on a dask cluster. The rows are the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from carerails.evals.work import CHUNK, Done, Item, Job, Worker, do, start
from carerails.parallel import chunks, in_processes

#: Cases handed to this process at once: one, so that an interrupt finds every decision made so far written.
ONE = 1


def run(job: Job, items: Iterable[Item], workers: int = 1, scheduler: str | None = None) -> Iterator[Done]:
    """The rows of all items, in order, a few at a time.

    Args:
        workers: processes on this machine; with a scheduler `local`, of a dask cluster made for this run.
        scheduler: `tcp://host:port` of a dask cluster, `local` for one on this machine; None: no cluster.

    Raises:
        UsageError: the engine or the rails cannot be loaded, or the cluster cannot be reached.
        CarerailsError: a worker process died.
    """
    if scheduler:
        from carerails.evals.cluster import on_cluster

        return on_cluster(job, items, workers, scheduler)
    if workers > 1:
        return in_processes(do, ((job, chunk) for chunk in chunks(items, CHUNK)), workers, start, (job,))
    return _here(job, items)


def _here(job: Job, items: Iterable[Item]) -> Iterator[Done]:
    worker = Worker(job)
    try:
        for chunk in chunks(items, ONE):
            yield worker.do(chunk)
    finally:
        worker.close()
