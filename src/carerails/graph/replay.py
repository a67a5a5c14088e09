"""Answers, once each, the questions that were kept while the circuit was open."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress

from carerails.contracts import TurnDecision
from carerails.graph.backlog import Backlog, Question
from carerails.graph.composing import Composed, Composer
from carerails.graph.context import Finder
from carerails.graph.outbox import Outbox
from carerails.graph.settings import AgentSettings
from carerails.graph.state import ENDING
from carerails.graph.store import Store
from carerails.graph.threads import Standing
from carerails.graph.voice import Voice

#: Tries at one question, before it is left to a person.
TRIES = 3

log = logging.getLogger(__name__)


class Replay:
    """Works off the backlog in the background, one question after the other.

    A reply whose conversation an emergency or a crisis has ended meanwhile is dropped: nothing else is said there. A
    question that cannot be answered is left to a person; none is lost. A reply and the end of its question are one
    transaction, and the reply's key is the question's: it is delivered once, also after a crash.
    """

    def __init__(
        self,
        store: Store,
        backlog: Backlog,
        composer: Composer,
        finder: Finder,
        settings: AgentSettings,
        voice: Voice,
        outbox: Outbox,
        stands: Callable[[str], Awaitable[Standing]],
    ) -> None:
        self._store, self._backlog, self._composer, self._finder = store, backlog, composer, finder
        self._settings, self._voice, self._outbox, self._stands = settings, voice, outbox, stands
        self._worker: asyncio.Task[None] | None = None
        self._wake = asyncio.Event()

    def kick(self) -> None:
        """Look now: a circuit has closed, or the agent has started."""
        if self._settings.circuit.serve != "queue":
            return
        self._wake.set()
        if self._worker is None or self._worker.done():
            self._worker = asyncio.get_running_loop().create_task(self._run())

    async def close(self) -> None:
        """Stop; what waits is taken up at the next start."""
        if self._worker:
            self._worker.cancel()
            await asyncio.gather(self._worker, return_exceptions=True)

    async def _run(self) -> None:
        """Look when there is reason to, and as often as a circuit stays open: nobody else may come to probe it."""
        while True:
            self._wake.clear()
            await asyncio.sleep(0)  # the turn that closed the circuit goes first
            try:
                await self._round()
            except Exception as error:
                log.error("the backlog could not be worked off: %s", type(error).__name__)
            with suppress(asyncio.TimeoutError, TimeoutError):
                await asyncio.wait_for(self._wake.wait(), self._settings.circuit.open_s)

    async def _round(self) -> None:
        """All that can be answered now; a tenant whose circuit is open waits, and no other waits for it."""
        resting: set[str] = set()
        while question := await self._backlog.claim(tuple(resting)):
            if not await self._answer(question):
                resting.add(question.tenant)

    async def _answer(self, question: Question) -> bool:
        """Answer one; False: its circuit is open."""
        decision = TurnDecision(decision="allow", locale=question.locale, country=question.country)
        now = (await self._stands(question.thread)).now
        if now is not None and now.decision.severity in ENDING:
            await self._store.write(self._backlog.end(question, "dropped"))
            return True
        made = await self._made(question)
        if not made.admitted:
            await self._backlog.give_back(question, tried=False)
            return False
        draft = made.draft if made.sound else None
        if draft is None:
            await self._give_up(question, decision)
            return True
        if draft.kind == "refusal":
            draft = await self._voice.refuse("no-context", decision, "drafter")
        reply = await self._voice.close(draft, decision)
        key = f"queue:{question.thread}:{question.turn}"
        await self._store.write(
            self._outbox.reply(key, question.thread, question.turn, reply), self._backlog.end(question, "done")
        )
        self._outbox.kick()
        return True

    async def _made(self, question: Question) -> Composed:
        found = await self._finder.find(question.thread, question.turn, question.question, question.locale)
        if found.faults:
            return Composed(faults=found.faults)
        return await self._composer.compose(question.tenant, question.question, question.locale, found.passages)

    async def _give_up(self, question: Question, decision: TurnDecision) -> None:
        """Try again, or leave it to a person."""
        if question.tries < TRIES:
            await self._backlog.give_back(question, tried=True)
            return
        await self._outbox.hand_over(question.thread, question.turn, decision, "chat")
        await self._store.write(self._backlog.end(question, "failed"))
