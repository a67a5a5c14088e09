"""Runs engines over slices: every case answered, one engine after the other so that their latencies stay true."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from carerails.contracts import Turn, TurnDecision
from carerails.engine import FailSafeEngine, open_engine
from carerails.evals.cases import Case, Slice
from carerails.evals.scoring import Result
from carerails.gate import GatedEngine
from carerails.records import write_decision


def run_engine(engine: str, slices: Sequence[Slice], rails: Path | None, gated: bool) -> Iterator[Result]:
    """Every case of every slice on one engine, in order.

    The bare engine is run, without the native floor behind its failures; `gated` puts the floor in front.

    Raises:
        UsageError: the engine or the rails cannot be loaded.
    """
    loop = asyncio.new_event_loop()
    stack = AsyncExitStack()
    try:
        checker = loop.run_until_complete(_open(stack, engine, rails, gated))
        check = _caller(checker, loop)
        for piece in slices:
            for case in piece.cases:
                turn = case.turn()
                begin = time.perf_counter_ns()
                decision = check(turn)
                latency_us = (time.perf_counter_ns() - begin) / 1000
                yield as_result(engine, piece.name, case, decision, latency_us)
    finally:
        loop.run_until_complete(stack.aclose())
        loop.close()


def _caller(checker: FailSafeEngine | GatedEngine, loop: asyncio.AbstractEventLoop) -> Callable[[Turn], TurnDecision]:
    """How to call it: without the loop where that can be, or the loop's own cost would be measured with it."""
    if isinstance(checker, FailSafeEngine) and "synchronous" in checker.capabilities:
        return checker.check_now
    return lambda turn: loop.run_until_complete(checker.check(turn))


async def _open(stack: AsyncExitStack, engine: str, rails: Path | None, gated: bool) -> FailSafeEngine | GatedEngine:
    bare = await stack.enter_async_context(open_engine(engine, rails, floor=False))
    if not gated:
        return bare
    return GatedEngine(bare, await stack.enter_async_context(open_engine("native", rails, floor=False)))


def as_result(engine: str, name: str, case: Case, decision: TurnDecision, latency_us: float) -> Result:
    """One scored row."""
    return Result(
        engine=engine,
        slice=name,
        case=case,
        outcome=decision.outcome,
        slug=decision.slug,
        failed=decision.failed,
        latency_us=latency_us,
        record=write_decision(case.id, decision, latency_us),
    )
