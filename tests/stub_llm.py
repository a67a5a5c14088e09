"""A real server on loopback that speaks OpenAI's chat completions and answers what the test scripts.

    with StubLLM() as llm:
        llm.script(answers({"kind": "answer", "text": "Keep it cool. [cite:x]", "citations": ["x"]}), status(429))
        ...  # point the code under test at llm.base_url, or set llm.environment
        assert llm.count == 2
        assert "555-0100" not in llm.sent

Each request takes the next reply of the script; the last one is repeated for all that follow. Without a script every
request is answered 500, so that a call nobody expected cannot pass. `tests/conftest.py`-style use:
`from tests.stub_llm import StubLLM, stub_llm` makes the fixture `stub_llm` available in a module.

What is sent is recorded whole (`requests`, `sent`), other paths than chat completions too (`strays`): a test can show
that nothing left for anywhere else. No sleeps: a slow reply waits on an event that ends when the server stops.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, ClassVar, cast

import pytest


@dataclass(frozen=True)
class Scripted:
    """One reply: a status and a body, after `delay_s` seconds."""

    status: int = 200
    body: bytes = b"{}"
    delay_s: float = 0.0
    headers: tuple[tuple[str, str], ...] = ()

    def after(self, seconds: float) -> Scripted:
        """The same reply, late."""
        return replace(self, delay_s=seconds)


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


def completion(message: dict[str, Any], *, finish: str = "stop") -> Scripted:
    """A well-formed completion with any assistant message."""
    body = {
        "id": "chatcmpl-stub",
        "object": "chat.completion",
        "created": 0,
        "model": "stub",
        "choices": [
            {"index": 0, "finish_reason": finish, "logprobs": None, "message": {"role": "assistant", **message}}
        ],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }
    return Scripted(body=json.dumps(body).encode())


def answers(value: object) -> Scripted:
    """The model answers this value as JSON (good, a field missing, out of range, a wrong citation: all are values)."""
    return says(json.dumps(value))


def says(text: str) -> Scripted:
    """The model answers exactly this text: malformed JSON, a preamble, prose."""
    return completion({"content": text})


def fenced(value: object) -> Scripted:
    """The model answers JSON inside a Markdown code fence."""
    return says(f"```json\n{json.dumps(value, indent=1)}\n```")


def refuses(text: str = "I'm sorry, I can't help with that.") -> Scripted:
    """The model refuses, in the field that is made for it."""
    return completion({"content": None, "refusal": text})


def cut_off(text: str) -> Scripted:
    """The model ran out of tokens in the middle."""
    return completion({"content": text}, finish="length")


def status(code: int) -> Scripted:
    """An error of the endpoint; 429 asks to come back at once, so that retries cost no time."""
    body = {"error": {"message": "scripted error", "type": "stub", "code": None, "param": None}}
    return Scripted(status=code, body=json.dumps(body).encode(), headers=(("retry-after-ms", "1"),))


def raw(body: bytes | str, code: int = 200) -> Scripted:
    """Any body: not JSON, `{}`, a page of a proxy."""
    return Scripted(status=code, body=body.encode() if isinstance(body, str) else body)


@dataclass
class _State:
    script: list[Scripted] = field(default_factory=list[Scripted])
    seen: list[Recorded] = field(default_factory=list[Recorded])
    lock: threading.Lock = field(default_factory=threading.Lock)
    stopped: threading.Event = field(default_factory=threading.Event)

    def record(self, request: Recorded) -> Scripted:
        with self.lock:
            self.seen.append(request)
            if not request.path.endswith("/chat/completions"):
                return status(404)
            if not self.script:
                return status(500)
            return self.script.pop(0) if len(self.script) > 1 else self.script[0]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # five by default: a burst of tests would be turned away


class StubLLM:
    """The server. A context manager; `base_url` is ready inside."""

    def __init__(self) -> None:
        self._state = _State()
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

    def script(self, *replies: Scripted) -> None:
        """Set what the next requests get, and forget the requests so far."""
        with self._state.lock:
            self._state.script = list(replies)
            self._state.seen = []

    @property
    def requests(self) -> list[Recorded]:
        """Chat requests since the script was set, in order."""
        with self._state.lock:
            return [one for one in self._state.seen if one.path.endswith("/chat/completions")]

    @property
    def strays(self) -> list[Recorded]:
        """Requests to any other path."""
        with self._state.lock:
            return [one for one in self._state.seen if not one.path.endswith("/chat/completions")]

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
            reply = state.record(Recorded(self.path, {k.lower(): v for k, v in self.headers.items()}, text))
            if reply.delay_s:
                state.stopped.wait(reply.delay_s)
            try:
                self.send_response(reply.status)
                for name, value in (*reply.headers, ("content-type", "application/json")):
                    self.send_header(name, value)
                self.send_header("content-length", str(len(reply.body)))
                self.end_headers()
                self.wfile.write(reply.body)
            except OSError:
                self.close_connection = True  # the client gave up waiting, as it should

        do_GET = do_PUT = do_PATCH = do_POST

        def log_message(self, format: str, *args: Any) -> None: ...

    return Handler


@pytest.fixture
def stub_llm() -> Iterator[StubLLM]:
    """A running server; nothing is scripted."""
    with StubLLM() as server:
        yield server
