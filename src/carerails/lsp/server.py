"""The language server: what the protocol asks, handed to the modules that know."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types as lsp
from pygls import uris
from pygls.lsp.server import LanguageServer

from carerails import __version__
from carerails.lint import Finding
from carerails.lsp import answers
from carerails.lsp.hits import Slices
from carerails.lsp.pack import Pack, Read
from carerails.lsp.telling import Teller

Answer = TypeVar("Answer")


class RailsServer(LanguageServer):
    """A server for any number of directories of rails.

    Whole documents are sent at each change: pygls applies partial ones by the lines of `str.splitlines`, which are not
    those of the protocol.
    """

    def __init__(self) -> None:
        super().__init__(  # pyright: ignore[reportUnknownMemberType]
            "carerails", __version__, lsp.TextDocumentSyncKind.Full
        )
        self.packs: dict[Path, Pack] = {}
        self.slices = Slices()
        self.teller = Teller(self.publish, self.complain)

    def units(self, text: str) -> int:
        """Code units of a text, as this client counts."""
        return self.workspace.position_codec.client_num_units(text)

    def located(self, uri: str) -> tuple[Pack, str] | None:
        """The rails that a document belongs to, and its name in them; None for one that is no file."""
        path = uris.to_fs_path(uri)
        if not path or not uri.startswith("file:"):
            return None
        file = Path(path)
        root = Pack.root_of(file)  # each time: a directory below with its own `main.co` is a policy of its own
        pack = self.packs.get(root)
        if pack is None:
            pack = self.packs[root] = Pack(root)
        return pack, file.relative_to(root).as_posix()

    def read(self, uri: str) -> tuple[Pack, Read] | None:
        """A document as it stands."""
        located = self.located(uri)
        read = located[0].read(located[1]) if located else None
        return (located[0], read) if located and read else None

    def asker(self, pack: Pack, read: Read) -> answers.Asker:
        """Who asks about that document."""
        return answers.Asker(pack, read, self.units)

    def publish(self, pack: Pack, name: str, findings: list[Finding]) -> None:
        """Tell what is wrong with a file."""
        read = pack.read(name)
        lines = self.asker(pack, read) if read else None
        shown = [answers.diagnostic(finding, lines) for finding in findings]
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(answers.uri_of(pack, name), shown))

    def complain(self, what: str) -> None:
        """Show a line to whoever edits."""
        self.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Warning, f"carerails: {what}"))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Say what kind of fault it was and no more: its message may quote a text."""
        del source
        print(f"carerails: fault in the language server: {type(error).__name__}", file=sys.stderr)  # noqa: T201


def make_server() -> RailsServer:
    """A server with all its features."""
    server = RailsServer()
    _documents(server)
    _questions(server)
    return server


def _documents(server: RailsServer) -> None:
    """Documents that open, change, and close, and files that change beside them."""

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        took(params.text_document.uri, params.text_document.text)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        took(params.text_document.uri, server.workspace.get_text_document(params.text_document.uri).source)

    def took(uri: str, text: str) -> None:
        if located := server.located(uri):
            pack, name = located
            pack.open[name] = text
            server.teller.changed(pack, name)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: lsp.DidSaveTextDocumentParams) -> None:
        refreshed([params.text_document.uri])

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        if located := server.located(params.text_document.uri):
            pack, name = located
            pack.open.pop(name, None)
            refreshed([params.text_document.uri])

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def changed_on_disk(params: lsp.DidChangeWatchedFilesParams) -> None:
        refreshed([change.uri for change in params.changes])

    def refreshed(uri_list: list[str]) -> None:
        for pack, name in filter(None, map(server.located, uri_list)):
            pack.refresh()
            server.teller.changed(pack, name)

    @server.feature(lsp.INITIALIZED)
    async def ready(_: lsp.InitializedParams) -> None:
        """Ask to be told of files that come, go and change; a client that cannot tell is asked nothing."""
        files = server.client_capabilities.workspace and server.client_capabilities.workspace.did_change_watched_files
        if files and files.dynamic_registration:
            watched = lsp.DidChangeWatchedFilesRegistrationOptions([lsp.FileSystemWatcher("**/*.co")])
            asked = lsp.Registration("rails", lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, watched)
            await server.client_register_capability_async(lsp.RegistrationParams([asked]))

    @server.feature(lsp.SHUTDOWN)
    def shut_down(_: None) -> None:
        server.teller.close()


def _questions(server: RailsServer) -> None:
    """What is asked about a place in a document."""

    def asked(params: Any, answer: Callable[[answers.Asker], Answer]) -> Answer | None:
        found = server.read(params.text_document.uri)
        return answer(server.asker(*found)) if found else None

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def definition(params: lsp.DefinitionParams) -> list[lsp.Location] | None:
        return asked(params, lambda asker: asker.definitions(params.position))

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    def references(params: lsp.ReferenceParams) -> list[lsp.Location] | None:
        return asked(params, lambda asker: asker.references(params.position, params.context.include_declaration))

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def symbols(params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol] | None:
        return asked(params, answers.outline)

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=['"', "$", "@", " "]))
    def completion(params: lsp.CompletionParams) -> lsp.CompletionList | None:
        item = server.client_capabilities.text_document and server.client_capabilities.text_document.completion
        snippets = bool(item and item.completion_item and item.completion_item.snippet_support)
        return asked(params, lambda asker: asker.completion(params.position, snippets))

    @server.feature(
        lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix])
    )
    def actions(params: lsp.CodeActionParams) -> list[lsp.CodeAction] | None:
        return asked(
            params,
            lambda asker: asker.fixes(params.range, server.teller.told(asker.pack, asker.read.name), params.context),
        )

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    async def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        """In a thread: the first time, cases are read, and a pattern is tried on all of them."""
        found = server.read(params.text_document.uri)
        if not found:
            return None
        return await asyncio.to_thread(server.asker(*found).hover, params.position, server.slices)


def serve() -> int:
    """Speak the protocol on stdin and stdout until the client says goodbye.

    Whatever else would write to stdout goes to stderr: one stray line ends the conversation.
    """
    protocol = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    make_server().start_io(sys.stdin.buffer, protocol)
    return 0
