"""`python -m carerails.remote.serve MODULE:CLASS [ARGUMENT]`: any engine in Python as a process of the protocol."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from carerails.contracts import RuleEngine
from carerails.errors import CarerailsError, EngineError
from carerails.remote.protocol import VERSION, Found, Line


class Server:
    """Answers each question in a task of its own, so that turns run side by side as far as the engine can."""

    def __init__(self, make: Callable[[Path], RuleEngine], out: IO[bytes]) -> None:
        self._make, self._out = make, out
        self._engine: RuleEngine | None = None

    async def answer(self, question: Line) -> None:
        """Write one line for one question, whatever happens."""
        try:
            answer = await getattr(self, f"_{question['ask']}")(question)
        except EngineError as error:
            answer = _error(error.kind, error.detail)
        except CarerailsError as error:  # of rails and settings: nobody has said anything yet
            answer = _error("exception", str(error))
        except Exception as error:
            answer = _error("exception", type(error).__name__)
        self._out.write(json.dumps({"id": question.get("id"), **answer}).encode() + b"\n")
        self._out.flush()

    async def _hello(self, question: Line) -> Line:
        engine = self._engine = self._make(Path(question["rails"]))
        capabilities = sorted(engine.capabilities)
        return {"protocol": VERSION, "name": engine.name, "version": engine.version, "capabilities": capabilities}

    async def _start(self, question: Line) -> Line:
        await self._started.start()
        engine: Any = self._started
        more = {"unsupported": dict(getattr(engine, "unsupported", {})), "notes": list(getattr(engine, "notes", ()))}
        return {"ready": True, **more}

    async def _evaluate(self, question: Line) -> Line:
        return Found.line(await self._started.evaluate(question["text"]))

    async def _render(self, question: Line) -> Line:
        try:
            return {"text": await self._started.render(question["slug"], question["locale"], question["numbers"])}
        except KeyError:
            return {"text": None}

    @property
    def _started(self) -> RuleEngine:
        if self._engine is None:
            raise EngineError("missing", "nobody said hello")
        return self._engine


def _error(kind: str, detail: str) -> Line:
    return {"error": {"kind": kind, "detail": detail}}


async def _serve(server: Server, questions: IO[bytes]) -> None:
    loop = asyncio.get_running_loop()
    tasks: set[asyncio.Task[None]] = set()

    def take(question: Line) -> None:
        task = loop.create_task(server.answer(question))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    def listen() -> None:
        for line in questions:
            loop.call_soon_threadsafe(take, json.loads(line))
        os._exit(0)  # nobody is left to answer, whatever the engine is doing

    threading.Thread(target=listen, daemon=True).start()
    await asyncio.Event().wait()


def main(target: str, *arguments: str) -> None:
    """Serve the engine at `module:class` until the input ends."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is no answer
    module, _, name = target.partition(":")

    def make(rails: Path) -> RuleEngine:
        factory: Any = getattr(import_module(module), name)
        return factory(rails, *arguments)

    asyncio.run(_serve(Server(make, out), sys.stdin.buffer))


if __name__ == "__main__":
    main(*sys.argv[1:])
