"""The work of a run on a dask cluster (extra `dask`). Rows are the same as anywhere else, and in the same order.

A worker that dies costs only time: its pieces are done again elsewhere, and doing a piece again gives the same rows.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from carerails.errors import CarerailsError, UsageError
from carerails.evals.work import CHUNK, Done, Item, Job, do
from carerails.parallel import chunks

if TYPE_CHECKING:
    from distributed import Client

#: Pieces under way for each worker thread: one being done, one waiting, so that none stands idle.
AHEAD = 2
#: A piece that has taken this many workers down is at fault itself.
RETRIES = 3
CONNECT_S = 10


def on_cluster(job: Job, items: Iterable[Item], workers: int, scheduler: str) -> Iterator[Done]:
    """The rows of all items, in order.

    Args:
        workers: processes of a `local` cluster.
        scheduler: `tcp://host:port`, or `local`.

    Raises:
        UsageError: dask is not installed, or nobody answers at that address.
        CarerailsError: pieces that take down every worker that tries them.
    """
    with ExitStack() as stack:
        client = _connect(stack, workers, scheduler)
        under_way: deque[Any] = deque()
        run = uuid4().hex  # a key that two runs share would give one the other's rows
        for number, chunk in enumerate(chunks(items, CHUNK)):
            key = f"carerails-{run}-{number}"
            under_way.append(client.submit(do, (job, chunk), key=key, retries=RETRIES))  # pyright: ignore[reportUnknownMemberType]
            if len(under_way) > AHEAD * max(1, _threads(client)):
                yield _result(under_way.popleft())
        while under_way:
            yield _result(under_way.popleft())


def _connect(stack: ExitStack, workers: int, scheduler: str) -> Client:
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise UsageError("dask is not installed", "pip install 'carerails[dask]'") from None
    try:
        if scheduler == "local":
            here: Any = LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None)  # pyright: ignore[reportArgumentType]
            return stack.enter_context(Client(stack.enter_context(here)))
        return stack.enter_context(Client(scheduler, timeout=CONNECT_S))
    except (OSError, ValueError) as error:
        raise UsageError(f"no dask scheduler there: {type(error).__name__}", "check the address", scheduler) from None


def _threads(client: Any) -> int:
    return sum(client.nthreads().values())


def _result(future: Any) -> Done:
    from distributed.scheduler import KilledWorker

    try:
        return future.result()
    except KilledWorker:
        raise CarerailsError("a piece of the run has taken down every worker that tried it") from None
