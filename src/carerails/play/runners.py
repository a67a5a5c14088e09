"""The installed engines, each in a thread and an event loop of its own, so that a slow one keeps no other waiting."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from carerails.config import Settings
from carerails.contracts import Turn, TurnDecision
from carerails.engine import FailSafeEngine, open_engine
from carerails.engines import describe, installed
from carerails.errors import CarerailsError
from carerails.policy import Policy

State = Literal["starting", "ready", "failed"]
Answer = TypeVar("Answer")
#: Seconds that engines wait for the one before them to have started: together, all would come late.
TURN_S = 5.0
#: What an engine can do that has a model behind it.
SENDS = frozenset({"sampled"})
#: Seconds beyond the engine's own deadline: one that blocks its loop cannot be interrupted, only left behind.
PATIENCE_S = 3.0


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision and the microseconds that it took; None where that was not measured."""

    decision: TurnDecision
    latency_us: float | None


class Runner:
    """One engine.

    Attributes:
        state: `starting` until it can be asked.
        why: what keeps it from that.
    """

    def __init__(self, name: str, rails: Path, settings: Settings, after: threading.Event | None = None) -> None:
        self.name, self.version = name, ""
        self.state: State = "starting"
        self.why = ""
        #: Set when it is no longer `starting`.
        self.settled = threading.Event()
        self._rails, self._settings, self._after = rails, settings, after
        self._engine: FailSafeEngine | None = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name=f"engine {name}", daemon=True)
        self._thread.start()

    @property
    def policy(self) -> Policy | None:
        """The rails that it runs; None where it does not."""
        return self._engine.policy if self._engine and self.state == "ready" else None

    async def decide(self, turn: Turn) -> Decided | None:
        """Ask it; None where it gives no answer in time."""
        return await self._within(self._check(turn))

    @property
    def alive(self) -> bool:
        """Whether its thread still runs."""
        return self._thread.is_alive()

    def close(self) -> None:
        """Let it go, without waiting."""
        if self._loop.is_running():
            self._loop.call_soon_threadsafe(self._loop.create_task, self._leave())

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        if self._after:
            self._after.wait(TURN_S)
        try:
            self._loop.run_until_complete(self._open())
        except CarerailsError as error:
            self.state, self.why = "failed", str(error)
        except Exception as error:  # a foreign message may quote anything
            self.state, self.why = "failed", type(error).__name__
        self.settled.set()
        if self.state == "ready":
            self._loop.run_forever()

    async def _open(self) -> None:
        engine = open_engine(self.name, self._rails, self._settings)
        self._engine = await engine.__aenter__()
        self.version, self.state = engine.version, "ready"

    async def _leave(self) -> None:
        if self._engine:
            await self._engine.__aexit__(None, None, None)
        self._loop.stop()

    async def _check(self, turn: Turn) -> Decided:
        assert self._engine is not None
        begin = time.perf_counter_ns()
        decision = await self._engine.check(turn)
        return Decided(decision, (time.perf_counter_ns() - begin) / 1000)

    async def _within(self, work: Coroutine[Any, Any, Answer]) -> Answer | None:
        asked = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(asked), self._settings.profile.deadline_s + PATIENCE_S)
        except asyncio.TimeoutError:
            return None


class Runners:
    """Engines that can run here; they start in the background, and again when the rails are others.

    Args:
        only: names; none: all that keep the text on this machine.
    """

    def __init__(self, rails: Path, settings: Settings, only: Sequence[str] = ()) -> None:
        self._rails, self._settings = rails, settings
        found = {info.name: info for info in map(describe, only or installed()) if info.available}
        sends = [name for name, info in found.items() if SENDS & set(info.capabilities)]
        names = [name for name in found if only or name not in sends]
        self._names = sorted(names, key=lambda name: name != "native")  # which starts at once
        #: Engines that hand the text to a model, which may be elsewhere: asked only where somebody named them.
        self.sends = tuple(name for name in self._names if name in sends)
        self.all = self._start()

    def policy(self) -> Policy | None:
        """The saved rails, compiled; None until an engine has started."""
        return next((runner.policy for runner in self.all if runner.policy), None)

    def restart(self) -> None:
        """Open all of them anew."""
        before, self.all = self.all, self._start()
        for runner in before:
            runner.close()

    def close(self) -> None:
        """Let all go."""
        for runner in self.all:
            runner.close()

    def _start(self) -> tuple[Runner, ...]:
        found: list[Runner] = []
        for name in self._names:
            found.append(Runner(name, self._rails, self._settings, found[-1].settled if found else None))
        return tuple(found)
