"""The facade: a medication-adherence agent that answers from cards or refuses, and never loses a red flag.

```python
async with Agent(engine=..., floor=..., retriever=..., drafter=..., redactor=..., guard=...) as agent:
    turn = await agent.ask("thread-1", "how do I store my insulin?")
```
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import Future
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, TypedDict

from carerails.contracts import (
    Channel,
    ClaimChecker,
    Drafter,
    GuardrailEngine,
    Locale,
    Message,
    OutputGuard,
    PassageScreener,
    Redactor,
    Retriever,
)
from carerails.graph.deliveries import Delivery, Sink
from carerails.graph.errors import AgentClosed, AgentError
from carerails.graph.events import Event, Failed, Paused, Topology, TurnCompleted
from carerails.graph.home import Home
from carerails.graph.request import Request
from carerails.graph.seams import Seams
from carerails.graph.settings import AgentSettings
from carerails.graph.state import Verdict
from carerails.graph.turns import AgentTurn

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from carerails.breaker import BreakerState
    from carerails.graph.desk import Review
    from carerails.graph.runner import Runner
    from carerails.graph.stopped import Stopped


class Said(TypedDict, total=False):
    """What a request may say besides one message.

    Attributes:
        messages: several in place of one, answered ones among them or not.
        locale: of the reply; left out: the thread's, else the one detected.
        country: whose emergency numbers; left out: the thread's, else the locale's default.
        channel: chat and voice are treated alike.
        request_id: the caller's key of this request; sent again, the turn is not taken twice.
        tenant: whose circuit the turn is of, where one agent serves several.
    """

    messages: Sequence[Message] | None
    locale: Locale | None
    country: str | None
    channel: Channel
    request_id: str | None
    tenant: str


class Agent:
    """One agent. Everything it is given runs on a thread of its own, so that it may be called from anywhere.

    Parts that are async context managers are entered on that thread at the start and left at the end: give engines
    that are not started. `with`, `async with`, or the first call starts it.

    Args:
        engine: decides every turn.
        floor: the native engine: hears every turn first. May be `engine` itself.
        retriever: finds cards.
        drafter: writes answers from them.
        redactor: takes personal data out before anything is stored or sent.
        guard: checks what was drafted.
        screener: keeps out of the context what does not belong there; None: all that is found goes in.
        claims: checks what was drafted against what it cites; None: nobody does.
        store: where threads are kept: a path, `:memory:`, or `postgresql://...`.
        sink: where pages and reviewed replies go on to; None: the table `carerails_outbox` is where people look.
        settings: limits, deadlines, human review, when the model is left alone.
        clock: seconds since 1970, by which circuits open and close.
    """

    def __init__(
        self,
        *,
        engine: GuardrailEngine,
        floor: GuardrailEngine,
        retriever: Retriever,
        drafter: Drafter,
        redactor: Redactor,
        guard: OutputGuard,
        screener: PassageScreener | None = None,
        claims: ClaimChecker | None = None,
        store: str = ":memory:",
        sink: Sink | None = None,
        settings: AgentSettings | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._seams = Seams(engine, floor, retriever, drafter, redactor, guard, screener, claims)
        self._store, self._sink, self._settings, self._clock = store, sink, settings or AgentSettings(), clock
        self._mutex = Lock()
        self._home: Home | None = None
        self._started: Future[Runner] | None = None
        self._closed = False

    async def ask(self, thread_id: str, text: str | None = None, **more: Unpack[Said]) -> AgentTurn:
        """Answer what the user said.

        Args:
            thread_id: of the talk; a new one begins a talk.
            text: one message; or else `messages` of
            more: see `Said`.

        Raises:
            AgentError: there is no red flag, and the turn could not be completed.
            UsageError: a part or a setting is wrong.
        """
        request = Request(thread_id, text, **more)
        home, runner = await self._running()
        return await home.call(runner.ask(request))

    async def resume(
        self, thread_id: str, decision: Verdict, edited_text: str | None = None, review_id: str | None = None
    ) -> AgentTurn:
        """Carry out what a person decided about a paused turn, once.

        Args:
            thread_id: of the talk.
            decision: approve, edit or reject.
            edited_text: of an edit; passes the output checks and the refusal checks, or the review stays open.
            review_id: of the review that the person looked at; None: the one that waits now.

        Raises:
            AgentError: it cannot be carried out; says why, and what to do.
        """
        home, runner = await self._running()
        return await home.call(runner.resume(thread_id, decision, edited_text, review_id))

    async def stream(self, thread_id: str, text: str | None = None, **more: Unpack[Said]) -> AsyncIterator[Event]:
        """`ask`, told as it happens: topology first, then nodes, then the turn, the pause or the error."""
        request = Request(thread_id, text, **more)
        home, runner = await self._running()
        loop = asyncio.get_running_loop()
        events: asyncio.Queue[Event | None] = asyncio.Queue()

        def emit(event: Event | None) -> None:
            if not loop.is_closed():  # a listener who left does not stop the turn
                loop.call_soon_threadsafe(events.put_nowait, event)

        future = home.submit(_narrated(runner, request, emit))
        while (event := await events.get()) is not None:
            yield event
        await asyncio.wrap_future(future)

    async def topology(self) -> Topology:
        """The nodes and edges of the graph that runs."""
        _, runner = await self._running()
        return runner.topology

    async def reviews(self) -> tuple[Review, ...]:
        """What waits for a person, the oldest first."""
        home, runner = await self._running()
        return await home.call(runner.reviews())

    async def stopped(self, thread_id: str) -> tuple[Stopped, ...]:
        """The replies of a thread that were not sent, redacted, and why; in order."""
        home, runner = await self._running()
        return await home.call(runner.stopped(thread_id))

    async def circuit(self, tenant: str = "") -> BreakerState:
        """How the circuit of a tenant stands."""
        home, runner = await self._running()
        return await home.call(runner.circuit(tenant))

    async def deliveries(self, thread_id: str) -> tuple[Delivery, ...]:
        """The pages, handovers and belated replies of a thread, in order."""
        home, runner = await self._running()
        return await home.call(runner.deliveries(thread_id))

    def ask_sync(self, thread_id: str, text: str | None = None, **more: Unpack[Said]) -> AgentTurn:
        """`ask` for sync code, wherever it runs; it blocks the thread that it is called on."""
        request = Request(thread_id, text, **more)
        home, runner = self._running_sync()
        return home.wait(runner.ask(request))

    def resume_sync(
        self, thread_id: str, decision: Verdict, edited_text: str | None = None, review_id: str | None = None
    ) -> AgentTurn:
        """`resume` for sync code."""
        home, runner = self._running_sync()
        return home.wait(runner.resume(thread_id, decision, edited_text, review_id))

    def close(self) -> None:
        """Stop; what was started is closed, and nothing may be asked any more."""
        with self._mutex:
            home, started = self._home, self._started
            self._closed, self._home = True, None
        if home is None or started is None:
            return
        try:
            if started.exception() is None:
                home.wait(started.result().close())
        finally:
            home.close()

    async def __aenter__(self) -> Agent:
        await self._running()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.close)

    def __enter__(self) -> Agent:
        self._running_sync()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _begin(self) -> tuple[Home, Future[Runner]]:
        """Start, if nobody did."""
        with self._mutex:
            if self._closed:
                raise AgentClosed("the agent is closed", "open another one")
            if self._home is None or self._started is None:
                self._home = Home()
                self._started = self._home.submit(
                    _start(self._seams, self._store, self._sink, self._settings, self._clock)
                )
            return self._home, self._started

    async def _running(self) -> tuple[Home, Runner]:
        home, started = self._begin()
        return home, started.result() if started.done() else await asyncio.wrap_future(started)

    def _running_sync(self) -> tuple[Home, Runner]:
        home, started = self._begin()
        return home, started.result()


async def _start(
    seams: Seams, store: str, sink: Sink | None, settings: AgentSettings, clock: Callable[[], float]
) -> Runner:
    from carerails.graph.runner import Runner  # LangGraph takes a second to import

    runner = Runner(seams, store, sink, settings, clock)
    await runner.start()
    return runner


async def _narrated(runner: Runner, request: Request, emit: Callable[[Event | None], None]) -> None:
    """One turn as events; None ends them."""
    try:
        emit(runner.topology)
        turn = await runner.ask(request, emit)
        emit(TurnCompleted(turn=turn) if turn.reply else Paused(turn=turn))
    except AgentError as error:
        emit(Failed.of(error))
    finally:
        emit(None)
