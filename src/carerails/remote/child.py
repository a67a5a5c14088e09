"""One child process: lines out, lines in, and an end that nobody waits for in vain."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from itertools import count
from typing import Any, cast

from carerails.errors import EngineError
from carerails.remote.protocol import LIMIT, Line

#: Set to `inherit`, the child's stderr is shown. It may hold what users say, so by default nobody sees it.
STDERR = "CARERAILS_ENGINE_STDERR"


class Child:
    """A running engine process. Threads do the reading and writing, so any event loop or thread may ask.

    Raises:
        EngineError: the command cannot be run.
    """

    def __init__(self, command: Sequence[str]) -> None:
        shown = None if os.environ.get(STDERR) == "inherit" else subprocess.DEVNULL
        try:
            # In a session of its own: an interrupt at the terminal is for us, and killing reaches its own children.
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=shown, start_new_session=True
            )
        except (OSError, ValueError) as error:
            raise EngineError("exception", f"{command[0]} cannot be run: {type(error).__name__}") from None
        self._numbers, self._lock = count(), threading.Lock()
        self._owed: dict[int, Future[Line]] = {}
        self._ended: EngineError | None = None
        self._out: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        threading.Thread(target=self._write, daemon=True).start()

    @property
    def alive(self) -> bool:
        """Whether it can still be asked."""
        return self._ended is None

    def ask(self, what: str, **fields: Any) -> Future[Line]:
        """Send a question; the future gets the answering line, or an EngineError when the process ends before it."""
        future: Future[Line] = Future()
        future.set_running_or_notify_cancel()  # whoever waits may give up; the answer is owed all the same
        with self._lock:
            if self._ended:
                future.set_exception(self._ended)
                return future
            number = next(self._numbers)
            self._owed[number] = future
        self._out.put(json.dumps({"id": number, "ask": what, **fields}).encode() + b"\n")
        return future

    def close(self, wait_s: float = 1.0) -> None:
        """End its input, which asks it to leave; kill it if it does not; return when it is gone."""
        self._out.put(None)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(wait_s)
        self.end(EngineError("missing", "the engine is closed"))
        self._reader.join(5)

    def end(self, why: EngineError) -> None:
        """Kill it and all that it started, and tell those who wait. It leaves no zombie."""
        with self._lock:
            owed, self._owed = self._owed, {}
            first, self._ended = self._ended is None, self._ended or why
        for future in owed.values():
            future.set_exception(EngineError(why.kind, why.detail))
        if first:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._out.put(None)

    def _write(self) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        with suppress(OSError, ValueError):
            while (line := self._out.get()) is not None:
                stdin.write(line)
                stdin.flush()
        with suppress(OSError):
            stdin.close()

    def _read(self) -> None:
        stdout = self._process.stdout
        assert stdout is not None
        with stdout:
            while line := stdout.readline(LIMIT):
                number, answer = _parse(line)
                with self._lock:
                    future = self._owed.pop(number, None) if number is not None else None
                if future is None or answer is None:
                    if future is not None:
                        future.set_exception(EngineError("malformed", "the process answers garbage"))
                    return self.end(EngineError("malformed", "the process answers garbage"))
                future.set_result(answer)
        return self.end(EngineError("exception", "the process ended"))


def _parse(line: bytes) -> tuple[int | None, Line | None]:
    try:
        value: Any = json.loads(line)
    except (ValueError, RecursionError):
        return None, None
    if not isinstance(value, dict):
        return None, None
    answer = cast("Line", value)
    number = answer.get("id")
    return (number, answer) if type(number) is int else (None, None)
