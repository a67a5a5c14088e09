"""A thread with an event loop of its own: an agent can be called from sync code, from any loop, from any thread."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import Future
from threading import Thread, current_thread
from typing import Any, TypeVar

from carerails.graph.errors import AgentClosed

Value = TypeVar("Value")


class Home:
    """Runs coroutines on its own loop, for callers on other threads or none."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="carerails-agent", daemon=True)
        self._thread.start()

    def submit(self, work: Coroutine[Any, Any, Value]) -> Future[Value]:
        """Begin it; the caller's context variables go with it."""
        if self._loop.is_closed():
            work.close()
            raise AgentClosed("the agent is closed", "open another one")
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def call(self, work: Coroutine[Any, Any, Value]) -> Value:
        """Await it from any loop; cancelling the caller cancels it."""
        if current_thread() is self._thread:
            return await work
        return await asyncio.wrap_future(self.submit(work))

    def wait(self, work: Coroutine[Any, Any, Value]) -> Value:
        """Block until it is done.

        Raises:
            AgentClosed: called on the agent's own thread, which cannot wait for itself.
        """
        if current_thread() is self._thread:
            work.close()
            raise AgentClosed("a sync call from inside the agent would wait for ever", "await the async method instead")
        return self.submit(work).result()

    def close(self) -> None:
        """Stop the loop and its thread."""
        if self._loop.is_closed():
            return
        asyncio.run_coroutine_threadsafe(_cancel_all(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _cancel_all() -> None:
    """End what is still running, so that nothing is left un-awaited."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
