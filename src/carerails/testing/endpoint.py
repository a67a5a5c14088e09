"""A real server on loopback that speaks OpenAI's chat completions and answers what the test scripts.

    with StubLLM() as llm:
        llm.script(answers({"kind": "answer", "text": "Keep it cool. [cite:x]", "citations": ["x"]}), status(429))
        ...  # point the code under test at llm.base_url, or set llm.environment
        assert llm.count == 2
        assert "555-0100" not in llm.sent

Each request takes the next reply of the script; the last one is repeated for all that follow. A function in the script
is given the request and makes the reply. Without a script every request is answered 500, so that a call nobody expected
cannot pass. A request with `"stream": true` gets a completion as server-sent events.

What is sent is recorded whole (`requests`, `sent`), other paths than chat completions too (`strays`): a test can show
that nothing left for anywhere else. No sleeps: a slow reply waits on an event that ends when the server stops.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, ClassVar, Literal, Union, cast


@dataclass(frozen=True)
class Scripted:
    """One reply.

    Attributes:
        status: of HTTP.
        body: whole.
        delay_s: seconds before the first byte.
        headers: beside type and length.
        events: what a request that asks for a stream gets in place of the body; none: the body all the same.
        pause_s: seconds between two events.
        drop: the connection ends before the first byte, or halfway through the body or the events.
    """

    status: int = 200
    body: bytes = b"{}"
    delay_s: float = 0.0
    headers: tuple[tuple[str, str], ...] = ()
    events: tuple[bytes, ...] = ()
    pause_s: float = 0.0
    drop: Literal["before", "midway"] | None = None

    def after(self, seconds: float) -> Scripted:
        """The same reply, late."""
        return replace(self, delay_s=seconds)

    def slowly(self, seconds: float) -> Scripted:
        """The same reply; streamed, with a pause before each event."""
        return replace(self, pause_s=seconds)

    def dropped(self) -> Scripted:
        """The connection ends instead of a reply."""
        return replace(self, drop="before")

    def cut_short(self) -> Scripted:
        """The connection ends in the middle of the reply."""
        return replace(self, drop="midway")


@dataclass(frozen=True)
class Recorded:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    text: str

    @property
    def body(self) -> dict[str, Any]:
        """The JSON of the request."""
        return cast("dict[str, Any]", json.loads(self.text))

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The chat messages in it."""
        return cast("list[dict[str, Any]]", self.body["messages"])

    @property
    def wants_stream(self) -> bool:
        """Whether it asks for server-sent events."""
        try:
            return self.body.get("stream") is True
        except (ValueError, AttributeError):
            return False


#: A line of the script: a reply, or what makes one of the request.
Line = Union[Scripted, Callable[[Recorded], Scripted]]  # noqa: UP007  evaluated on Python 3.10

_UNEXPECTED, _NO_SUCH_PATH = Scripted(status=500), Scripted(status=404)


@dataclass
class _State:
    path: str
    script: list[Line] = field(default_factory=list[Line])
    seen: list[Recorded] = field(default_factory=list[Recorded])
    lock: threading.Lock = field(default_factory=threading.Lock)
    stopped: threading.Event = field(default_factory=threading.Event)

    def record(self, request: Recorded) -> Scripted:
        with self.lock:
            self.seen.append(request)
            if not request.path.endswith(self.path):
                return _NO_SUCH_PATH
            if not self.script:
                return _UNEXPECTED
            line = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        return line(request) if callable(line) else line


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # five by default: a burst of tests would be turned away


class StubLLM:
    """The server. A context manager; `base_url` is ready inside.

    Args:
        path: the end of the one path that the script answers, for endpoints of another kind.
    """

    def __init__(self, path: str = "/chat/completions") -> None:
        self._state = _State(path)
        self._server = _Server(("127.0.0.1", 0), _handler(self._state))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> StubLLM:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._state.stopped.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def root(self) -> str:
        """The server's address without `/v1`."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def base_url(self) -> str:
        """What `OPENAI_BASE_URL` takes."""
        return f"{self.root}/v1"

    @property
    def environment(self) -> dict[str, str]:
        """Variables that point a model client here."""
        return {"OPENAI_API_KEY": "stub", "OPENAI_BASE_URL": self.base_url, "CARERAILS_MODEL": "stub"}

    def script(self, *lines: Line) -> None:
        """Set what the next requests get, and forget the requests so far."""
        with self._state.lock:
            self._state.script = list(lines)
            self._state.seen = []

    @property
    def requests(self) -> list[Recorded]:
        """Requests to the path since the script was set, in order."""
        with self._state.lock:
            return [one for one in self._state.seen if one.path.endswith(self._state.path)]

    @property
    def strays(self) -> list[Recorded]:
        """Requests to any other path."""
        with self._state.lock:
            return [one for one in self._state.seen if not one.path.endswith(self._state.path)]

    @property
    def count(self) -> int:
        """How many chat requests came."""
        return len(self.requests)

    @property
    def sent(self) -> str:
        """All that was sent here, strays too, for assertions that something was not."""
        with self._state.lock:
            return "\n".join(f"{one.path}\n{one.headers}\n{one.text}" for one in self._state.seen)


def _handler(state: _State) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm: ClassVar[bool] = True  # 44 ms a call otherwise

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            text = self.rfile.read(length).decode("utf-8", "replace")
            request = Recorded(self.path, {k.lower(): v for k, v in self.headers.items()}, text)
            reply = state.record(request)
            if reply.delay_s:
                state.stopped.wait(reply.delay_s)
            try:
                if reply.drop != "before":
                    self._stream(reply) if reply.events and request.wants_stream else self._whole(reply)
                if reply.drop:
                    self._hang_up()
            except OSError:
                self.close_connection = True  # the client gave up waiting, as it should

        do_GET = do_PUT = do_PATCH = do_POST

        def _whole(self, reply: Scripted) -> None:
            self._head(reply, "application/json", ("content-length", str(len(reply.body))))
            self.wfile.write(reply.body[: len(reply.body) // 2] if reply.drop else reply.body)

        def _stream(self, reply: Scripted) -> None:
            self._head(reply, "text/event-stream", ("transfer-encoding", "chunked"))
            for chunk in self._chunks(reply):
                self.wfile.write(chunk)
                self.wfile.flush()

        def _chunks(self, reply: Scripted) -> Iterator[bytes]:
            for event in reply.events[: len(reply.events) // 2] if reply.drop else reply.events:
                if reply.pause_s:
                    state.stopped.wait(reply.pause_s)
                yield b"%x\r\n%s\r\n" % (len(event), event)
            if not reply.drop:
                yield b"0\r\n\r\n"

        def _head(self, reply: Scripted, kind: str, length: tuple[str, str]) -> None:
            self.send_response(reply.status)
            for name, value in (*reply.headers, ("content-type", kind), length):
                self.send_header(name, value)
            self.end_headers()

        def _hang_up(self) -> None:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)

        def log_message(self, format: str, *args: Any) -> None: ...

    return Handler
