"""Turns beside and after one another: each is decided as if there were no other."""

from __future__ import annotations

import asyncio
import random
from concurrent.futures import ThreadPoolExecutor

from carerails.contracts import Findings
from carerails.testing.suite.subject import Fails, NotApplicable, Subject

TIMES = 5
AT_ONCE = 24
THREADS = 4


def decides_many_at_once(subject: Subject) -> None:
    """Turns of one event loop at the same time are decided as one after another."""
    probes = [probe for _ in range(AT_ONCE) for probe in subject.probes][:AT_ONCE]
    alone = [subject.ask(probe) for probe in probes]

    async def together() -> list[Findings]:
        return await asyncio.gather(*(subject.engine.evaluate(subject.text(probe)) for probe in probes))

    _same(subject.run(together()), alone, "side by side")


def works_in_any_loop_and_thread(subject: Subject) -> None:
    """Once started, it is asked from other event loops and from threads that have their own."""
    probes = subject.probes
    alone = [subject.ask(probe) for probe in probes]

    def elsewhere(number: int) -> Findings:
        return asyncio.run(subject.engine.evaluate(subject.text(probes[number])))

    with ThreadPoolExecutor(THREADS) as pool:
        _same(list(pool.map(elsewhere, range(len(probes)))), alone, "in threads")
    _same([subject.ask(probe) for probe in probes], alone, "back in its first loop")


def decides_alike_every_time(subject: Subject) -> None:
    """The same text gets the same findings, time after time."""
    if "sampled" in subject.capabilities:
        raise NotApplicable("it says that its answers are sampled")
    for probe in subject.probes:
        first = subject.ask(probe)
        if any(subject.ask(probe) != first for _ in range(TIMES - 1)):
            raise Fails(f"one text ({probe.due}, {probe.locale}) is decided in several ways")


def remembers_nothing(subject: Subject) -> None:
    """The order of turns changes nothing: a red flag before a question, a failed turn, any turn before any other."""
    if "sampled" in subject.capabilities:
        raise NotApplicable("it says that its answers are sampled")
    alone = {probe: subject.ask(probe) for probe in subject.probes}
    order = list(subject.probes)
    for seed in range(2):
        random.Random(seed).shuffle(order)
        _same([subject.ask(probe) for probe in order], [alone[probe] for probe in order], "in another order")


def _same(said: list[Findings], expected: list[Findings], where: str) -> None:
    wrong = sum(one != other for one, other in zip(said, expected, strict=True))
    if wrong:
        raise Fails(f"{wrong} of {len(expected)} turns are decided otherwise {where}")
