"""Reading statements and blocks of a pure flow."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from carerails.colang.diagnostics import Rejected, Report
from carerails.colang.expressions import CONSTANTS, Expressions
from carerails.colang.tokens import Line, Token, lines
from carerails.colang.tree import Act, Assign, Await, Branch, Constant, Expression, If, Return, Source, Statement

_Part = TypeVar("_Part")
_ACTION = re.compile(r"[A-Z]\w*Action")
_LOOPS = frozenset(["for", "while", "break", "continue"])
_ACTS = frozenset(
    ["match", "send", "start", "stop", "activate", "deactivate", "when", "global", "log", "print", "priority", "abort"]
)
# Variables that NeMo's runtime fills itself.
_FILLED = ("self", "system", "context", "activated", "return_value")
# Arguments of its own start event.
_STARTING = ("flow_id", "flow_instance_uid", "source_flow_instance_uid", "source_head_uid", "flow_hierarchy_position")
_RESERVED = frozenset((*_FILLED, *_STARTING))


class Statements(Expressions):
    """A cursor over the logical lines of one file. A statement that cannot be read is reported and left out."""

    def __init__(self, source: Source, report: Report) -> None:
        super().__init__(source.name, report)
        self.source = source
        self.lines = list(lines(source.text))
        self.index = 0
        self.doc = ""

    @property
    def line(self) -> Line | None:
        """The next logical line."""
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

    def new_name(self, token: Token, taken: list[str]) -> str:
        """A variable that is given a value here."""
        name = token.text[1:]
        if name in _RESERVED or name.startswith("_"):
            self.note("reserved-name", token, [name])
        if name in taken:
            self.note("duplicate-parameter", token, [name])
        return name

    def block(self, header: Line) -> tuple[Statement, ...]:
        """What is indented under a line."""
        first = self.line
        if not first or first.indent <= header.indent:
            self.note("empty-block", header.tokens[-1])
            return ()
        statements: list[Statement] = []
        while (line := self.line) and line.indent > header.indent:
            if line.indent != first.indent:
                before = self.lines[self.index - 1]
                # A comment out of place moves the line behind it out of its block.
                culprit = before if before.is_comment and not line.is_comment else line
                self.note("comment-indent" if culprit.is_comment else "indent", culprit.head)
                self.index += 1
            elif line.is_comment:
                self.index += 1
            else:
                try:
                    if (
                        line.tokens[0].kind == "doc"
                        and header.tokens[0].text == "flow"
                        and not (statements or self.doc)
                    ):
                        self.docstring(line)
                    else:
                        statements.append(self.statement(line))
                except Rejected:
                    self.skip_block(line.indent)
        after = self.line
        if after and after.is_comment and self.index + 1 < len(self.lines):
            following = self.lines[self.index + 1]
            if not following.is_comment and following.indent > max(header.indent, after.indent):
                self.note("comment-indent", after.head)
                self.index += 1
                return (*statements, *self.block(header))
        return tuple(statements)

    def docstring(self, line: Line) -> None:
        """The first line of a flow may say why it is there."""
        self.next_line(line)
        self.doc = self.take().text[3:-3].strip()
        self.expect_end()

    def statement(self, line: Line) -> Statement:
        """One statement, with what is indented under it."""
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
        return self.unexpected("a statement")

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
        """`$name = ...`."""
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

    def await_call(self, target: Token, name: str) -> Await | Act:
        """After `$name = await`: the flow's name and its arguments, or an action, which has none."""
        if _ACTION.fullmatch(self.token.text) and self.ahead().text == "(":
            action = self.take().text
            self.take()
            self.expect(")")
            self.expect_end()
            return Act(target.line, target.column, name, action)
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
        """`if` with its `elif`s and `else`."""
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
            self.note("comment-indent", self.lines[self.index].head)
            self.index = index
        return found

    def readable(self, part: Callable[[], _Part]) -> _Part | None:
        """What can be read of the head of a block: its body is read all the same."""
        try:
            return part()
        except Rejected:
            return None

    def condition(self) -> Expression:
        """The rest of a line after `if` or `elif`."""
        condition = self.test()
        self.condition_end()
        return condition

    def condition_end(self) -> None:
        """The end of the head of a block."""
        if self.sees(":"):
            self.note("colon", self.take())
        self.expect_end()

    def return_statement(self) -> Return:
        """`return value`."""
        start = self.take()
        if self.token.kind == "end":
            self.fail("bare-return", start)
        if self.sees("await"):
            self.fail("return-await", self.token)
        value = self.test()
        self.expect_end()
        return Return(start.line, start.column, value)
