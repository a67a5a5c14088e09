"""Names in a file of rails and where they stand, read from its tokens: also from a file that does not parse yet."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from carerails.colang.tokens import Line, Token, lines

#: `examples` is what a file of examples says it is of: a category or a rule.
Kind = Literal["flow", "slug", "category", "examples", "variable"]
_EXAMPLES = re.compile(r"(flow examples of )([a-z0-9 -]+?)\s*$")
_CALLS = frozenset(["await", "start", "activate"])
_KEYS: dict[str, Kind] = {"slug": "slug", "category": "category", "reason": "category"}
#: Variables that are compared with names of something.
_COMPARED: dict[str, Kind] = {"$slug": "slug"}
GUARDS = "guards"


@dataclass(frozen=True, slots=True)
class Mark:
    """A name somewhere. Line and columns count from 1, in code points; `end` is the column behind the name.

    Attributes:
        defines: the thing itself stands here; otherwise it is only named.
        scope: the line of the flow that a variable belongs to; 0 for names that are known everywhere.
    """

    kind: Kind
    name: str
    line: int
    start: int
    end: int
    defines: bool = False
    scope: int = 0

    def covers(self, line: int, column: int) -> bool:
        """Whether a cursor there is on the name."""
        return self.line == line and self.start <= column <= self.end


def marks_of_flows(text: str) -> tuple[Mark, ...]:
    """All names in a file of flows, in order."""
    return tuple(_Marker().file(text))


def marks_of_examples(text: str) -> tuple[Mark, ...]:
    """What the groups of a file of examples are of."""
    found: list[Mark] = []
    for number, line in enumerate(text.split("\n"), 1):
        if match := _EXAMPLES.match(line):
            start = len(match[1]) + 1
            found.append(Mark("examples", match[2], number, start, start + len(match[2])))
    return tuple(found)


class _Marker:
    def __init__(self) -> None:
        self.scope = 0
        self.flow = ""

    def file(self, text: str) -> Iterator[Mark]:
        pending: list[Line] = []  # decorators, which belong to the flow below
        for line in lines(text):
            if line.is_comment:
                continue
            first = line.tokens[0].text
            if not line.indent and first == "@":
                pending.append(line)
                continue
            if not line.indent and first == "flow":
                yield from self.header(line)
            for decorator in pending:
                yield from self.meta(decorator)
            pending = []
            if line.indent:
                yield from self.statement(line)
        for decorator in pending:
            yield from self.meta(decorator)

    def header(self, line: Line) -> Iterator[Mark]:
        self.scope = line.tokens[0].line
        words = _words(line.tokens[1:])
        self.flow = " ".join(word.text for word in words)
        if words:
            yield _over("flow", self.flow, words, defines=True)
        for token in line.tokens:
            if token.kind == "variable":
                yield _over("variable", token.text, [token], defines=True, scope=self.scope)

    def meta(self, line: Line) -> Iterator[Mark]:
        template = any(token.text == '"template"' for token in line.tokens)
        for key, equals, value in zip(line.tokens, line.tokens[1:], line.tokens[2:], strict=False):
            kind = _KEYS.get(key.text)
            if kind and equals.text == "=" and value.kind == "string":
                yield _inside(kind, value, defines=kind == "category" or template)

    def statement(self, line: Line) -> Iterator[Mark]:
        tokens = line.tokens
        for at, token in enumerate(tokens):
            before = tokens[at - 1].text if at else ""
            after = tokens[at + 1].text if at + 1 < len(tokens) else ""
            if token.kind == "variable":
                defines = at == 0 and after in ("=", "+=")
                yield _over("variable", token.text, [token], defines=defines, scope=self.scope)
            elif token.text in _CALLS and token.kind == "name" and (words := _words(tokens[at + 1 :])):
                yield _over("flow", " ".join(word.text for word in words), words)
            elif token.kind == "string":
                yield from self.string(token, tokens[at - 2].text if at > 1 else "", before, after)
            elif token.kind == "name" and before == "." and at > 1 and tokens[at - 2].text == f"${GUARDS}":
                yield _over("flow", token.text.replace("_", " "), [token])

    def string(self, token: Token, owner: str, before: str, after: str) -> Iterator[Mark]:
        """A rule that is reported, `["red flag stroke", $terms]`; a slug; the key of a guard."""
        if before == owner == "[" and after == ",":
            yield _inside("flow", token)
        elif before == "==" and owner in _COMPARED:
            yield _inside(_COMPARED[owner], token)
        elif after == ":" and self.flow == GUARDS:
            mark = _inside("flow", token)
            yield Mark("flow", mark.name.replace("_", " "), mark.line, mark.start, mark.end)


def _words(tokens: tuple[Token, ...]) -> list[Token]:
    """The words that tokens begin with: a flow's name."""
    found: list[Token] = []
    for token in tokens:
        if token.kind != "name":
            break
        found.append(token)
    return found


def _over(kind: Kind, name: str, tokens: list[Token], *, defines: bool = False, scope: int = 0) -> Mark:
    last = tokens[-1]
    return Mark(kind, name, last.line, tokens[0].column, last.column + len(last.text), defines, scope)


def _inside(kind: Kind, token: Token, *, defines: bool = False) -> Mark:
    """What stands between the quotes."""
    name = token.text[1:-1]
    return Mark(kind, name, token.line, token.column + 1, token.column + 1 + len(name), defines)
