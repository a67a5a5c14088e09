"""The page's server: a handful of questions over HTTP, for this machine and for whoever has the token.

A web page of somebody else runs in the same browser. So the host must be this one (no name that points here), a request
that says where it comes from must come from this page, and every question carries a token that only this page knows.
What the user types is answered and forgotten: no log, no file, no cache, no error message has it.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import sys
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any

from pydantic import Field, ValidationError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from carerails.colang import CompileError
from carerails.config import Settings
from carerails.contracts import Frozen, Locale, Turn
from carerails.errors import UsageError
from carerails.play import answers, page
from carerails.play.drafts import Conflict, Drafts
from carerails.play.runners import Runners

TOKEN = "x-carerails-token"
#: Most bytes of a question.
LARGEST = 4_000_000
NO_STORE = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}
Answer = dict[str, Any]


class Ask(Frozen):
    """What becomes of this text? With drafts: also on these."""

    text: Annotated[str, Field(max_length=200_000)]
    locale: Locale | None = None
    country: Annotated[str, Field(pattern=r"^[A-Z]{2}$")] | None = None
    drafts: Mapping[str, str] = Field(default_factory=dict)


class Consider(Frozen):
    """What would these drafts flip?"""

    drafts: Mapping[str, str]


class Save(Frozen):
    """Write these drafts of files that had these stamps."""

    drafts: Mapping[str, str]
    stamps: Mapping[str, str]


class Playground:
    """Rails, engines and cases behind the page."""

    def __init__(self, drafts: Drafts, runners: Runners, settings: Settings, token: str = "") -> None:
        self.drafts, self.runners, self.settings = drafts, runners, settings
        self.token = token or secrets.token_urlsafe(24)

    async def state(self) -> Answer:
        """What there is, and how far it has come."""
        if await run_in_threadpool(self.drafts.refresh):
            self.runners.restart()
        return {
            "engines": [
                {"name": one.name, "version": one.version, "state": one.state, "why": one.why}
                for one in self.runners.all
            ],
            "cases": self.drafts.cases,
            "broken": self.drafts.broken,
            "files": self.drafts.names(),
        }

    async def decide(self, ask: Ask) -> Answer:
        """Everything about a text."""
        turn = Turn.of(ask.text, locale=ask.locale, country=ask.country)
        drafted = await run_in_threadpool(self.drafts.drafted, ask.drafts)
        policy = drafted or self.runners.policy()
        return await answers.decided(turn, ask.text, self.runners.all, policy, self.settings, drafted is not None)

    async def file(self, name: str) -> Answer:
        """A file of the rails."""
        found = await run_in_threadpool(self.drafts.file, name)
        return {"name": found.name, "text": found.text, "stamp": found.stamp}

    async def consider(self, ask: Consider) -> Answer:
        """What drafts would flip."""
        return answers.considered(await run_in_threadpool(self.drafts.consider, ask.drafts))

    async def save(self, ask: Save) -> Answer:
        """Write drafts, and open the engines anew."""
        await run_in_threadpool(self.drafts.save, ask.drafts, ask.stamps)
        await run_in_threadpool(self.drafts.refresh)
        self.runners.restart()
        return {"files": [await self.file(name) for name in ask.drafts]}


def make_app(playground: Playground, port: int) -> ASGIApp:
    """The server of one playground."""

    async def index(_: Request) -> Response:
        shown, policy = page.render(playground.drafts.root.name, playground.settings, playground.runners.sends)
        headers = NO_STORE | {"Content-Security-Policy": policy + "; frame-ancestors 'none'"}
        return HTMLResponse(shown, headers=headers)

    async def state(_: Request) -> Answer:
        return await playground.state()

    async def file(request: Request) -> Answer:
        return await playground.file(request.query_params.get("name", ""))

    async def decide(request: Request) -> Answer:
        return await playground.decide(Ask.model_validate(await _body(request)))

    async def consider(request: Request) -> Answer:
        return await playground.consider(Consider.model_validate(await _body(request)))

    async def save(request: Request) -> Answer:
        return await playground.save(Save.model_validate(await _body(request)))

    routes = [Route("/", index)]
    for name, answer, method in (
        ("state", state, "GET"),
        ("file", file, "GET"),
        ("decide", decide, "POST"),
        ("consider", consider, "POST"),
        ("save", save, "POST"),
    ):
        routes.append(Route(f"/api/{name}", _answered(answer), methods=[method]))
    return _Guard(Starlette(routes=routes), playground.token, port)


def _answered(answer: Callable[[Request], Awaitable[Answer]]) -> Callable[[Request], Awaitable[Response]]:
    """Mistakes as JSON with their mend; a fault of ours says its kind and place, and nothing that was asked."""

    async def respond(request: Request) -> Response:
        try:
            return JSONResponse(await answer(request), headers=NO_STORE)
        except Conflict as error:
            return _wrong(409, error.what, error.mend, error.where)
        except CompileError:
            return _wrong(422, "does not compile", "mend what is listed")
        except UsageError as error:
            return _wrong(400, error.what, error.mend, error.where)
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False)[0]
            return _wrong(400, f"{'.'.join(map(str, first['loc']))}: {first['type']}", "reload the page")
        except asyncio.CancelledError:
            raise
        except Exception as error:
            trace = error.__traceback__
            while trace and trace.tb_next:
                trace = trace.tb_next
            place = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else ""
            print(f"carerails: internal error: {type(error).__name__} at {place}", file=sys.stderr)  # noqa: T201
            return _wrong(500, f"internal error: {type(error).__name__}", "this is a bug, please report it")

    return respond


async def _body(request: Request) -> Any:
    """The question.

    Raises:
        UsageError: too large, or no JSON.
    """
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > LARGEST:
            raise UsageError("the question is too large", f"at most {LARGEST:,} bytes")
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise UsageError("not JSON", "reload the page") from None


def _wrong(status: int, what: str, mend: str = "", where: str = "") -> JSONResponse:
    return JSONResponse({"error": {"what": what, "mend": mend, "where": where}}, status, headers=NO_STORE)


class _Guard:
    """Lets this page ask and nobody else."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app, self._token = app, token.encode()
        self._hosts = frozenset(f"{name}:{port}".encode() for name in ("127.0.0.1", "localhost"))
        self._origins = frozenset(b"http://" + host for host in self._hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        refused = self._refused(scope["path"], dict(scope["headers"]))
        await (refused or self._app)(scope, receive, send)

    def _refused(self, path: str, headers: Mapping[bytes, bytes]) -> JSONResponse | None:
        if headers.get(b"host") not in self._hosts:
            return _wrong(421, "another host", "open the address that the command printed")
        if headers.get(b"origin", b"") not in self._origins | {b""}:
            return _wrong(403, "asked by another page")
        if path.startswith("/api/") and not secrets.compare_digest(headers.get(TOKEN.encode(), b""), self._token):
            return _wrong(401, "no token, or an old one", "open the address that the command printed")
        return None
