"""Reading files: flows and their statements. Goes on after an error, so that one run reports all of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from carerails.colang.diagnostics import Rejected, Report
from carerails.colang.expressions import CONSTANTS, Expressions
from carerails.colang.tokens import Line, Token, lines
from carerails.colang.tree import (
    Assign,
    Await,
    Branch,
    Constant,
    Expression,
    File,
    Flow,
    If,
    Import,
    Literals,
    Return,
    Source,
    Statement,
)

MAIN = "main"
_Part = TypeVar("_Part")
_WORD = re.compile(r"[a-z_][a-z0-9_]*")
# Words that end a flow's name for NeMo's grammar.
_NOT_IN_NAMES = frozenset(["and", "or", "as"])
_LOOPS = frozenset(["for", "while", "break", "continue"])
_ACTS = frozenset(
    [
        "match",
        "send",
        "start",
        "stop",
        "activate",
        "deactivate",
        "when",
        "global",
        "log",
        "print",
        "priority",
        "abort",
        "import",
        "bot",
        "user",
    ]
)
# Variables that NeMo's runtime fills itself, and arguments of its own start event.
_RESERVED = frozenset(
    [
        "self",
        "system",
        "context",
        "activated",
        "flow_id",
        "flow_instance_uid",
        "source_flow_instance_uid",
        "source_head_uid",
        "flow_hierarchy_position",
        "flow_start_uid",
        "return_value",
    ]
)


def parse(source: Source, report: Report) -> File:
    """Read one file of the subset; everything wrong goes to `report`, and what could be read is returned."""
    return _Parser(source, report).file_tree()


class _Parser(Expressions):
    def __init__(self, source: Source, report: Report) -> None:
        super().__init__(source.name, report)
        self.source = source
        self.lines = list(lines(source.text))
        self.index = 0

    # --- lines

    @property
    def line(self) -> Line | None:
        return self.lines[self.index] if self.index < len(self.lines) else None

    def next_line(self, line: Line) -> None:
        """Go to the line's first token; only `if` and `elif` may be broken before and/or."""
        self.open(line)
        self.index += 1
        if line.broken and line.tokens[0].text not in ("if", "elif"):
            self.note("broken-line", line.broken, [line.broken.text])

    def skip_block(self, indent: int) -> None:
        """Leave what is indented under a line that could not be read."""
        while self.line and self.line.indent > indent:
            self.index += 1

    # --- top level

    def file_tree(self) -> File:
        flows: list[Flow] = []
        imports: list[Import] = []
        while line := self.line:
            try:
                if line.is_comment:
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
        if [token.text for token in line.tokens[1:3]] == [MAIN, ""] or line.tokens[1].text == MAIN:
            return self.main(self.lines[first], line)
        meta = self.meta(self.lines[first : self.index])
        self.next_line(line)
        header = self.header(meta)
        body, doc = self.flow_body(line)
        return replace(header, body=body, doc=doc)

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
        while self.token.kind != "end" and self.token.kind != "variable" and self.token.text not in ("->", "("):
            word = self.take()
            if word.kind != "name" or not _WORD.fullmatch(word.text) or word.text in _NOT_IN_NAMES:
                self.note("flow-name", word, [word.text])
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

    def new_name(self, token: Token, taken: list[str]) -> str:
        """A variable that is given a value here."""
        name = token.text[1:]
        if name in _RESERVED or name.startswith("_"):
            self.note("reserved-name", token, [name])
        if name in taken:
            self.note("duplicate-parameter", token, [name])
        return name

    # --- blocks and statements

    def flow_body(self, header: Line) -> tuple[tuple[Statement, ...], str]:
        """The statements of a flow, and its docstring."""
        index = self.index
        while (line := self.line) and line.is_comment and line.indent > header.indent:
            self.index += 1
        doc = ""
        if line and line.indent > header.indent and line.tokens[0].kind == "doc" and len(line.tokens) == 2:
            doc = line.tokens[0].text[3:-3].strip()
            index = self.index + 1
        self.index = index
        following = self.line
        if doc and (not following or following.indent <= header.indent):
            return (), doc
        return self.block(header), doc

    def block(self, header: Line) -> tuple[Statement, ...]:
        first = self.line
        if not first or first.indent <= header.indent:
            self.note("empty-block", header.tokens[-1])
            return ()
        statements: list[Statement] = []
        while (line := self.line) and line.indent > header.indent:
            if line.indent != first.indent:
                before = self.lines[self.index - 1]
                crooked = before.is_comment or line.is_comment
                at = before.tokens[-1] if before.is_comment and not line.is_comment else line.tokens[0]
                self.note("comment-indent" if crooked else "indent", at)
                self.index += 1
            elif line.is_comment:
                self.index += 1
            else:
                try:
                    statements.append(self.statement(line))
                except Rejected:
                    self.skip_block(line.indent)
        after = self.line
        if after and after.is_comment and self.index + 1 < len(self.lines):
            following = self.lines[self.index + 1]
            if not following.is_comment and following.indent > max(header.indent, after.indent):
                self.note("comment-indent", after.tokens[-1])
                self.index += 1
                return (*statements, *self.block(header))
        return tuple(statements)

    def statement(self, line: Line) -> Statement:
        self.next_line(line)
        start = self.token
        if start.kind == "variable":
            return self.assignment()
        if start.text == "if":
            return self.if_statement(line)
        if start.text == "return":
            return self.return_statement()
        if start.kind == "name":
            self.foreign_statement(start)
        self.unexpected("a statement")

    def foreign_statement(self, start: Token) -> None:
        """Fail with the code of what somebody meant."""
        if start.text in ("else", "elif"):
            return
        if start.text in _LOOPS:
            self.fail("loop", start, [start.text])
        if start.text in _ACTS:
            self.fail("impure", start, [start.text])
        if start.text == "await":
            self.fail("unused-await", start)
        if self.ahead().text in ("=", "+=", "-="):
            self.fail("no-dollar", start, [start.text], [start.text])
        if start.text != "pass":
            self.fail("no-await", start)

    def assignment(self) -> Statement:
        target = self.take()
        if self.sees("+=", "-="):
            self.fail("augmented", self.token, [self.token.text])
        self.expect("=")
        name = self.new_name(target, [])
        if self.accept("await"):
            return self.await_call(target, name)
        following = self.ahead()
        if self.token.kind == "name" and self.token.text != "not" and following.kind in ("name", "variable"):
            self.fail("no-await", self.token)
        value = self.test()
        self.expect_end()
        return Assign(target.line, target.column, name, value)

    def await_call(self, target: Token, name: str) -> Await:
        words: list[str] = []
        while self.token.kind == "name":
            word = self.take()
            if word.text in ("and", "or"):
                self.fail("await-group", word, [word.text])
            words.append(word.text)
        if self.sees("("):
            self.fail("await-parentheses", self.token)
        if self.sees("-", ".") and self.ahead().kind == "name":
            self.fail("flow-name", self.token, [self.token.text])
        names: list[str] = []
        values: list[Expression] = []
        while self.token.kind in ("variable", "string", "number") or self.sees("[", "{", *CONSTANTS):
            names.append("")
            if self.token.kind == "variable" and self.ahead().text == "=":
                names[-1] = self.take().text[1:]
                self.take()
            values.append(self.operand())
        if self.sees("and", "or"):
            self.fail("await-group", self.token, [self.token.text])
        if self.token.kind == "operator":
            self.fail("await-argument", self.token, [self.token.text])
        if not words:
            self.unexpected("the name of a flow")
        self.expect_end()
        return Await(target.line, target.column, name, " ".join(words), tuple(names), tuple(values))

    def if_statement(self, line: Line) -> If:
        start = self.token
        branches: list[Branch] = []
        otherwise: tuple[Statement, ...] = ()
        while True:
            word = self.take()
            if word.text == "else":
                if self.sees("if"):
                    self.note("else-if", word)
                    self.take()
                else:
                    self.readable(self.condition_end)
                    otherwise = self.block(line)
                    break
            condition = self.readable(self.condition) or Constant(word.line, word.column, None)
            branches.append(Branch(word.line, word.column, condition, self.block(line)))
            following = self.branch_line(line)
            if not following:
                break
            self.next_line(following)
        return If(start.line, start.column, tuple(branches), otherwise)

    def branch_line(self, line: Line) -> Line | None:
        """The `elif` or `else` that belongs to an `if`; a comment before it must be inside the block above."""
        index = self.index
        while index < len(self.lines) and self.lines[index].is_comment:
            index += 1
        if index == len(self.lines):
            return None
        found = self.lines[index]
        if found.indent != line.indent or found.tokens[0].text not in ("elif", "else"):
            return None
        if index > self.index:
            self.note("comment-indent", self.lines[self.index].tokens[-1])
            self.index = index
        return found

    def readable(self, part: Callable[[], _Part]) -> _Part | None:
        """What can be read of the head of a block: its body is read all the same."""
        try:
            return part()
        except Rejected:
            return None

    def condition(self) -> Expression:
        condition = self.test()
        self.condition_end()
        return condition

    def condition_end(self) -> None:
        if self.sees(":"):
            self.note("colon", self.take())
        self.expect_end()

    def return_statement(self) -> Return:
        start = self.take()
        if self.token.kind == "end":
            self.fail("bare-return", start)
        if self.sees("await"):
            self.fail("return-await", self.token)
        value = self.test()
        self.expect_end()
        return Return(start.line, start.column, value)
