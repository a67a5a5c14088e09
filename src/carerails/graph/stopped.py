"""The replies that were not sent: what was asked, what the model said, and why; personal data taken out of both."""

from __future__ import annotations

import json
import time
from typing import NamedTuple

from carerails.graph.store import Store


class Stopped(NamedTuple):
    """A reply that was not sent."""

    turn: int
    reasons: tuple[str, ...]
    question: str
    raw: str


class StoppedReplies:
    """All of them, by thread."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def put(self, thread: str, stopped: Stopped) -> None:
        """Keep it, once a turn."""
        await self._store.write(
            (
                "INSERT INTO carerails_stopped (thread, turn, reasons, question, raw, created)"
                " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                (thread, stopped.turn, json.dumps(stopped.reasons), stopped.question, stopped.raw, time.time()),
            )
        )

    async def of(self, thread: str) -> tuple[Stopped, ...]:
        """Those of a thread, in order."""
        rows = await self._store.read(
            "SELECT turn, reasons, question, raw FROM carerails_stopped WHERE thread = ? ORDER BY turn", thread
        )
        return tuple(Stopped(turn, tuple(json.loads(reasons)), question, raw) for turn, reasons, question, raw in rows)
