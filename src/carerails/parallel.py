"""How many at once: work in several processes, results in the order of the input; linear algebra in one thread."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from importlib import import_module
from itertools import islice
from typing import Any, TypeVar

from carerails.errors import CarerailsError

Item = TypeVar("Item")
Answer = TypeVar("Answer")


def one_thread() -> AbstractContextManager[Any]:
    """Linear algebra in one thread, where that can be asked for (`threadpoolctl`): the same to the last bit on every
    machine of a kind, and nobody is woken."""
    with suppress(ImportError):
        return import_module("threadpoolctl").threadpool_limits(limits=1)
    return nullcontext()


def chunks(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Lists of `size` items each, the last one perhaps shorter."""
    source = iter(items)
    return iter(lambda: list(islice(source, size)), [])


def in_processes(
    work: Callable[[Item], Answer],
    items: Iterable[Item],
    workers: int,
    start: Callable[..., None],
    arguments: tuple[Any, ...],
) -> Iterator[Answer]:
    """`map` in `workers` processes, each of which first calls `start(*arguments)`.

    Everything is picklable, `work` and `start` by name. At most two items a worker are under way, so memory is bounded
    whatever the number of items. When the consumer stops early, what has not begun is dropped.

    Raises:
        CarerailsError: a worker process died.
    """
    from concurrent.futures import Future, ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    with ProcessPoolExecutor(workers, get_context("spawn"), _start, (start, arguments)) as pool:
        under_way: deque[Future[Answer]] = deque()
        try:
            for item in items:
                under_way.append(pool.submit(work, item))
                if len(under_way) > 2 * workers:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
        except BrokenProcessPool:
            raise CarerailsError("a worker process died; what was written so far is complete lines") from None
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _start(start: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop
    start(*arguments)
