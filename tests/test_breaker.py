"""The circuit breaker: its table of transitions, what it promises for any history, and many threads at once."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from carerails.breaker import Breaker, BreakerLimits, BreakerOpen, BreakerState, Phase, Ticket

LIMITS = BreakerLimits(failures=3, open_s=10, probe_s=4)
CLOSED = BreakerState(era=4, failures=2)
OPEN = BreakerState(era=5, failures=3, opened_at=100.0)
PROBING = BreakerState(era=6, failures=3, opened_at=100.0, probed_at=110.0)
OLD = Ticket(1)


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("state", "now", "phase", "admitted", "retry_in"),
    [
        (BreakerState(), 0.0, "closed", True, 0.0),
        (CLOSED, 0.0, "closed", True, 0.0),
        (OPEN, 100.0, "open", False, 10.0),
        (OPEN, 109.5, "open", False, 0.5),
        (OPEN, 110.0, "half-open", True, 0.0),
        (OPEN, 99.0, "half-open", True, 0.0),  # the clock was set back
        (PROBING, 113.9, "half-open", False, 0.0),
        (PROBING, 114.0, "half-open", True, 0.0),  # the probe never came back
    ],
)
def test_phase_and_admission(state: BreakerState, now: float, phase: str, admitted: bool, retry_in: float) -> None:
    assert state.phase(now, LIMITS) == phase
    assert state.retry_in(now, LIMITS) == retry_in
    after, ticket = state.admit(now, LIMITS)
    assert (ticket is not None) is admitted
    if phase != "half-open" or not admitted:
        assert after == state
    else:
        assert (ticket, after.era, after.probed_at) == (state.era + 1, state.era + 1, now)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (BreakerState(), BreakerState()),
        (CLOSED, BreakerState(era=4)),
        (PROBING, BreakerState(era=7)),
        (OPEN, OPEN),
    ],
)
def test_success(before: BreakerState, after: BreakerState) -> None:
    assert before.succeeded(Ticket(before.era)) == after
    assert before.succeeded(OLD) == before


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (BreakerState(), BreakerState(failures=1)),
        (CLOSED, BreakerState(era=5, failures=3, opened_at=200.0)),
        (PROBING, BreakerState(era=7, failures=4, opened_at=200.0)),
        (OPEN, OPEN),
    ],
)
def test_failure(before: BreakerState, after: BreakerState) -> None:
    assert before.failed(Ticket(before.era), 200.0, LIMITS) == after
    assert before.failed(OLD, 200.0, LIMITS) == before


def test_an_abandoned_probe_leaves_its_place_to_the_next() -> None:
    freed = PROBING.abandoned(Ticket(PROBING.era))
    assert freed.admit(110.0, LIMITS).ticket is not None
    assert PROBING.abandoned(OLD) == PROBING
    assert CLOSED.abandoned(Ticket(CLOSED.era)) == CLOSED


def test_a_lost_probe_that_comes_back_after_all_counts_no_more() -> None:
    second, ticket = PROBING.admit(114.0, LIMITS)
    assert ticket is not None
    assert second.succeeded(Ticket(PROBING.era)) == second
    assert second.succeeded(ticket).phase(114.0, LIMITS) == "closed"


@pytest.mark.parametrize(
    "values", [{"failures": -1}, {"era": -1}, {"probed_at": 1.0}, {"opened_at": float("nan")}, {"shut": 1}]
)
def test_a_stored_state_that_cannot_be_is_not_read(values: dict[str, float]) -> None:
    with pytest.raises(ValidationError):
        BreakerState.model_validate(values)


def test_a_state_survives_a_store() -> None:
    assert BreakerState.model_validate_json(PROBING.model_dump_json()) == PROBING


@pytest.mark.parametrize("values", [{"failures": 0}, {"open_s": 0}, {"open_s": float("nan")}, {"probe_s": -1}])
def test_limits_out_of_range_are_refused(values: dict[str, float]) -> None:
    with pytest.raises(ValidationError):
        BreakerLimits.model_validate(values)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("wait"), st.floats(0, 25)),
        st.tuples(st.just("ask"), st.just(0.0)),
        st.tuples(st.sampled_from(["ok", "bad", "gone"]), st.floats(0, 1, exclude_max=True)),
    ),
    max_size=60,
)


def _told(state: BreakerState, how: str, ticket: Ticket, now: float, limits: BreakerLimits) -> BreakerState:
    if how == "ok":
        return state.succeeded(ticket)
    return state.failed(ticket, now, limits) if how == "bad" else state.abandoned(ticket)


@settings(max_examples=300, deadline=None)
@given(STEPS, st.integers(1, 4))
def test_any_history(steps: list[tuple[str, float]], failures: int) -> None:
    """Calls overlap and come back in any order, late or never; the model keeps only what the promises speak of."""
    limits = BreakerLimits(failures=failures, open_s=10, probe_s=4)
    clock = 0.0
    state: BreakerState = BreakerState()
    out: list[tuple[Ticket, str]] = []  # calls under way: the ticket, and the phase it was given in
    opened: float | None = None
    run = 0
    for what, value in steps:
        before: Phase = state.phase(clock, limits)
        if what == "wait":
            clock += value
            continue
        if what == "ask":
            state, ticket = state.admit(clock, limits)
            if ticket is not None:
                out.append((ticket, before))
            if before == "closed":
                assert ticket is not None
            if opened is not None and clock - opened < limits.open_s:
                assert ticket is None, "a call went out while the breaker was open"
            probes = [t for t, phase in out if phase == "half-open" and t == state.era]
            assert len(probes) <= 1, "two probes of one era"
            continue
        if not out:
            continue
        ticket, given_in = out.pop(int(value * len(out)))
        current = ticket == state.era
        after = _told(state, what, ticket, clock, limits)
        if not current:
            assert after == state, "an outcome of another era counted"
            continue
        if given_in == "closed":
            run = {"ok": 0, "bad": run + 1, "gone": run}[what]
            assert (after.opened_at is not None) == (run >= failures)
            opened = clock if after.opened_at is not None else None
            assert after.failures == run
        elif what == "ok":
            assert after.phase(clock, limits) == "closed"
            opened, run = None, 0
        elif what == "bad":
            assert after.phase(clock, limits) == "open"
            opened = clock
        assert after.era >= state.era
        state = after


def test_in_memory_it_goes_round() -> None:
    clock = Clock()
    breaker = Breaker(BreakerLimits(failures=2, open_s=10), clock)
    for _ in range(2):
        with pytest.raises(OSError, match="down"), breaker.attempt():
            raise OSError("down")
    with pytest.raises(BreakerOpen) as refused, breaker.attempt():
        pytest.fail("called while open")
    assert (breaker.phase, refused.value.retry_in_s) == ("open", 10.0)
    clock.now = 10.0
    with breaker.attempt(), pytest.raises(BreakerOpen), breaker.attempt():
        pytest.fail("a second probe went out")
    assert breaker.phase == "closed"


async def _cancelled_probe(breaker: Breaker) -> None:
    async def hang() -> None:
        with breaker.attempt():
            await asyncio.Event().wait()

    task = asyncio.ensure_future(hang())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_a_cancelled_probe_is_neither_success_nor_failure() -> None:
    clock = Clock()
    breaker = Breaker(BreakerLimits(failures=1, open_s=10), clock)
    with pytest.raises(OSError, match="down"), breaker.attempt():
        raise OSError("down")
    clock.now = 10.0
    asyncio.run(_cancelled_probe(breaker))
    assert breaker.phase == "half-open"
    with breaker.attempt():
        pass
    assert breaker.phase == "closed"


def test_of_many_threads_one_probes_and_no_outcome_is_lost() -> None:
    clock = Clock()
    breaker = Breaker(BreakerLimits(failures=400, open_s=10), clock)

    def fail(_: int) -> None:
        ticket = breaker.admit()
        assert ticket is not None
        breaker.failed(ticket)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(fail, range(399)))
        assert (breaker.phase, breaker.state.failures) == ("closed", 399)
        list(pool.map(fail, range(1)))
        assert breaker.phase == "open"
        clock.now = 10.0
        tickets = [one.result() for one in [pool.submit(breaker.admit) for _ in range(200)]]
    assert sum(ticket is not None for ticket in tickets) == 1
