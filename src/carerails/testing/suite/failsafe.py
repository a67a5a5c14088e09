"""Fail-safe: what goes wrong in the engine's place, or with its time, is no pass; and a turn can be called off."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from carerails.config import Profile
from carerails.contracts import Findings, RuleHit, Turn
from carerails.testing.suite.subject import PATIENCE_S, Fails, NotApplicable, Subject

#: Seconds until a turn is called off: long enough that it has begun, whatever it does first.
SOON_S = 0.0005


async def _raises(text: str) -> Any:
    raise RuntimeError(text)


async def _hangs(text: str) -> Any:
    await asyncio.sleep(3600)


async def _says_nothing(text: str) -> Any:
    return None


async def _says_nonsense(text: str) -> Any:
    return ["a hit"]


async def _names_no_rule(text: str) -> Any:
    return Findings(hits=(RuleHit(rule="no such rule", terms=("x",)),))


FAULTS: dict[str, tuple[Callable[[str], Awaitable[Any]], str]] = {
    "an exception": (_raises, "exception"),
    "no answer in time": (_hangs, "timeout"),
    "None": (_says_nothing, "missing"),
    "nonsense": (_says_nonsense, "malformed"),
    "a rule that does not exist": (_names_no_rule, "malformed"),
}


class _Faulty:
    """The engine under examination with a fault in place of its answer."""

    def __init__(self, subject: Subject, fault: Callable[[str], Awaitable[Any]]) -> None:
        self._engine = subject.engine
        self.name, self.version = self._engine.name, self._engine.version
        self.capabilities = self._engine.capabilities - {"synchronous"}
        self.start, self.close, self.render = self._engine.start, self._engine.close, self._engine.render
        self.evaluate: Any = fault


def never_passes_a_fault(subject: Subject) -> None:
    """An exception, a hang, `None`, nonsense or an unknown rule in place of its answer escalates, and says so."""
    short = subject.settings.model_copy(update={"profile": Profile(deadline_s=0.05)})
    for name, (fault, kind) in FAULTS.items():
        decision = subject.run(subject.wrapped(_Faulty(subject, fault), short).check(Turn.of("hello there")))
        if not decision.failed or decision.decision != "escalate":
            raise Fails(f"{name} is answered {decision.decision}, failed {decision.failed}")
        if decision.failure is None or decision.failure.kind != kind:
            raise Fails(f"{name} is recorded as {decision.failure}")


def keeps_the_deadline(subject: Subject) -> None:
    """A turn whose time is up is a failed check; the next turn is decided as ever."""
    if "synchronous" in subject.capabilities:
        raise NotApplicable("it never awaits, so it has no deadline")
    probe = subject.some("escalate")[0]
    before = subject.ask(probe)
    tiny = subject.settings.model_copy(update={"profile": Profile(deadline_s=1e-6)})
    decision = subject.run(subject.wrapped(settings=tiny).check(probe.turn))
    usual = subject.run(subject.wrapped().check(probe.turn))  # it may be done before it is asked to stop
    if decision.outcome != usual.outcome if decision.failure is None else decision.failure.kind != "timeout":
        raise Fails(f"a turn without time is answered {decision.decision}, {decision.failure}")
    if subject.ask(probe) != before:
        raise Fails("the turn after it is decided otherwise")


def can_be_called_off(subject: Subject) -> None:
    """A turn that its caller gives up ends at once, leaves no task behind, and harms no other turn."""
    if "synchronous" in subject.capabilities:
        raise NotApplicable("it never awaits, so it cannot be called off")
    probes = subject.some("escalate")
    before = [subject.ask(probe) for probe in probes]

    async def call_off() -> tuple[list[object], int]:
        others = set(asyncio.all_tasks())
        turns = [asyncio.ensure_future(subject.engine.evaluate(subject.text(probe))) for probe in probes]
        await asyncio.sleep(SOON_S)
        for turn in turns[1:]:
            turn.cancel()
        ended = await asyncio.wait_for(asyncio.gather(*turns, return_exceptions=True), PATIENCE_S)
        await asyncio.sleep(0)
        return list(ended), len(asyncio.all_tasks() - others - {asyncio.current_task()})  # pyright: ignore[reportArgumentType]

    ended, left = subject.run(call_off())
    if ended[0] != before[0]:
        raise Fails("a turn beside those that are called off is decided otherwise")
    for answer, expected in zip(ended[1:], before[1:], strict=True):
        if not isinstance(answer, asyncio.CancelledError) and answer != expected:
            raise Fails(f"a turn that is called off answers a {type(answer).__name__}")
    if left:
        raise Fails(f"{left} tasks are left behind")
    if [subject.ask(probe) for probe in probes] != before:
        raise Fails("the turns after it are decided otherwise")
