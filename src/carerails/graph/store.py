"""Where threads, reviews and deliveries are kept: SQLite by default, Postgres by one setting."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from carerails.errors import UsageError
from carerails.graph.state import Memory, Now

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

Row: TypeAlias = tuple[Any, ...]
Statement: TypeAlias = tuple[str, Sequence[object]]

#: The only classes that a checkpoint may bring back to life: the state's channels. What they hold is built by pydantic,
#: from plain values.
STORED = (Memory, Now)

#: Our own tables, in SQL that both databases take. Times are seconds since 1970.
SCHEMA = (
    """CREATE TABLE IF NOT EXISTS carerails_review (
        id TEXT PRIMARY KEY, thread TEXT NOT NULL, turn INTEGER NOT NULL, status TEXT NOT NULL,
        draft TEXT NOT NULL, decision TEXT, edited TEXT, opened DOUBLE PRECISION NOT NULL)""",
    "CREATE INDEX IF NOT EXISTS carerails_review_thread ON carerails_review (thread, turn)",
    "CREATE INDEX IF NOT EXISTS carerails_review_status ON carerails_review (status)",
    """CREATE TABLE IF NOT EXISTS carerails_outbox (
        key TEXT PRIMARY KEY, kind TEXT NOT NULL, thread TEXT NOT NULL, turn INTEGER NOT NULL,
        body TEXT NOT NULL, created DOUBLE PRECISION NOT NULL, delivered DOUBLE PRECISION)""",
    "CREATE INDEX IF NOT EXISTS carerails_outbox_thread ON carerails_outbox (thread, turn)",
    """CREATE TABLE IF NOT EXISTS carerails_screened (
        thread TEXT NOT NULL, turn INTEGER NOT NULL, kind TEXT NOT NULL, place INTEGER NOT NULL, body TEXT NOT NULL,
        model TEXT NOT NULL, text TEXT, created DOUBLE PRECISION NOT NULL, PRIMARY KEY (thread, turn, kind, place))""",
    """CREATE TABLE IF NOT EXISTS carerails_circuit (
        route TEXT NOT NULL, tenant TEXT NOT NULL, state TEXT NOT NULL, version INTEGER NOT NULL,
        PRIMARY KEY (route, tenant))""",
    """CREATE TABLE IF NOT EXISTS carerails_stopped (
        thread TEXT NOT NULL, turn INTEGER NOT NULL, reasons TEXT NOT NULL, question TEXT NOT NULL, raw TEXT NOT NULL,
        created DOUBLE PRECISION NOT NULL, PRIMARY KEY (thread, turn))""",
    """CREATE TABLE IF NOT EXISTS carerails_queue (
        thread TEXT NOT NULL, turn INTEGER NOT NULL, tenant TEXT NOT NULL, question TEXT NOT NULL, locale TEXT NOT NULL,
        country TEXT, status TEXT NOT NULL, tries INTEGER NOT NULL, created DOUBLE PRECISION NOT NULL,
        claimed DOUBLE PRECISION, PRIMARY KEY (thread, turn))""",
    "CREATE INDEX IF NOT EXISTS carerails_queue_status ON carerails_queue (status, created)",
    "CREATE INDEX IF NOT EXISTS carerails_outbox_open ON carerails_outbox (created) WHERE delivered IS NULL",
)


class Store(Protocol):
    """One database: LangGraph's checkpoints and our tables. Parameters are written `?`."""

    @property
    def saver(self) -> BaseCheckpointSaver[Any]:
        """LangGraph's own part."""
        ...

    async def open(self) -> None:
        """Connect and make the tables.

        Raises:
            UsageError: the setting is wrong, or a package is missing.
            StoreUnavailable: nobody answers.
        """
        ...

    async def close(self) -> None:
        """Disconnect."""
        ...

    async def read(self, sql: str, *values: object) -> list[Row]:
        """The rows of one query."""
        ...

    async def write(self, *statements: Statement) -> list[Row]:
        """All of them or none, on disk when this returns; the rows of the last one, if it returns any."""
        ...

    def exclusive(self, thread_id: str) -> AbstractAsyncContextManager[None]:
        """Keeps other processes off a thread, where the database serves several."""
        ...

    def lost(self, error: BaseException) -> bool:
        """Whether an exception means that the database could not do its part."""
        ...


def open_store(where: str) -> Store:
    """The store that a setting names, not yet open: a path, `:memory:`, `sqlite:///path` or `postgresql://...`.

    Raises:
        UsageError: no such kind of store.
    """
    scheme, separator, rest = where.partition("://")
    if not separator or scheme == "sqlite":
        from carerails.graph.sqlite import SqliteStore

        return SqliteStore(rest.removeprefix("/") or ":memory:" if separator else where)
    if scheme in ("postgresql", "postgres"):
        from carerails.graph.postgres import PostgresStore

        return PostgresStore(where)
    raise UsageError(
        f"unknown store {scheme}://", "give a path, :memory:, sqlite:///path or postgresql://host/database"
    )


def serializer() -> JsonPlusSerializer:
    """LangGraph's serialiser, with an allow-list: a checkpoint that somebody tampered with makes nothing else."""
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

    return JsonPlusSerializer(allowed_msgpack_modules=STORED)
