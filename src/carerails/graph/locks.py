"""One turn at a time on each thread."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


class Locks:
    """A lock for each name, kept only as long as somebody wants it."""

    def __init__(self) -> None:
        self._locks: dict[str, tuple[asyncio.Lock, int]] = {}

    @asynccontextmanager
    async def hold(self, name: str) -> AsyncGenerator[None, None]:
        """Wait for the name's turn, in order of coming."""
        lock, waiting = self._locks.get(name, (asyncio.Lock(), 0))
        self._locks[name] = lock, waiting + 1
        try:
            async with lock:
                yield
        finally:
            lock, waiting = self._locks[name]
            if waiting == 1:
                del self._locks[name]
            else:
                self._locks[name] = lock, waiting - 1
