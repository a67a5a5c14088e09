"""`carerails decide`: a JSONL file in, one decision a line out, in input order."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from carerails.cli.judge import judge_of
from carerails.cli.lines import Numbered, answered, keep_apart, numbered, opened
from carerails.engine import FailSafeEngine, open_engine
from carerails.errors import UsageError
from carerails.parallel import chunks, in_processes
from carerails.records import read_turn, write_decision, write_error

CHUNK = 64
#: Bytes of a file from which on every regex is compiled before its first line: it takes half a second, most of it is
#: needed sooner or later, and latencies are those of a service.
_LONG = 16_000
Record = dict[str, Any]


def run(
    engine: str, source: str, target: str, rails: Path | None, semantic: str, workers: int, allow_failures: bool
) -> int:
    """Decide all lines; the exit code says whether every line was read and every check ran."""
    judge = judge_of(semantic)
    keep_apart(source, target)
    warm = Path(source).is_file() and Path(source).stat().st_size >= _LONG
    with ExitStack() as stack:
        lines = numbered(opened(stack, source, "r"))
        decider = stack.enter_context(deciding(engine, rails, judge, warm=warm)) if workers == 1 else None
        records = map(decider, lines) if decider else _in_processes(lines, (engine, rails, judge, warm), workers)
        out = opened(stack, target, "w")
        failures = "checks failed; each took the safe outcome"
        return answered(records, out, "deciding", failures, allow_failures=allow_failures)


@contextmanager
def deciding(engine: str, rails: Path | None, judge: str | None = None, *, warm: bool = False) -> Generator[Decider]:
    """An engine of this process and its event loop, open for as long as lines come.

    Args:
        warm: whether all regexes of the policy are compiled at once.
    """
    loop = asyncio.new_event_loop()
    try:
        guarded = loop.run_until_complete(open_engine(engine, rails, judge=judge).__aenter__())
        if warm:
            guarded.policy.warm()
        gc.freeze()  # what is loaded stays: a tenth of a long text's time would go into looking through it for garbage
        yield Decider(guarded, loop)
        loop.run_until_complete(guarded.__aexit__(None, None, None))
    finally:
        gc.unfreeze()
        loop.close()


class Decider:
    """Decides one numbered line at a time."""

    def __init__(self, engine: FailSafeEngine, loop: asyncio.AbstractEventLoop) -> None:
        self._engine = engine
        self._loop = None if "synchronous" in engine.capabilities else loop

    def __call__(self, numbered: Numbered) -> Record:
        """The decision on one line, or what is wrong with the line."""
        number, line = numbered
        try:
            ident, turn = read_turn(line, number)
        except UsageError as error:
            return write_error(number, error)
        begin = time.perf_counter_ns()
        check = self._engine.check
        decision = self._loop.run_until_complete(check(turn)) if self._loop else self._engine.check_now(turn)
        return write_decision(ident, decision, (time.perf_counter_ns() - begin) / 1000)


def _in_processes(
    lines: Iterable[Numbered], how: tuple[str, Path | None, str | None, bool], workers: int
) -> Iterator[Record]:
    """Decide in several processes, a chunk at a time, in input order; `how`: engine, rails, judge, warm."""
    engine, rails, judge, _ = how
    open_engine(engine, rails, judge=judge)  # a wrong name or broken rails are said once, here
    if judge:
        asyncio.run(_learn(rails, judge))  # once, and not in every process
    for records in in_processes(_work, chunks(lines, CHUNK), workers, _start_worker, how):
        yield from records


async def _learn(rails: Path | None, judge: str) -> None:
    """Start the judge, so that what it learns is kept."""
    async with open_engine("native", rails, judge=judge):
        pass


_worker: Decider | None = None
_worker_life = ExitStack()  # keeps the worker's engine open until the process ends


def _start_worker(engine: str, rails: Path | None, judge: str | None, warm: bool) -> None:
    global _worker  # noqa: PLW0603  one engine a process, opened once
    _worker = _worker_life.enter_context(deciding(engine, rails, judge, warm=warm))


def _work(chunk: list[Numbered]) -> list[Record]:
    assert _worker is not None
    return [_worker(numbered) for numbered in chunk]
