"""An endpoint that keeps failing is left alone: no call goes out, then one probes."""

from __future__ import annotations

import asyncio

import pytest

from carerails.breaker import BreakerLimits, BreakerOpen
from carerails.contracts import Turn
from carerails.llm import EndpointError
from carerails.testing import Scripted, StubLLM, answers, says, status, stub_llm
from tests.judge.kit import CALM, Clock, ask, model

__all__ = ["stub_llm"]

LIMITS = BreakerLimits(failures=3, open_s=60)


@pytest.mark.parametrize("reply", [status(500), says("safe"), answers({})], ids=["error", "prose", "empty"])
def test_it_opens_probes_and_closes(stub_llm: StubLLM, reply: Scripted) -> None:
    clock = Clock()
    one = model(stub_llm, breaker=LIMITS, clock=clock)
    stub_llm.script(reply)
    for _ in range(3):
        with pytest.raises(EndpointError):
            ask(one)
    assert stub_llm.count == 3
    with pytest.raises(BreakerOpen):
        ask(one)
    assert stub_llm.count == 3
    clock.now = 60.0
    with pytest.raises(EndpointError):
        ask(one)
    with pytest.raises(BreakerOpen):
        ask(one)
    assert stub_llm.count == 4
    clock.now = 120.0
    stub_llm.script(answers(CALM))
    for _ in range(2):
        ask(one)
    assert (stub_llm.count, one.breaker.phase) == (2, "closed")


def test_a_turn_that_is_never_sent_says_nothing_of_the_endpoint(stub_llm: StubLLM) -> None:
    one = model(stub_llm, breaker=LIMITS, max_chars=500)
    for _ in range(5):
        with pytest.raises(EndpointError):
            ask(one, "a" * 501)
    assert one.breaker.phase == "closed"


def test_of_many_at_once_only_one_probes(stub_llm: StubLLM) -> None:
    clock = Clock()
    one = model(stub_llm, breaker=LIMITS, clock=clock)
    stub_llm.script(status(500))
    for _ in range(3):
        with pytest.raises(EndpointError):
            ask(one)
    clock.now = 60.0
    stub_llm.script(answers(CALM))

    async def burst() -> list[object]:
        asked = (one.verdict(Turn.of("where"), "en") for _ in range(20))
        found = await asyncio.gather(*asked, return_exceptions=True)
        await one.close()
        return list(found)

    found = asyncio.run(burst())
    assert stub_llm.count == 1
    assert sum(isinstance(each, BreakerOpen) for each in found) == 19
