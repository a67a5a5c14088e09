"""The reviews, in SQL: the only place that knows who may decide what, and when it is decided.

    opening -> pending -> claimed -> done
                   \\-> superseded

`opening` is written before the graph's pause is on disk, `pending` after it; a claim is on disk before the graph goes
on, `done` together with the delivery. So whatever dies in between, `Runner.settle` sees from the row how to go on.
"""

from __future__ import annotations

import hashlib
import time
from typing import Literal

from carerails.contracts import Frozen, Passage, Reply
from carerails.graph.review import ReviewNeed
from carerails.graph.state import Verdict
from carerails.graph.store import Row, Statement, Store

Status = Literal["opening", "pending", "claimed", "done", "superseded"]
_COLUMNS = "id, thread, turn, status, draft, decision, edited"


class Waiting(Frozen):
    """What a reviewer looks at."""

    need: ReviewNeed
    question: str
    draft: Reply
    passages: tuple[Passage, ...]


class Review(Frozen):
    """One review.

    Attributes:
        id: the same for the same thread and turn.
        waiting: the question and its draft.
        decision: what was decided, once it is claimed.
        edited: the text of an edit.
    """

    id: str
    thread_id: str
    turn: int
    status: Status
    waiting: Waiting
    decision: Verdict | None = None
    edited: str | None = None


def review_id(thread_id: str, turn: int) -> str:
    """The id of the review of a turn."""
    return hashlib.sha256(f"{turn}:{thread_id}".encode()).hexdigest()[:20]


class Desk:
    """The table of reviews."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def open(self, thread_id: str, turn: int, waiting: Waiting) -> None:
        """A draft is about to wait. Once it does, or was decided, this changes nothing."""
        await self._store.write(
            (
                "INSERT INTO carerails_review (id, thread, turn, status, draft, opened) "
                "VALUES (?, ?, ?, 'opening', ?, ?) ON CONFLICT (id) DO UPDATE SET draft = excluded.draft "
                "WHERE carerails_review.status = 'opening'",
                (review_id(thread_id, turn), thread_id, turn, waiting.model_dump_json(), time.time()),
            )
        )

    async def pend(self, review: str) -> None:
        """The pause is on disk."""
        await self._move(review, "opening", "pending")

    async def drop(self, review: str) -> None:
        """The turn died before its pause: it will be taken up again."""
        await self._store.write(("DELETE FROM carerails_review WHERE id = ? AND status = 'opening'", (review,)))

    async def supersede(self, review: str) -> None:
        """A newer message took its place."""
        await self._store.write(
            (
                "UPDATE carerails_review SET status = 'superseded' WHERE id = ? AND status IN ('pending', 'claimed')",
                (review,),
            )
        )

    async def claim(self, review: str, decision: Verdict, text: str | None) -> bool:
        """Decide it, if nobody did: of any number of callers one gets True."""
        rows = await self._store.write(
            (
                "UPDATE carerails_review SET status = 'claimed', decision = ?, edited = ? "
                "WHERE id = ? AND status = 'pending' RETURNING id",
                (decision, text, review),
            )
        )
        return bool(rows)

    def done(self, review: str) -> Statement:
        """The statement that ends it, for the transaction that delivers its reply."""
        return "UPDATE carerails_review SET status = 'done' WHERE id = ?", (review,)

    async def latest(self, thread_id: str) -> Review | None:
        """The last review of a thread, whatever became of it."""
        rows = await self._store.read(
            f"SELECT {_COLUMNS} FROM carerails_review WHERE thread = ? ORDER BY turn DESC LIMIT 1", thread_id
        )
        return _read(rows[0]) if rows else None

    async def unsettled(self, thread_id: str | None = None) -> list[Review]:
        """Those that something may have died in the middle of, of one thread or of all."""
        where, values = ("thread = ? AND ", (thread_id,)) if thread_id is not None else ("", ())
        rows = await self._store.read(
            f"SELECT {_COLUMNS} FROM carerails_review WHERE {where}status IN ('opening', 'claimed') ORDER BY turn",
            *values,
        )
        return [_read(row) for row in rows]

    async def pending(self) -> list[Review]:
        """Those that wait for a person, the oldest first."""
        rows = await self._store.read(
            f"SELECT {_COLUMNS} FROM carerails_review WHERE status = 'pending' ORDER BY opened"
        )
        return [_read(row) for row in rows]

    async def _move(self, review: str, before: Status, after: Status) -> None:
        await self._store.write(
            ("UPDATE carerails_review SET status = ? WHERE id = ? AND status = ?", (after, review, before))
        )


def _read(row: Row) -> Review:
    review, thread_id, turn, status, draft, decision, edited = row
    return Review(
        id=review,
        thread_id=thread_id,
        turn=turn,
        status=status,
        waiting=Waiting.model_validate_json(draft),
        decision=decision,
        edited=edited,
    )
