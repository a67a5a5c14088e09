"""Resuming a paused turn exactly once: claim in SQL, drive the graph, deliver and end in one transaction.

A new message on a paused thread supersedes its review: the waiting question is unanswered, so both messages are checked
and taken up together, in a turn of their own, and resuming the old review is refused with `ReviewSuperseded`. A claim
goes before a new message: what a person decided is carried out first.
"""

from __future__ import annotations

import logging
from contextlib import suppress

from carerails.graph.desk import Desk, Review
from carerails.graph.errors import (
    AgentError,
    AlreadyResumed,
    EditRejected,
    InvalidRequest,
    NothingToReview,
    ReviewClaimed,
    ReviewSuperseded,
    UnknownThread,
)
from carerails.graph.outbox import Outbox
from carerails.graph.review import edit_faults
from carerails.graph.seams import Seams
from carerails.graph.settings import AgentSettings
from carerails.graph.state import Now, Verdict
from carerails.graph.store import Store
from carerails.graph.threads import Standing, Threads
from carerails.graph.turns import AgentTurn, turn_of

VERDICTS: tuple[Verdict, ...] = ("approve", "edit", "reject")

log = logging.getLogger(__name__)


class Reviewing:
    """What a person decides, carried out. Whoever calls holds the thread."""

    def __init__(
        self, threads: Threads, store: Store, desk: Desk, outbox: Outbox, seams: Seams, settings: AgentSettings
    ) -> None:
        self._threads, self._store, self._desk, self._outbox = threads, store, desk, outbox
        self._seams, self._settings = seams, settings

    async def recover(self) -> None:
        """Take up what died half-way, in whatever process: called on start."""
        for review in await self._desk.unsettled():
            try:
                async with self._threads.hold(review.thread_id):
                    await self.settle(review.thread_id)
            except Exception as error:
                # One broken thread must not keep the others from their answers.
                log.error("review %s could not be taken up again: %s", review.id, type(error).__name__)

    async def settle(self, thread_id: str) -> Review | None:
        """Bring the thread's review to rest; the review, if it waits for a person."""
        review = await self._desk.latest(thread_id)
        if review is None or review.status in ("done", "superseded"):
            return None
        if review.status == "claimed":
            with suppress(ReviewSuperseded):
                await self._finish(review)
            return None
        if not _waits(await self._threads.stands(thread_id), review):
            # The turn died before its pause, and will be taken up again; or a newer one took its place.
            await (self._desk.drop(review.id) if review.status == "opening" else self._desk.supersede(review.id))
            return None
        await self._desk.pend(review.id)
        return review

    async def resume(
        self, thread_id: str, decision: Verdict, edited_text: str | None, review_id: str | None
    ) -> AgentTurn:
        """Carry out a decision.

        Raises:
            AgentError: it cannot be carried out; says why, and what to do.
        """
        _check(decision, edited_text)
        review = await self.settle(thread_id)
        if review is None:
            raise await self._why_not(thread_id)
        if review_id not in (None, review.id):
            raise ReviewSuperseded(str(review_id))
        if edited_text:
            await self._pass_edit(edited_text, await self._threads.stands(thread_id))
        if not await self._desk.claim(review.id, decision, edited_text):
            raise ReviewClaimed(review.id)
        return await self._finish(review.model_copy(update={"decision": decision, "edited": edited_text}))

    async def _finish(self, review: Review) -> AgentTurn:
        """From a claim to its delivery; from wherever it stopped, as often as it takes."""
        standing = await self._threads.stands(review.thread_id)
        if _waits(standing, review):
            standing = await self._threads.resume(
                review.thread_id, {"decision": review.decision, "text": review.edited}
            )
        now = standing.now
        if now is None or now.number != review.turn or now.reply is None:
            await self._desk.supersede(review.id)
            raise ReviewSuperseded(review.id)
        await self._store.write(
            self._outbox.reply(review.id, review.thread_id, review.turn, now.reply), self._desk.done(review.id)
        )
        self._outbox.kick()
        return turn_of(now, review.thread_id, None)

    async def _pass_edit(self, text: str, standing: Standing) -> None:
        now = standing.now or Now(number=0)
        reasons = await edit_faults(
            text,
            now.passages,
            now.decision.locale,
            self._seams.guard,
            self._seams.engine,
            self._settings.check_s,
        )
        if reasons:
            raise EditRejected(reasons)

    async def _why_not(self, thread_id: str) -> AgentError:
        """Why there is nothing to resume on a thread."""
        now = (await self._threads.stands(thread_id)).now
        if now is None:
            return UnknownThread(thread_id)
        review = await self._desk.latest(thread_id)
        if review and review.status == "superseded":
            return ReviewSuperseded(review.id)
        if review and review.turn == now.number:
            return AlreadyResumed(review.id, review.decision or "")
        return NothingToReview(thread_id)


def _waits(standing: Standing, review: Review) -> bool:
    """Whether the graph waits for this very review."""
    return standing.paused and standing.now is not None and standing.now.number == review.turn


def _check(decision: str, edited_text: str | None) -> None:
    if decision not in VERDICTS:
        raise InvalidRequest("unknown decision", f"known: {', '.join(VERDICTS)}")
    if (decision == "edit") != bool(edited_text and edited_text.strip()):
        raise InvalidRequest("an edit has a text, and nothing else has one", "send edited_text with decision edit")
