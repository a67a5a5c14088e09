"""An editor: a real client of the protocol, talking to the real server over its stdin and stdout."""

from __future__ import annotations

import asyncio
import shutil
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

Answer = TypeVar("Answer")
WAIT_S = 20.0


class Editor:
    """A client with documents. Every call waits for the answer; positions are the protocol's."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.client = LanguageClient("test", "1")
        self.told: dict[str, list[lsp.Diagnostic]] = {}
        self._news = threading.Condition()
        self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(self._publisher())
        self.client.feature(lsp.CLIENT_REGISTER_CAPABILITY)(_agree)
        start: Any = getattr(self.client, "start_io")  # noqa: B009  its type is partly unknown
        self.do(start(sys.executable, "-m", "carerails", "rails", "lsp"))
        self.server: lsp.InitializeResult = self.do(self.client.initialize_async(self._hello()))
        self.now(lambda: self.client.initialized(lsp.InitializedParams()))

    def _publisher(self) -> Callable[[lsp.PublishDiagnosticsParams], None]:
        """A function: pygls cannot mark a method."""

        def publish(params: lsp.PublishDiagnosticsParams) -> None:
            with self._news:
                self.told[params.uri] = list(params.diagnostics)
                self._news.notify_all()

        return publish

    @staticmethod
    def _hello() -> lsp.InitializeParams:
        item = lsp.ClientCompletionItemOptions(snippet_support=True)
        document = lsp.TextDocumentClientCapabilities(completion=lsp.CompletionClientCapabilities(completion_item=item))
        files = lsp.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True)
        workspace = lsp.WorkspaceClientCapabilities(did_change_watched_files=files)
        return lsp.InitializeParams(capabilities=lsp.ClientCapabilities(workspace=workspace, text_document=document))

    def do(self, coroutine: Coroutine[Any, Any, Answer]) -> Answer:
        """Wait for an answer."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(WAIT_S)

    def now(self, act: Callable[[], object]) -> None:
        """Send a notification."""

        async def run() -> None:
            act()

        self.do(run())

    def open(self, path: Path, text: str | None = None) -> str:
        """Open a document as it is on disk, or as somebody has changed it."""
        uri = path.as_uri()
        said = path.read_bytes().decode() if text is None else text
        item = lsp.TextDocumentItem(uri, "colang", 1, said)
        self.now(lambda: self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item)))
        return uri

    def type(self, uri: str, text: str, version: int = 2) -> None:
        """Change a document without saving it."""
        whole = lsp.TextDocumentContentChangeWholeDocument(text)
        document = lsp.VersionedTextDocumentIdentifier(version, uri)
        params = lsp.DidChangeTextDocumentParams(document, [whole])
        self.now(lambda: self.client.text_document_did_change(params))

    def close(self, uri: str) -> None:
        """Close a document; what was not saved is gone."""
        params = lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(uri))
        self.now(lambda: self.client.text_document_did_close(params))

    def watched(self, *changes: tuple[Path, lsp.FileChangeType]) -> None:
        """Tell of changes on disk."""
        events = [lsp.FileEvent(path.as_uri(), kind) for path, kind in changes]
        params = lsp.DidChangeWatchedFilesParams(events)
        self.now(lambda: self.client.workspace_did_change_watched_files(params))

    def wait(self, uri: str, holds: Callable[[list[lsp.Diagnostic]], bool]) -> list[lsp.Diagnostic]:
        """Wait until what is told of a document is as wanted."""
        with self._news:
            found = self._news.wait_for(lambda: uri in self.told and holds(self.told[uri]), WAIT_S)
            assert found, self.told.get(uri)
            return self.told[uri]

    def codes(self, uri: str) -> list[str]:
        """Codes of what was told last."""
        return [str(found.code) for found in self.told.get(uri, [])]

    def hover(self, uri: str, line: int, character: int) -> str:
        """What is shown at a place."""
        params = lsp.HoverParams(lsp.TextDocumentIdentifier(uri), lsp.Position(line, character))
        hover = self.do(self.client.text_document_hover_async(params))
        if hover is None:
            return ""
        assert isinstance(hover.contents, lsp.MarkupContent)
        return hover.contents.value

    def labels(self, uri: str, line: int, character: int) -> dict[str, lsp.CompletionItem]:
        """What is offered at a place."""
        params = lsp.CompletionParams(lsp.TextDocumentIdentifier(uri), lsp.Position(line, character))
        offered = self.do(self.client.text_document_completion_async(params))
        assert isinstance(offered, lsp.CompletionList)
        return {item.label: item for item in offered.items}

    def definition(self, uri: str, line: int, character: int) -> list[tuple[str, int, int, int]]:
        """Where a name is defined."""
        params = lsp.DefinitionParams(lsp.TextDocumentIdentifier(uri), lsp.Position(line, character))
        return places(self.do(self.client.text_document_definition_async(params)))

    def references(self, uri: str, line: int, character: int) -> list[tuple[str, int, int, int]]:
        """Where a name stands."""
        context = lsp.ReferenceContext(include_declaration=False)
        document, position = lsp.TextDocumentIdentifier(uri), lsp.Position(line, character)
        params = lsp.ReferenceParams(context, document, position)
        return places(self.do(self.client.text_document_references_async(params)))

    def fixes(self, uri: str, line: int) -> list[lsp.CodeAction]:
        """What is offered to mend a line."""
        where = lsp.Range(lsp.Position(line, 0), lsp.Position(line, 0))
        document, context = lsp.TextDocumentIdentifier(uri), lsp.CodeActionContext([])
        params = lsp.CodeActionParams(document, where, context)
        found = self.do(self.client.text_document_code_action_async(params))
        return [action for action in found or [] if isinstance(action, lsp.CodeAction)]

    def leave(self) -> int | None:
        """Say goodbye; the server's exit code."""
        self.do(self.client.shutdown_async(None))
        self.now(lambda: self.client.exit(None))
        server = self.client._server  # pyright: ignore[reportPrivateUsage]
        code = self.do(asyncio.wait_for(server.wait(), WAIT_S)) if server else None
        self.do(self.client.stop())
        self.loop.call_soon_threadsafe(self.loop.stop)
        return code


def _agree(_: lsp.RegistrationParams) -> None:
    """Nothing to do."""


def places(found: Any) -> list[tuple[str, int, int, int]]:
    """File, line, and first and last character of each location."""
    locations: list[lsp.Location] = list(found or [])
    return [
        (one.uri.rsplit("/", 1)[1], one.range.start.line, one.range.start.character, one.range.end.character)
        for one in locations
    ]


def find(text: str, needle: str) -> tuple[int, int]:
    """Line and character, from 0 and in UTF-16, of a piece of text."""
    at = text.index(needle)
    begin = text.rfind("\n", 0, at) + 1
    return text.count("\n", 0, at), len(text[begin:at].encode("utf-16-le")) // 2


@pytest.fixture(scope="session")
def editor() -> Iterator[Editor]:
    """One editor for all tests, each of which opens rails of its own."""
    opened = Editor()
    yield opened
    assert opened.leave() == 0


@pytest.fixture
def mine(rails: Path, tmp_path: Path) -> Path:
    """Small rails that a test may change."""
    return Path(shutil.copytree(rails, tmp_path / "rails"))
