"""One turn, from the gate to the reply. Runs on the agent's own loop."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

from carerails.breaker import BreakerState
from carerails.contracts import TurnDecision
from carerails.errors import CarerailsError
from carerails.graph.alerts import Alerts
from carerails.graph.backlog import Backlog
from carerails.graph.build import build_graph
from carerails.graph.circuit import Circuit, Clock
from carerails.graph.composing import Composer
from carerails.graph.context import Finder
from carerails.graph.deliveries import Delivery, Sink, page_of
from carerails.graph.desk import Desk, Review, review_id
from carerails.graph.errors import MissingThread, ReviewIsOff, StoreUnavailable, TurnFailed
from carerails.graph.faults import Fault, Where
from carerails.graph.gate import Gate
from carerails.graph.nodes import Nodes
from carerails.graph.outbox import Outbox
from carerails.graph.record import redact, scrubbed
from carerails.graph.replay import Replay
from carerails.graph.request import Request, split_answered
from carerails.graph.reviewing import Reviewing
from carerails.graph.screened import ScreenedTurns
from carerails.graph.seams import Seams
from carerails.graph.settings import AgentSettings
from carerails.graph.state import ENDING, Call, Verdict
from carerails.graph.stopped import Stopped, StoppedReplies
from carerails.graph.store import open_store
from carerails.graph.threads import Emit, Standing, Threads, topology_of
from carerails.graph.turns import AgentTurn, turn_of
from carerails.graph.voice import Voice

RECONNECT_S = 1.0
PAGE_S = 1.0
CLOSE_S = 5.0

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Stored:
    """What there is while the store is open."""

    threads: Threads
    reviewing: Reviewing


class Runner:
    """Everything behind the facade.

    Args:
        seams: the injected parts.
        store: a setting for `open_store`.
        sink: where pages and reviewed replies go on to; None: they stay in the outbox table.
        settings: limits and deadlines.
        clock: seconds since 1970, by which circuits open and close.

    Attributes:
        topology: the graph that runs.
    """

    def __init__(
        self, seams: Seams, store: str, sink: Sink | None, settings: AgentSettings, clock: Clock = time.time
    ) -> None:
        self._seams, self._settings = seams, settings
        self._gate = Gate(seams.floor, settings.check_s)
        self._voice = Voice(seams.engine, seams.floor, settings.check_s)
        self._store = open_store(store)
        self._outbox = Outbox(self._store, sink, settings.retry_s)
        self._desk = Desk(self._store)
        self._alerts = Alerts(settings.circuit.webhook)
        self._circuit = Circuit(
            self._store,
            settings.route,
            settings.circuit,
            clock=clock,
            opened=self._alerts.send,
            closed=lambda tenant: self._replay.kick(),
        )
        composer, backlog = Composer(seams, settings, self._circuit), Backlog(self._store)
        self._stopped, screened = StoppedReplies(self._store), ScreenedTurns(self._store)
        finder = Finder(seams, settings, screened)
        self._replay = Replay(self._store, backlog, composer, finder, settings, self._voice, self._outbox, self._stands)
        self._nodes = Nodes(
            seams,
            settings,
            self._voice,
            self._outbox,
            self._desk,
            composer,
            backlog,
            self._stopped,
            finder,
            screened,
        )
        self.topology = topology_of(build_graph(self._nodes, None, human_review=settings.human_review))
        self._stored: _Stored | None = None
        self._ended: dict[str, TurnDecision] = {}
        self._at_work: set[asyncio.Task[AgentTurn]] = set()
        self._opening = asyncio.Lock()
        self._down_since = 0.0
        self._stack = AsyncExitStack()

    async def start(self) -> None:
        """Start every part, open the store, take up what a crash left. A store that is down is no reason not to start.

        Raises:
            CarerailsError: a part or a setting is wrong.
        """
        try:
            for part in self._seams.managed():
                await self._stack.enter_async_context(part)
            await self._open()
        except StoreUnavailable as error:
            log.error("started without a store, red flags only: %s", error)
        except BaseException:
            await self._stack.aclose()
            raise

    async def close(self) -> None:
        """Close what was opened, when what is at work is done."""
        if self._at_work:
            await asyncio.wait(self._at_work, timeout=CLOSE_S)
        await self._replay.close()
        await self._alerts.close()
        await self._outbox.close()
        if self._stored:
            await self._store.close()
        await self._stack.aclose()

    async def ask(self, request: Request, emit: Emit | None = None) -> AgentTurn:
        """Answer a turn.

        The floor hears it first. Where it, or the engine after it, escalates, there is an escalation reply, whatever
        else is wrong with the request, the store or any part.

        Raises:
            AgentError: there is no red flag, and the turn could not be completed.
        """
        turn, problem = request.admit(self._settings.max_turns)
        call = Call(turn, await self._gate.check(turn), turn.session or "", request.request_id, request.tenant)
        try:
            if problem:
                raise problem
            deadline_s = self._settings.red_flag_s if call.floor.severity else None
            return await self._carried(self._turn(call, emit), deadline_s)
        except Exception as error:
            decision = call.decision or self._scrubbed(call)
            if decision.severity is None:
                raise self._told(error) from None
            log.error("a red flag was answered by the gate: %s", type(error).__name__)
            return await self._by_gate(call, decision, self._told(error))

    async def resume(
        self, thread_id: str, decision: Verdict, edited_text: str | None, review_id: str | None
    ) -> AgentTurn:
        """Carry out what a person decided about a paused turn.

        Raises:
            AgentError: it cannot be carried out.
        """
        if not self._settings.human_review:
            raise ReviewIsOff
        if not thread_id:
            raise MissingThread
        try:
            return await self._carried(self._resumed(thread_id, decision, edited_text, review_id), None)
        except Exception as error:
            raise self._told(error) from None

    async def _resumed(
        self, thread_id: str, decision: Verdict, edited_text: str | None, review: str | None
    ) -> AgentTurn:
        stored = await self._open()
        async with stored.threads.hold(thread_id):
            return await stored.reviewing.resume(thread_id, decision, edited_text, review)

    async def _carried(self, work: Coroutine[Any, Any, AgentTurn], deadline_s: float | None) -> AgentTurn:
        """What comes of work that goes on to its end, whether or not somebody still waits for it.

        Raises:
            TimeoutError: it goes on.
        """
        task = asyncio.create_task(work)
        self._at_work.add(task)
        task.add_done_callback(self._left)
        done, _ = await asyncio.wait({task}, timeout=deadline_s)
        if not done:
            raise asyncio.TimeoutError
        return task.result()

    def _left(self, task: asyncio.Task[AgentTurn]) -> None:
        self._at_work.discard(task)
        if not task.cancelled() and (error := task.exception()):
            log.debug("a turn ended in %s", type(error).__name__)  # told to whoever waited, if anybody did

    async def reviews(self) -> tuple[Review, ...]:
        """What waits for a person, the oldest first."""
        await self._open()
        return tuple(await self._desk.pending())

    async def stopped(self, thread_id: str) -> tuple[Stopped, ...]:
        """The replies of a thread that were not sent, in order."""
        await self._open()
        return await self._stopped.of(thread_id)

    async def circuit(self, tenant: str) -> BreakerState:
        """How the circuit of a tenant stands."""
        await self._open()
        return await self._circuit.state(tenant)

    async def deliveries(self, thread_id: str) -> tuple[Delivery, ...]:
        """The pages, handovers and belated replies of a thread, in order."""
        await self._open()
        return await self._outbox.of(thread_id)

    async def _open(self) -> _Stored:
        """The store; opened now, if it was down."""
        if self._stored:
            return self._stored
        async with self._opening:
            if self._stored:
                return self._stored
            if time.monotonic() - self._down_since < RECONNECT_S:
                raise StoreUnavailable("down")
            try:
                await self._store.open()
            except StoreUnavailable:
                self._down_since = time.monotonic()
                raise
            try:
                self._stored = await self._connected()
            except BaseException as error:
                await self._store.close()
                if isinstance(error, Exception):
                    raise self._told(error) from None
                raise
            return self._stored

    async def _connected(self) -> _Stored:
        """The graph on the open store, with all that a crash left brought to rest."""
        graph = build_graph(self._nodes, self._store.saver, human_review=self._settings.human_review)
        threads = Threads(graph, self._store, self.topology)
        reviewing = Reviewing(threads, self._store, self._desk, self._outbox, self._seams, self._settings)
        if self._settings.human_review:
            await reviewing.recover()
        self._outbox.kick()
        self._replay.kick()
        return _Stored(threads, reviewing)

    async def _stands(self, thread_id: str) -> Standing:
        return await (await self._open()).threads.stands(thread_id)

    async def _turn(self, call: Call, emit: Emit | None) -> AgentTurn:
        stored = await self._open()
        threads, reviewing, thread_id = stored.threads, stored.reviewing, call.thread_id
        async with threads.hold(thread_id):
            waiting = await reviewing.settle(thread_id) if self._settings.human_review else None
            if call.request_id is not None:
                now = (await threads.stands(thread_id)).now
                if now and now.request_id == call.request_id and (waiting or now.reply):
                    return turn_of(now, thread_id, waiting.id if waiting else None)
            call.supersedes = waiting.turn if waiting else None
            call.ended = self._ended.get(thread_id)
            # A red flag's turn pages: what was decided is on disk before the reply is made.
            standing = await threads.turn(call, emit, "sync" if call.floor.severity else "exit")
            if standing.now is None:
                raise RuntimeError("the graph ended without a turn")
            self._ended.pop(thread_id, None)
            review = review_id(thread_id, call.number) if standing.paused else None
            if review:
                await self._desk.pend(review)
            if waiting:
                await self._desk.supersede(waiting.id)
            return turn_of(standing.now, thread_id, review)

    def _scrubbed(self, call: Call) -> TurnDecision:
        """The floor's decision, fit to be paged and told."""
        record, _ = redact(self._seams.redactor, split_answered(call.turn.messages)[1], call.floor.locale)
        return scrubbed(call.floor, record)

    async def _by_gate(self, call: Call, decision: TurnDecision, error: CarerailsError) -> AgentTurn:
        """The escalation reply without graph or store."""
        if call.thread_id and decision.severity in ENDING:
            self._ended[call.thread_id] = decision
        faults = [Fault(where=_where(error), kind="exception", detail=type(error).__name__)]
        if decision.severity in self._settings.page_on and not call.paged and not await self._page(call, decision):
            faults.append(Fault(where="pager", kind="missing"))
        reply = await self._voice.close(await self._voice.answer(decision), decision)
        return AgentTurn(
            status="complete",
            reply=reply,
            decision=decision,
            thread_id=call.thread_id,
            turn=call.number,
            disengaged=decision.severity in ENDING,
            faults=tuple(faults),
        )

    async def _page(self, call: Call, decision: TurnDecision) -> bool:
        """Page through the outbox, past it if it is down."""
        call.paged = True
        page = page_of(call, decision)
        try:
            if self._stored is None:
                raise StoreUnavailable("down")
            await asyncio.wait_for(self._outbox.page(page), PAGE_S)
        except Exception:
            return self._outbox.page_unstored(page)
        return True

    def _told(self, error: Exception) -> CarerailsError:
        """An error as it may be told."""
        if isinstance(error, CarerailsError):
            return error
        kind = type(error).__name__
        return StoreUnavailable(kind) if self._store.lost(error) else TurnFailed(kind)


def _where(error: CarerailsError) -> Where:
    """What a turn that the gate had to answer died of."""
    if isinstance(error, StoreUnavailable):
        return "store"
    return "graph" if isinstance(error, TurnFailed) else "request"
