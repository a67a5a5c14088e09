"""A circuit breaker: after some failures in a row a thing is left alone for a while, then tried once.

    closed --(`failures` in a row)--> open --(`open_s` later)--> half-open --(the probe succeeds)--> closed
                                       ^                             |
                                       +-------(the probe fails)-----+

The state is a frozen value and every transition returns a new one, so that memory, SQLite or a server may hold it; the
time is always given, in seconds on any one clock. `Breaker` holds it in memory, for many threads.

A call is admitted with a ticket, and only the outcome of a ticket of the present era counts: what was begun before the
breaker opened, and comes back late, neither closes nor opens it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Annotated, Literal, NamedTuple, NewType

from pydantic import Field, model_validator

from carerails.contracts import Frozen
from carerails.errors import CarerailsError

Phase = Literal["closed", "open", "half-open"]
#: Names the era in which a call was admitted.
Ticket = NewType("Ticket", int)


class BreakerLimits(Frozen):
    """When a breaker opens, and for how long.

    Attributes:
        failures: in a row, until it opens.
        open_s: seconds that it stays open before one call may probe.
        probe_s: seconds after which a probe without an outcome (its process died) is given up, and another may go.
    """

    failures: Annotated[int, Field(ge=1, le=1_000)] = 5
    open_s: Annotated[float, Field(gt=0, le=86_400)] = 300.0
    probe_s: Annotated[float, Field(gt=0, le=3_600)] = 60.0


class BreakerOpen(CarerailsError):
    """The call was not made.

    Attributes:
        retry_in_s: seconds until a call may be admitted; 0 while a probe is under way.
    """

    def __init__(self, retry_in_s: float) -> None:
        super().__init__(f"the circuit breaker is open; next try in {retry_in_s:.0f} s")
        self.retry_in_s = retry_in_s


class Admission(NamedTuple):
    """The answer to "may I call?": the state to keep, and a ticket, or None for no."""

    state: BreakerState
    ticket: Ticket | None


class BreakerState(Frozen):
    """Where a breaker stands. The default is a closed one that has seen nothing.

    Attributes:
        era: grows with every change of phase and with every probe.
        failures: in a row, since it closed.
        opened_at: when it opened; None: it is closed.
        probed_at: when the probe that is under way began; None: none is.
    """

    era: Annotated[int, Field(ge=0)] = 0
    failures: Annotated[int, Field(ge=0)] = 0
    opened_at: Annotated[float, Field(allow_inf_nan=False)] | None = None
    probed_at: Annotated[float, Field(allow_inf_nan=False)] | None = None

    @model_validator(mode="after")
    def _consistent(self) -> BreakerState:
        if self.probed_at is not None and self.opened_at is None:
            raise ValueError("a closed breaker has no probe")
        return self

    def phase(self, now: float, limits: BreakerLimits) -> Phase:
        """Closed, open (no call may go), or half-open (one may go, or is under way)."""
        if self.opened_at is None:
            return "closed"
        return "open" if _within(self.opened_at, now, limits.open_s) else "half-open"

    def retry_in(self, now: float, limits: BreakerLimits) -> float:
        """Seconds until a call may be admitted; 0: now, or as soon as the probe that is under way has its outcome."""
        if self.opened_at is None or self.phase(now, limits) != "open":
            return 0.0
        return self.opened_at + limits.open_s - now

    def admit(self, now: float, limits: BreakerLimits) -> Admission:
        """Ask to make one call. Half-open, the first to ask gets the probe and all others are turned away."""
        phase = self.phase(now, limits)
        if phase == "closed":
            return Admission(self, Ticket(self.era))
        if phase == "open" or (self.probed_at is not None and _within(self.probed_at, now, limits.probe_s)):
            return Admission(self, None)
        probing = self._next(failures=self.failures, opened_at=self.opened_at, probed_at=now)
        return Admission(probing, Ticket(probing.era))

    def succeeded(self, ticket: Ticket) -> BreakerState:
        """The call with this ticket went well."""
        if ticket != self.era or self._is_rested:
            return self
        return self._next() if self.opened_at is not None else BreakerState(era=self.era)

    def failed(self, ticket: Ticket, now: float, limits: BreakerLimits) -> BreakerState:
        """The call with this ticket failed."""
        if ticket != self.era or (self.opened_at is not None and self.probed_at is None):
            return self
        failures = self.failures + 1
        if self.opened_at is None and failures < limits.failures:
            return BreakerState(era=self.era, failures=failures)
        return self._next(failures=failures, opened_at=now)

    def abandoned(self, ticket: Ticket) -> BreakerState:
        """The call with this ticket was given up by its caller, which says nothing: a probe's place is free again."""
        if ticket != self.era or self.probed_at is None:
            return self
        return self._next(failures=self.failures, opened_at=self.opened_at)

    @property
    def _is_rested(self) -> bool:
        """Nothing that a success could change."""
        return self.failures == 0 or (self.opened_at is not None and self.probed_at is None)

    def _next(
        self, *, failures: int = 0, opened_at: float | None = None, probed_at: float | None = None
    ) -> BreakerState:
        return BreakerState(era=self.era + 1, failures=failures, opened_at=opened_at, probed_at=probed_at)


def _within(since: float, now: float, seconds: float) -> bool:
    """Less than `seconds` have passed; false also when the clock was set back, lest a breaker stay open for hours."""
    return 0 <= now - since < seconds


class Breaker:
    """A breaker in memory, for any number of threads and tasks of one process.

    Args:
        limits: when it opens.
        clock: seconds; any clock that does not run backwards.
    """

    def __init__(self, limits: BreakerLimits | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.limits = limits or BreakerLimits()
        self._clock, self._lock, self._state = clock, threading.Lock(), BreakerState()

    @property
    def state(self) -> BreakerState:
        """As it stands."""
        return self._state

    @property
    def phase(self) -> Phase:
        """As of now."""
        return self._state.phase(self._clock(), self.limits)

    def admit(self) -> Ticket | None:
        """A ticket for one call, or None: do not call. Whoever gets one says how it went, in one of the three below."""
        with self._lock:
            self._state, ticket = self._state.admit(self._clock(), self.limits)
            return ticket

    def succeeded(self, ticket: Ticket) -> None:
        """The call went well."""
        with self._lock:
            self._state = self._state.succeeded(ticket)

    def failed(self, ticket: Ticket) -> None:
        """The call failed."""
        with self._lock:
            self._state = self._state.failed(ticket, self._clock(), self.limits)

    def abandoned(self, ticket: Ticket) -> None:
        """The call was given up by its caller."""
        with self._lock:
            self._state = self._state.abandoned(ticket)

    @contextmanager
    def attempt(self) -> Generator[None]:
        """Make the call inside; any exception is a failure, and cancellation is neither that nor a success.

        Raises:
            BreakerOpen: no call may be made now.
        """
        ticket = self.admit()
        if ticket is None:
            raise BreakerOpen(self._state.retry_in(self._clock(), self.limits))
        try:
            yield
        except Exception:
            self.failed(ticket)
            raise
        except BaseException:
            self.abandoned(ticket)
            raise
        self.succeeded(ticket)


__all__ = ["Admission", "Breaker", "BreakerLimits", "BreakerOpen", "BreakerState", "Phase", "Ticket"]
