"""The circuit breaker of the whole agent, one for each route and tenant, kept in the agent's database.

`carerails.breaker` says how it moves; here is where it stands between turns, threads and processes: one row, changed by
compare and swap, so that of all that ask at once exactly one gets the probe, and one tells of an opening.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from carerails.breaker import BreakerState, Ticket
from carerails.contracts import Frozen
from carerails.graph.locks import Locks
from carerails.graph.store import Store
from carerails.output.settings import CircuitSettings

Clock = Callable[[], float]
#: From one state to the next; of an admission, the ticket too.
Step = Callable[[BreakerState], tuple[BreakerState, Ticket | None]]

_READ = "SELECT state, version FROM carerails_circuit WHERE route = ? AND tenant = ?"
_FIRST = (
    "INSERT INTO carerails_circuit (route, tenant, state, version) VALUES (?, ?, ?, 1) ON CONFLICT DO NOTHING"
    " RETURNING version"
)
_NEXT = (
    "UPDATE carerails_circuit SET state = ?, version = version + 1 WHERE route = ? AND tenant = ? AND version = ?"
    " RETURNING version"
)


class Opening(Frozen):
    """A circuit has opened: what whoever is alerted is told. Nothing of any talk is in it.

    Attributes:
        key: unique and stable: the same key is the same opening.
        failures: in a row.
        opened_at: seconds since 1970.
        open_s: seconds until one call may probe.
    """

    key: str
    route: str
    tenant: str
    failures: int
    opened_at: float
    open_s: float


class Circuit:
    """The breakers of one route.

    Args:
        store: their database, open by the time of the first question.
        route: name of the agent as it is deployed.
        settings: when they open.
        clock: seconds since 1970: processes share it.
        opened: called once for each opening, by the process whose failure it was.
        closed: called when a probe has succeeded.
    """

    def __init__(
        self,
        store: Store,
        route: str,
        settings: CircuitSettings,
        *,
        clock: Clock = time.time,
        opened: Callable[[Opening], None] = lambda opening: None,
        closed: Callable[[str], None] = lambda tenant: None,
    ) -> None:
        self._store, self._route, self._settings, self._clock = store, route, settings, clock
        self._opened, self._closed = opened, closed
        self._locks = Locks()

    async def admit(self, tenant: str) -> Ticket | None:
        """A ticket for one call, or None: do not call. Whoever gets one tells how it went."""
        return await self._move(tenant, lambda state: state.admit(self._clock(), self._settings))

    async def succeeded(self, tenant: str, ticket: Ticket) -> None:
        """The call went well."""
        await self._move(tenant, lambda state: (state.succeeded(ticket), None))

    async def failed(self, tenant: str, ticket: Ticket) -> None:
        """The call failed."""
        await self._move(tenant, lambda state: (state.failed(ticket, self._clock(), self._settings), None))

    async def abandoned(self, tenant: str, ticket: Ticket) -> None:
        """The call was given up, which says nothing."""
        await self._move(tenant, lambda state: (state.abandoned(ticket), None))

    async def state(self, tenant: str) -> BreakerState:
        """As it stands."""
        return (await self._read(tenant))[0]

    async def _move(self, tenant: str, step: Step) -> Ticket | None:
        before, _ = await self._read(tenant)
        after, ticket = step(before)
        if after == before:  # as nearly always: nothing to write, nothing to wait for
            return ticket
        async with self._locks.hold(tenant):  # of this process one at a time; others may still come between
            while True:
                before, version = await self._read(tenant)
                after, ticket = step(before)
                if after == before or await self._swap(tenant, after, version):
                    break
        self._tell(tenant, before, after)
        return ticket

    async def _read(self, tenant: str) -> tuple[BreakerState, int]:
        rows = await self._store.read(_READ, self._route, tenant)
        return (BreakerState.model_validate_json(rows[0][0]), int(rows[0][1])) if rows else (BreakerState(), 0)

    async def _swap(self, tenant: str, after: BreakerState, version: int) -> bool:
        """Write the next state, if nobody has written one meanwhile."""
        body = after.model_dump_json()
        if version:
            return bool(await self._store.write((_NEXT, (body, self._route, tenant, version))))
        return bool(await self._store.write((_FIRST, (self._route, tenant, body))))

    def _tell(self, tenant: str, before: BreakerState, after: BreakerState) -> None:
        """A probe that fails keeps it open: that is no new opening."""
        if before.opened_at is None and after.opened_at is not None:
            key = f"circuit:{self._route}:{tenant}:{after.era}"
            self._opened(
                Opening(
                    key=key,
                    route=self._route,
                    tenant=tenant,
                    failures=after.failures,
                    opened_at=after.opened_at,
                    open_s=self._settings.open_s,
                )
            )
        elif before.opened_at is not None and after.opened_at is None:
            self._closed(tenant)
