"""Reading files: flows and their statements. Goes on after an error, so that one run reports all of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from carerails.colang.diagnostics import Rejected, Report
from carerails.colang.expressions import CONSTANTS
from carerails.colang.statements import Statements
from carerails.colang.tokens import Line
from carerails.colang.tree import (
    File,
    Flow,
    Import,
    Literals,
    Source,
)

MAIN = "main"
_WORD = re.compile(r"[a-z_][a-z0-9_]*")
# Words that end a flow's name for NeMo's grammar.
_NOT_IN_NAMES = frozenset(["and", "or", "as"])

# Words that NeMo's runtime, which the parser does not ask, refuses at the beginning of one.
_NOT_FIRST = frozenset(["send", "match", "start", "stop", "await", "activate"])


def parse(source: Source, report: Report) -> File:
    """Read one file of the subset; everything wrong goes to `report`, and what could be read is returned."""
    return _Parser(source, report).file_tree()


def pure_flows(flows: Iterable[Flow], report: Report) -> dict[str, Flow]:
    """All flows but `main`, by name; a name may be used once."""
    found: dict[str, Flow] = {}
    mains: list[Flow] = []
    for flow in flows:
        same = mains[0] if flow.name == MAIN and mains else found.get(flow.name)
        if same:
            report.add("duplicate-flow", flow.file, flow.line, flow.column, [flow.name, f"{same.file}:{same.line}"])
        elif flow.name == MAIN:
            mains.append(flow)
        else:
            found[flow.name] = flow
    return found


class _Parser(Statements):
    def file_tree(self) -> File:
        flows: list[Flow] = []
        imports: list[Import] = []
        while line := self.line:
            try:
                if line.is_comment:
                    if line.indent:
                        self.note("comment-indent", line.head)
                    self.index += 1
                elif line.indent:
                    self.next_line(line)
                    self.fail("indent", self.token)
                elif line.tokens[0].text == "import":
                    imports.append(self.import_line(line))
                else:
                    flows.append(self.flow())
            except Rejected:
                self.skip_block(0)
        if imports and not any(flow.name == MAIN for flow in flows):
            for found in imports:
                self.report.add("import", self.file, found.line, found.column)
        return File(self.file, tuple(flows), tuple(imports))

    def import_line(self, line: Line) -> Import:
        self.next_line(line)
        start = self.take()
        return Import(start.line, start.column, "".join(token.text for token in self.tokens[1:-1]))

    def flow(self) -> Flow:
        first = self.index
        while (line := self.line) and line.tokens[0].text == "@":
            self.index += 1
        if not line or line.indent or line.tokens[0].text != "flow":
            here = self.lines[first]
            self.index = max(self.index, first + 1)
            self.open(here)
            if here.tokens[0].text == "@":
                self.fail("decorator-alone", here.tokens[0])
            self.fail("top-level", self.token, [self.token.text])
        if line.tokens[1].text == MAIN and line.tokens[2].kind == "end":
            return self.main(self.lines[first], line)
        meta = self.meta(self.lines[first : self.index])
        self.next_line(line)
        header = self.header(meta)
        self.doc = ""
        body = self.block(line)
        return replace(header, body=body, doc=self.doc)

    def main(self, first: Line, header: Line) -> Flow:
        """Keep the orchestration flow as text."""
        self.index += 1
        self.skip_block(0)
        end = self.line.start if self.line else len(self.source.text)
        token = header.tokens[0]
        return Flow(token.line, token.column, MAIN, self.file, source=self.source.text[first.start : end].rstrip())

    def meta(self, decorators: list[Line]) -> tuple[tuple[str, Literals], ...] | None:
        found: tuple[tuple[str, Literals], ...] | None = None
        for line in decorators:
            try:
                self.open(line)
                start = self.take()
                if not self.sees("meta") or found is not None:
                    self.fail("decorator", start, [self.token.text])
                self.take()
                found = self.meta_arguments()
            except Rejected:
                found = found or ()
        return found

    def meta_arguments(self) -> tuple[tuple[str, Literals], ...]:
        found: list[tuple[str, Literals]] = []
        self.expect("(")
        while not self.sees(")"):
            key = self.take()
            if key.kind != "name":
                self.at -= 1
                self.unexpected('`key="value"`')
            if key.text in dict(found):
                self.note("meta-value", key, [f"{key.text} twice"], ["keep one"])
            self.expect("=")
            value = self.take()
            if value.kind == "string":
                found.append((key.text, self.string(value)))
            elif value.kind == "number":
                found.append((key.text, self.whole(value)))
            elif value.text in CONSTANTS:
                found.append((key.text, CONSTANTS[value.text]))
            else:
                self.at -= 1
                self.unexpected("a string or a number")
            if not self.sees(")"):
                self.expect(",")
        self.take()
        self.expect_end()
        return tuple(found)

    def header(self, meta: tuple[tuple[str, Literals], ...] | None) -> Flow:
        start = self.take()
        words: list[str] = []
        while self.token.kind not in ("end", "variable") and self.token.text not in ("->", "("):
            word = self.take()
            if word.kind != "name" or not _WORD.fullmatch(word.text) or word.text in _NOT_IN_NAMES:
                self.note("flow-name", word, [word.text])
            elif not words and word.text in _NOT_FIRST:
                self.note("flow-keyword", word, [word.text])
            words.append(word.text)
        if not words:
            self.unexpected("the flow's name")
        parameters: list[str] = []
        while self.token.kind == "variable":
            parameters.append(self.new_name(self.take(), parameters))
        results: list[str] = []
        if self.accept("->"):
            while self.token.kind == "variable":
                results.append(self.new_name(self.take(), []))
                if not self.accept(","):
                    break
            if not results:
                self.unexpected("`$name`")
        if self.token.kind != "end":
            self.note("parameters", self.token, [self.token.text])
        return Flow(start.line, start.column, " ".join(words), self.file, tuple(parameters), tuple(results), meta)
