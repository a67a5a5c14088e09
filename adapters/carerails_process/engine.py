"""The adapter: the engine's methods as questions to a child, which is started again when it dies."""

from __future__ import annotations

import asyncio
import shlex
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from carerails.contracts import Findings, Locale
from carerails.errors import CarerailsError, EngineError, UsageError
from carerails.remote.child import Child
from carerails.remote.protocol import VERSION, Answer, Found, Hello, Line, Ready, Rendered, read
from carerails.resources import data_dir

Value = TypeVar("Value")
#: Seconds for saying hello, and for loading what a check needs.
HELLO_S, START_S = 30.0, 180.0
#: Seconds that an answer may be late after its caller gave up; a child that takes longer hangs, and is killed.
PATIENCE_S = 1.0
#: Seconds before a child that died is started again: the first time, and at most.
BACKOFF_S = (0.1, 10.0)
#: How the child works is its own affair: through a pipe every engine waits.
INNER = frozenset({"synchronous", "re"})

#: Notes that were told already, by whichever engine of this process.
_told: set[str] = set()


class ProcessEngine:
    """`RuleEngine` on a command that speaks the protocol.

    Args:
        rails: directory of .co files or an exported policy.json, which the child is told of; None: those shipped.
        command: as in a shell, or in words.
        name: how the engine is called; None: `process:` and the command.
        trusted: the child is ours, and what it says of a failure never quotes the user.

    Raises:
        UsageError: no command, it does not answer, or it speaks another version of the protocol.
    """

    #: What stands behind the colon in `process:COMMAND`.
    takes = "a command"

    def __init__(
        self,
        rails: Path | None = None,
        command: str | Sequence[str] = "",
        name: str | None = None,
        trusted: bool = False,
    ) -> None:
        self._command = tuple(shlex.split(command) if isinstance(command, str) else command)
        self._rails = str((rails or data_dir("rails")).resolve())
        self._trusted = trusted
        hello = _hello(self._command, self._rails)
        self.name = name or f"process:{command}"
        self.version = hello.version
        self.capabilities = hello.capabilities - INNER
        self.unsupported: Mapping[str, str] = {}
        self.notes: Sequence[str] = ()
        self._lock = threading.Lock()
        self._child: Child | None = None
        self._starting: Future[Child] | None = None
        self._open = False
        self._backoff_s, self._not_before = BACKOFF_S[0], 0.0

    async def start(self) -> None:
        """Start the child and let it load.

        Raises:
            CarerailsError: it fails to, with the reason that it gives.
        """
        self._open, self._not_before = True, 0.0
        try:
            await asyncio.wrap_future(self._running())
        except EngineError as error:
            raise CarerailsError(f"engine {self.name!r} does not start: {error.detail or error.kind}") from None
        sys.stderr.writelines(f"carerails: {self.name}: {line}\n" for line in self.notes if line not in _told)
        _told.update(self.notes)

    async def close(self) -> None:
        """Let the child leave; it is gone when this returns."""
        self._open = False
        with self._lock:
            child, self._child = self._child, None
        if child:
            await asyncio.get_running_loop().run_in_executor(None, child.close)

    async def evaluate(self, text: str) -> Findings:
        """The child's findings.

        Raises:
            EngineError: it crashed, answered garbage, says that it failed, or is not there yet.
        """
        return (await self._ask(Found, "evaluate", text=text)).findings()

    async def render(self, slug: str, locale: Locale, numbers: Mapping[str, str]) -> str:
        """The text of a template.

        Raises:
            KeyError: no such template.
            EngineError: as `evaluate`.
        """
        text = (await self._ask(Rendered, "render", slug=slug, locale=locale, numbers=dict(numbers))).text
        if text is None:
            raise KeyError(slug)
        return text

    async def _ask(self, model: type[Answer], what: str, **fields: object) -> Answer:
        child = await asyncio.wrap_future(self._running())
        answer = child.ask(what, **fields)
        try:
            line = await asyncio.wrap_future(answer)
        except asyncio.CancelledError:
            _kill_if_late(child, answer)
            raise
        try:
            answered = read(model, line)
        except EngineError as error:
            raise EngineError(error.kind, error.detail if self._trusted else "") from None
        self._backoff_s = BACKOFF_S[0]
        return answered

    def _running(self) -> Future[Child]:
        """The child, when it is ready. All who ask while it starts wait for the same start."""
        with self._lock:
            if not self._open:
                return _failed(EngineError("missing", "the engine is not started"))
            if self._child and self._child.alive:
                return _done(self._child)
            if self._starting is None:
                wait_s = self._not_before - time.monotonic()
                if wait_s > 0:
                    return _failed(EngineError("missing", f"the process is down; next start in {wait_s:.1f} s"))
                self._not_before = time.monotonic() + self._backoff_s
                self._backoff_s = min(2 * self._backoff_s, BACKOFF_S[1])
                self._starting = Future()
                self._starting.set_running_or_notify_cancel()
                threading.Thread(target=self._start, args=(self._starting,), daemon=True).start()
            return self._starting

    def _start(self, starting: Future[Child]) -> None:
        child: Child | None = None
        try:
            child = Child(self._command)
            _answer(child, Hello, HELLO_S, "hello", protocol=VERSION, rails=self._rails)
            ready = _answer(child, Ready, START_S, "start")
            self.unsupported, self.notes = ready.unsupported, ready.notes
            error = None
        except EngineError as raised:
            error = raised
            if child:
                child.end(raised)
        with self._lock:
            self._starting = None
            wanted = self._open and error is None
            if wanted:
                self._child = child
        if error or child is None:
            starting.set_exception(error or EngineError("exception"))
            return
        if not wanted:
            child.close()
        starting.set_result(child)


@lru_cache(maxsize=64)
def _hello(command: tuple[str, ...], rails: str) -> Hello:
    """Who answers to the command: asked of a child that then leaves."""
    if not command:
        raise UsageError("engine 'process' needs a command", "write process:COMMAND, for instance process:./my_engine")
    child: Child | None = None
    try:
        child = Child(command)
        hello = _answer(child, Hello, HELLO_S, "hello", protocol=VERSION, rails=rails)
    except EngineError as error:
        what = f"engine process {command[0]!r} does not say hello: {error.detail or error.kind}"
        raise UsageError(what, "CARERAILS_ENGINE_STDERR=inherit shows what it prints") from None
    finally:
        if child:
            child.close()
    if hello.protocol != VERSION:
        what = f"engine process {command[0]!r} speaks version {hello.protocol} of the protocol, here it is {VERSION}"
        raise UsageError(what, "see docs/process-protocol.md")
    return hello


def _answer(child: Child, model: type[Answer], seconds: float, what: str, **fields: object) -> Answer:
    try:
        line: Line = child.ask(what, **fields).result(seconds)
    except TimeoutError:
        raise EngineError("timeout", f"no answer to {what} in {seconds:g} s") from None
    except Exception as error:  # concurrent.futures has a TimeoutError of its own in Python 3.10
        raise error if isinstance(error, EngineError) else EngineError("timeout", f"no answer to {what}") from None
    return read(model, line)


def _kill_if_late(child: Child, answer: Future[Line]) -> None:
    timer = threading.Timer(PATIENCE_S, lambda: child.end(EngineError("timeout", "the process hung and was killed")))
    timer.daemon = True
    timer.start()
    answer.add_done_callback(lambda _: timer.cancel())


def _done(value: Value) -> Future[Value]:
    future: Future[Value] = Future()
    future.set_result(value)
    return future


def _failed(error: EngineError) -> Future[Child]:
    future: Future[Child] = Future()
    future.set_exception(error)
    return future
