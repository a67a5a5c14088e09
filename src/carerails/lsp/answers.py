"""Answers in the protocol's own words: places become ranges of the client, findings become diagnostics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types as lsp
from pygls import uris

from carerails.lint import Edit, Finding, Severity
from carerails.lsp import completion as completing
from carerails.lsp import hover as hovering
from carerails.lsp.hits import Slices
from carerails.lsp.pack import Pack, Read
from carerails.lsp.symbols import Mark
from carerails.lsp.text import Units

SOURCE = "carerails"
_SEVERITY: dict[Severity, lsp.DiagnosticSeverity] = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "info": lsp.DiagnosticSeverity.Information,
}
_ITEM: dict[completing.What, lsp.CompletionItemKind] = {
    "flow": lsp.CompletionItemKind.Function,
    "slug": lsp.CompletionItemKind.Constant,
    "category": lsp.CompletionItemKind.Class,
    "key": lsp.CompletionItemKind.Property,
    "value": lsp.CompletionItemKind.EnumMember,
    "variable": lsp.CompletionItemKind.Variable,
    "keyword": lsp.CompletionItemKind.Keyword,
}
#: A flow's symbol by the kind of its meta; one without is a vocabulary or a helper.
_SYMBOL = {
    "red-flag": lsp.SymbolKind.Event,
    "scope": lsp.SymbolKind.Interface,
    "template": lsp.SymbolKind.String,
    "": lsp.SymbolKind.Function,
}


@dataclass(frozen=True)
class Asker:
    """A document, and how its client counts."""

    pack: Pack
    read: Read
    units: Units

    def position(self, line: int, column: int) -> lsp.Position:
        """A place in this document, from 1, as the client counts it."""
        return lsp.Position(*self.read.lines.to_client(line, column, self.units))

    def range(self, line: int, column: int, end_line: int, end_column: int) -> lsp.Range:
        """From a place to another."""
        return lsp.Range(self.position(line, column), self.position(end_line, end_column))

    def place(self, position: lsp.Position) -> tuple[int, int]:
        """A position of the client as line and column from 1."""
        return self.read.lines.from_client(position.line, position.character, self.units)

    def definitions(self, position: lsp.Position) -> list[lsp.Location]:
        """Where the name there is defined; of a variable, where it last was given a value above."""
        mark = self._mark(position)
        if not mark:
            return []
        places = self.pack.symbol(self.read.name, mark).places
        found = [place for place in places if place[1].defines]
        if mark.kind == "variable":
            above = [place for place in found if (place[1].line, place[1].start) <= (mark.line, mark.start)]
            found = above[-1:] or found[:1]
        return [self._location(*place) for place in found]

    def references(self, position: lsp.Position, definitions: bool) -> list[lsp.Location]:
        """Everywhere that the name there stands."""
        mark = self._mark(position)
        places = self.pack.symbol(self.read.name, mark).places if mark else ()
        return [self._location(*place) for place in places if definitions or not place[1].defines]

    def hover(self, position: lsp.Position, slices: Slices) -> lsp.Hover | None:
        """What is known of the name or the string there."""
        line, column = self.place(position)
        mark = self._mark(position)
        text = hovering.about_name(self.pack, self.read.name, mark) if mark else ""
        if not text and self.read.is_examples:
            text = hovering.about_example(self.read, line)
        elif not text:
            text = hovering.about_string(self.pack, self.read, line, column, slices)
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text)) if text else None

    def completion(self, position: lsp.Position, snippets: bool) -> lsp.CompletionList:
        """What may be written there."""
        line, column = self.place(position)
        offers = completing.offers(self.pack, self.read, line, column)
        return lsp.CompletionList(False, [self._item(offer, line, column, snippets) for offer in offers])

    def fixes(
        self, wanted: lsp.Range, findings: Sequence[Finding], context: lsp.CodeActionContext
    ) -> list[lsp.CodeAction]:
        """The mechanical fixes of the findings on these lines."""
        if context.only and not any(lsp.CodeActionKind.QuickFix.startswith(kind) for kind in context.only):
            return []
        return [
            lsp.CodeAction(
                title=finding.mend[:1].upper() + finding.mend[1:],
                kind=lsp.CodeActionKind.QuickFix,
                diagnostics=[diagnostic(finding, self)],
                is_preferred=True,
                edit=lsp.WorkspaceEdit({uri_of(self.pack, self.read.name): [self._edit(edit) for edit in finding.fix]}),
            )
            for finding in findings
            if finding.fix and wanted.start.line <= finding.line - 1 <= wanted.end.line
        ]

    def _mark(self, position: lsp.Position) -> Mark | None:
        return self.pack.mark_at(self.read.name, *self.place(position))

    def _location(self, name: str, mark: Mark) -> lsp.Location:
        read = self.pack.read(name)
        asker = Asker(self.pack, read, self.units) if read else self
        return lsp.Location(uri_of(self.pack, name), asker.range(mark.line, mark.start, mark.line, mark.end))

    def _edit(self, edit: Edit) -> lsp.TextEdit:
        return lsp.TextEdit(self.range(edit.line, edit.column, edit.end_line, edit.end_column), edit.text)

    def _item(self, offer: completing.Offer, line: int, column: int, snippets: bool) -> lsp.CompletionItem:
        snippet = snippets and bool(offer.insert)
        return lsp.CompletionItem(
            label=offer.label,
            kind=_ITEM[offer.what],
            detail=offer.detail or None,
            filter_text=offer.label,
            insert_text_format=lsp.InsertTextFormat.Snippet if snippet else lsp.InsertTextFormat.PlainText,
            text_edit=lsp.TextEdit(
                self.range(line, offer.start, line, column), offer.insert if snippet else offer.label
            ),
        )


def outline(asker: Asker) -> list[lsp.DocumentSymbol]:
    """The flows of a file, or the groups of its examples."""
    read = asker.read
    heads = [mark for mark in read.marks if mark.kind in ("flow", "examples") and (mark.defines or read.is_examples)]
    kinds = {flow.line: dict(flow.meta or ()) for flow in read.flows}
    found: list[lsp.DocumentSymbol] = []
    for mark, after in zip(heads, [*heads[1:], None], strict=True):
        meta = kinds.get(mark.line, {})
        last = (after.line if after else len(read.lines.lines) + 1) - 1
        while last > mark.line and not _belongs(read.lines.line(last)):
            last -= 1
        found.append(
            lsp.DocumentSymbol(
                name=mark.name,
                detail=str(meta.get("severity") or meta.get("slug") or "") or None,
                kind=_SYMBOL.get(str(meta.get("kind", "")), lsp.SymbolKind.Event)
                if not read.is_examples
                else lsp.SymbolKind.Array,
                range=asker.range(mark.line, 1, last, len(read.lines.line(last)) + 1),
                selection_range=asker.range(mark.line, mark.start, mark.line, mark.end),
            )
        )
    return found


def diagnostic(finding: Finding, asker: Asker | None) -> lsp.Diagnostic:
    """A finding as editors show it; of a file that cannot be read, at its first character."""
    zero = lsp.Position(0, 0)
    where = asker.range(finding.line, finding.column, finding.line, finding.end_column) if asker else None
    return lsp.Diagnostic(
        range=where or lsp.Range(zero, zero),
        message=f"{finding.message} ({finding.mend})" if finding.mend else finding.message,
        severity=_SEVERITY[finding.severity],
        code=finding.code,
        source=SOURCE,
    )


def uri_of(pack: Pack, name: str) -> str:
    """Address of a file of the rails."""
    found = uris.from_fs_path(str(Path(pack.root, name)))
    assert found is not None
    return found


def _belongs(line: str) -> bool:
    """Whether a line belongs to the flow above it, and is not the head of the next."""
    return bool(line.strip()) and not line.startswith(("#", "@"))
