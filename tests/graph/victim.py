"""What the crash tests kill: a process that talks on some threads, each to its end, and goes on where it was killed.

Each thread's script: a question whose draft waits, its approval, and a red flag that pages; where the thread's name
says `unapproved`, the red flag comes while the draft waits. Every step may be begun again after a crash, as a careful
client would: requests carry an id, and a review that is done is done.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from carerails.graph import Agent, Delivery
from carerails.graph.errors import AlreadyResumed
from tests.graph.kit import Parts

QUESTION, RED_FLAG, DONE = "store uncited", "stroke", "done"


class FileSink:
    """Writes each key on a line of its own."""

    def __init__(self, path: str) -> None:
        self._path = path

    async def deliver(self, delivery: Delivery) -> None:
        _note(Path(self._path), delivery.key)


def agent_on(store: str, sink: str | None) -> Agent:
    return Parts().agent(store, FileSink(sink) if sink else None, human_review=True)


def live(store: str, sink: str | None, threads: Sequence[str], die_at: str, memory: str) -> None:
    """Play every script to its end. `memory`: where the clients note what they have an answer to.

    `die_at`: `Class.method:before` or `:after`.
    """
    if die_at:
        _plant(die_at)

    async def run() -> None:
        async with agent_on(store, sink) as agent:
            await asyncio.gather(*(_play(agent, thread, Path(memory)) for thread in threads))

    asyncio.run(run())
    _note(Path(memory), DONE)


async def _play(agent: Agent, thread: str, memory: Path) -> None:
    known = _noted(memory)
    for step in ("question", "approval", "red flag"):
        if f"{thread}: {step}" not in known and not (step == "approval" and "unapproved" in thread):
            await _step(agent, thread, step)
            _note(memory, f"{thread}: {step}")


async def _step(agent: Agent, thread: str, step: str) -> None:
    if step == "approval":
        with contextlib.suppress(AlreadyResumed):
            await agent.resume(thread, "approve")
    else:
        await agent.ask(thread, {"question": QUESTION, "red flag": RED_FLAG}[step], request_id=step)


def _noted(memory: Path) -> list[str]:
    return memory.read_text().splitlines() if memory.exists() else []


def _note(memory: Path, line: str) -> None:
    handle = os.open(memory, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(handle, f"{line}\n".encode())
    os.close(handle)


def _plant(where: str) -> None:
    """Make a method kill its process, before or after its work, the first time that it is called."""
    from carerails.graph import desk, outbox, threads

    name, moment = where.split(":")
    owner, method = name.split(".")
    kind = {"Desk": desk.Desk, "Outbox": outbox.Outbox, "Threads": threads.Threads}[owner]
    original = getattr(kind, method)

    async def dies(self: Any, *arguments: Any) -> Any:
        if moment == "after":
            await original(self, *arguments)
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(kind, method, dies)
