"""Postgres: when one machine, or one process, is not enough. Needs the extra `postgres`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from carerails.errors import UsageError
from carerails.graph.errors import StoreUnavailable
from carerails.graph.store import SCHEMA, Row, Statement, serializer

if TYPE_CHECKING:
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
    from psycopg import AsyncConnection
    from psycopg.rows import DictRow
    from psycopg_pool import AsyncConnectionPool

CONNECT_S = 5.0
CONNECTIONS = 10
SETUP_LOCK = 7_201_845_533  # any number that nobody else locks


class PostgresStore:
    """`Store` in one Postgres database.

    Args:
        url: `postgresql://user:password@host:port/database`.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._keeper: AsyncConnection[Any] | None = None
        self._keeping = asyncio.Lock()
        self._failures: tuple[type[BaseException], ...] = ()

    @property
    def saver(self) -> AsyncPostgresSaver:
        """LangGraph's own part."""
        return self._saver

    async def open(self) -> None:
        """Connect, and make the tables."""
        try:
            import psycopg
            from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
            from psycopg.rows import dict_row
            from psycopg_pool import AsyncConnectionPool, PoolTimeout
        except ImportError as error:
            raise UsageError(
                f"a postgresql:// store needs {error.name}", "install it: pip install 'carerails[postgres]'"
            ) from None
        self._psycopg = psycopg
        self._failures = (psycopg.Error, PoolTimeout)
        settings = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
        self._pool: AsyncConnectionPool[AsyncConnection[DictRow]] = AsyncConnectionPool(
            self._url, open=False, min_size=1, max_size=CONNECTIONS, timeout=CONNECT_S, kwargs=settings
        )
        try:
            await self._pool.open(wait=True, timeout=CONNECT_S)
            self._saver = AsyncPostgresSaver(self._pool, serde=serializer())
            async with self._pool.connection() as connection:
                # Two processes that start together must not make the same table at once. Who waits must not hold a
                # statement open meanwhile: making an index waits for every statement.
                while not await _locked(connection):  # noqa: ASYNC110  no event comes from another process
                    await asyncio.sleep(0.05)
                try:
                    await AsyncPostgresSaver(connection, serde=serializer()).setup()
                    for sql in SCHEMA:
                        await connection.execute(sql.encode())
                finally:
                    await connection.execute("SELECT pg_advisory_unlock(%s)", (SETUP_LOCK,))
        except BaseException as error:
            await self._pool.close()
            if isinstance(error, self._failures):
                raise StoreUnavailable(type(error).__name__) from None
            raise

    async def close(self) -> None:
        """Disconnect."""
        if self._keeper:
            await self._keeper.close()
        await self._pool.close()

    async def read(self, sql: str, *values: object) -> list[Row]:
        """The rows of one query."""
        return await self.write((sql, values))

    async def write(self, *statements: Statement) -> list[Row]:
        """All of them or none."""
        rows: list[Row] = []
        async with self._pool.connection() as connection, connection.transaction():
            for sql, values in statements:
                cursor = await connection.execute(sql.replace("?", "%s").encode(), values)
                rows = [tuple(row.values()) for row in await cursor.fetchall()] if cursor.description else []
        return rows

    @asynccontextmanager
    async def exclusive(self, thread_id: str) -> AsyncGenerator[None, None]:
        """An advisory lock, which the server lets go when this process dies."""
        key = "hashtextextended(%s, 0)"
        wait_s = 0.005
        try:
            while not await self._ask_keeper(f"SELECT pg_try_advisory_lock({key})", thread_id):
                await asyncio.sleep(wait_s)
                wait_s = min(2 * wait_s, 0.25)
            yield
        finally:
            # Also after a cancelled try, which may have got it; and a connection that died took its locks with it.
            with suppress(*self._failures):
                await self._ask_keeper(f"SELECT pg_advisory_unlock({key})", thread_id)

    def lost(self, error: BaseException) -> bool:
        """Whether the server could not be asked."""
        return isinstance(error, self._failures)

    async def _ask_keeper(self, sql: str, thread_id: str) -> bool:
        """One connection holds the locks of all threads: a lock that waits would keep one from the pool."""
        async with self._keeping:
            if self._keeper is None or self._keeper.closed:
                self._keeper = await self._psycopg.AsyncConnection.connect(
                    self._url, autocommit=True, connect_timeout=int(CONNECT_S)
                )
            cursor = await self._keeper.execute(sql.encode(), (thread_id,))
            row = await cursor.fetchone()
        return bool(row and row[0])


async def _locked(connection: AsyncConnection[DictRow]) -> bool:
    cursor = await connection.execute("SELECT pg_try_advisory_lock(%s) AS held", (SETUP_LOCK,))
    row = await cursor.fetchone()
    return bool(row and row["held"])
