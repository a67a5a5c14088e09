"""SQLite: one file, one process. Several processes: Postgres."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Generator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata, CheckpointTuple
from langgraph.checkpoint.sqlite import SqliteSaver

from carerails.errors import UsageError
from carerails.graph.errors import StoreUnavailable
from carerails.graph.store import SCHEMA, Row, Statement, serializer

BUSY_S = 0.5  # the whole agent waits meanwhile


class InlineSqliteSaver(SqliteSaver):
    """LangGraph's SQLite saver, called where it stands.

    `AsyncSqliteSaver` hands each of the nine calls of a turn to another thread and back, which costs a millisecond; one
    call costs a twentieth of that, and the agent's loop is a thread of its own already.
    """

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The checkpoint of a thread."""
        return self.get_tuple(config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """All of them, the newest first."""
        for item in self.list(config, filter=filter, before=before, limit=limit):
            yield item

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Write one."""
        return self.put(config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Write what belongs to one."""
        self.put_writes(config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        """Forget a thread."""
        self.delete_thread(thread_id)


class SqliteStore:
    """`Store` in one SQLite file, on one connection, used on the agent's thread only.

    Args:
        path: of the file; `:memory:` keeps nothing.

    Raises:
        UsageError: the directory of the file does not exist, or the path is one.
    """

    def __init__(self, path: str) -> None:
        if path != ":memory:" and not Path(path).absolute().parent.is_dir():
            raise UsageError("no such directory", "make it, or give another path for the store", path)
        if Path(path).is_dir():
            raise UsageError("is a directory", "name a file in it for the store", path)
        self._path = path

    @property
    def saver(self) -> InlineSqliteSaver:
        """LangGraph's own part."""
        return self._saver

    async def open(self) -> None:
        """Open the file, or make it."""
        try:
            self._connection = sqlite3.connect(self._path, timeout=BUSY_S)
            self._saver = InlineSqliteSaver(self._connection, serde=serializer())
            self._saver.setup()
            self._connection.execute("PRAGMA synchronous=NORMAL")
            await self.write(*((sql, ()) for sql in SCHEMA))
        except sqlite3.Error as error:
            raise StoreUnavailable(type(error).__name__) from None

    async def close(self) -> None:
        """Close the file."""
        self._connection.close()

    async def read(self, sql: str, *values: object) -> list[Row]:
        """The rows of one query."""
        return self._connection.execute(sql, values).fetchall()

    async def write(self, *statements: Statement) -> list[Row]:
        """All of them or none."""
        rows: list[Row] = []
        with self._flushed(), self._connection:
            for sql, values in statements:
                rows = self._connection.execute(sql, tuple(values)).fetchall()
        return rows

    def exclusive(self, thread_id: str) -> AbstractAsyncContextManager[None]:
        """Nothing to keep off: the file belongs to this process."""
        return nullcontext()

    def lost(self, error: BaseException) -> bool:
        """Whether the file could not be read or written."""
        return isinstance(error, sqlite3.Error)

    @contextmanager
    def _flushed(self) -> Generator[None, None, None]:
        """A side effect outlives a power cut; a turn's checkpoint need only outlive the process."""
        self._connection.execute("PRAGMA synchronous=FULL")
        try:
            yield
        finally:
            self._connection.execute("PRAGMA synchronous=NORMAL")
