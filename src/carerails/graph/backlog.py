"""Questions that wait for an open circuit to close. A question is kept redacted, once a turn."""

from __future__ import annotations

import time
from collections.abc import Collection
from typing import NamedTuple

from carerails.contracts import Locale
from carerails.graph.store import Row, Statement, Store

#: A claim older than this, in seconds, is of a process that died.
LEASE_S = 600.0

_PUT = (
    "INSERT INTO carerails_queue (thread, turn, tenant, question, locale, country, status, tries, created)"
    " VALUES (?, ?, ?, ?, ?, ?, 'waiting', 0, ?) ON CONFLICT DO NOTHING"
)
_OPEN = "(status = 'waiting' OR (status = 'claimed' AND claimed < ?))"
_CLAIM = (
    "UPDATE carerails_queue SET status = 'claimed', claimed = ?, tries = tries + 1"
    f" WHERE thread = ? AND turn = ? AND {_OPEN} RETURNING thread, turn, tenant, question, locale, country, tries"
)
_BACK = "UPDATE carerails_queue SET status = 'waiting', tries = tries - ? WHERE thread = ? AND turn = ?"
_END = "UPDATE carerails_queue SET status = ? WHERE thread = ? AND turn = ?"


class Question(NamedTuple):
    """One question that waits; `tries` counts the one under way."""

    thread: str
    turn: int
    tenant: str
    question: str
    locale: Locale
    country: str | None
    tries: int = 0


class Backlog:
    """The questions that wait, for any number of processes: a claim is one statement, and only one gets it."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def put(self, question: Question) -> None:
        """Keep it; twice is once."""
        values = (question.thread, question.turn, question.tenant, question.question, question.locale, question.country)
        await self._store.write((_PUT, (*values, time.time())))

    async def claim(self, but: Collection[str] = ()) -> Question | None:
        """The oldest that nobody works on, of any tenant `but` these; None: there is none."""
        others = f" AND tenant NOT IN ({', '.join('?' * len(but))})" if but else ""
        oldest = (
            f"SELECT thread, turn FROM carerails_queue WHERE {_OPEN}{others} ORDER BY created, thread, turn LIMIT 1"
        )
        while True:
            dead = time.time() - LEASE_S
            rows = await self._store.read(oldest, dead, *but)
            if not rows:
                return None
            claimed = await self._store.write((_CLAIM, (time.time(), *rows[0], dead)))
            if claimed:  # or somebody else was quicker: look for another
                return _question(claimed[0])

    async def give_back(self, question: Question, *, tried: bool) -> None:
        """It waits again; where nothing was tried, that does not count."""
        await self._store.write((_BACK, (0 if tried else 1, question.thread, question.turn)))

    def end(self, question: Question, status: str) -> Statement:
        """The statement that ends it: `done`, `dropped`, or `failed`."""
        return _END, (status, question.thread, question.turn)


def _question(row: Row) -> Question:
    thread, turn, tenant, question, locale, country, tries = row
    return Question(thread, int(turn), tenant, question, locale, country, int(tries))
