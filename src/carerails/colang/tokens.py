"""From text to logical lines of tokens, with the layout that NeMo Guardrails' lexer gives the same text.

Three habits of that lexer are kept on purpose: a comment on a line of its own counts for the indentation; a line that
starts with `and` or `or` goes on with the line before; line ends inside brackets do not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

_TOKEN = re.compile(
    r"""
    (?P<space>[ ]+)
  | (?P<newline>\r?\n[ \t]*(?:\r?\n[ \t]*)*)
  | (?P<comment>\#[^\n]*)
  | (?P<doc>\"{3}.*?(?<!\\)\"{3})
  | (?P<string>"(?:\\.|[^"\\\n])*")
  | (?P<variable>\$[A-Za-z_][A-Za-z0-9_]*)
  | (?P<name>[^\W\d]\w*)
  | (?P<number>\d[\d_]*(?:\.\d*)?)
  | (?P<operator>->|==|!=|<>|<=|>=|<<|>>|\+=|-=|\*\*|//|[-+*/%=<>()\[\]{},.:@|&^~])
  | (?P<bad>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_GOES_ON = re.compile(r"and[ \t]|or[ \t]+(?!when)")
_NEW_FLOW = re.compile(r"flow |@")
_CLOSING = {")": "(", "]": "[", "}": "{"}


#: Kinds of tokens that cannot be read; each is the code of its diagnostic.
UNREADABLE = frozenset(
    ["tab", "quotes", "unclosed-string", "backslash", "bad-character", "unclosed-bracket", "comment-in-brackets"]
)


class Token(NamedTuple):
    """`kind` is a group of the lexer, or `end`, or one of UNREADABLE."""

    kind: str
    text: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Line:
    """A logical line: its indentation in spaces, its tokens with an `end` last, and where it was broken before and/or.

    A line of nothing but a comment has only the `end`.
    """

    indent: int
    tokens: tuple[Token, ...]
    number: int
    start: int
    broken: Token | None = None

    @property
    def is_comment(self) -> bool:
        """Nothing but a comment."""
        return len(self.tokens) == 1

    @property
    def head(self) -> Token:
        """Its first token, be it a comment."""
        return Token("comment", "#", self.number, self.indent + 1) if self.is_comment else self.tokens[0]


def lines(text: str) -> Iterator[Line]:
    """Cut a file into logical lines. Never fails: what cannot be read becomes a token that says so."""
    return _Lexer(text).lines()


class _Lexer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        # The line that the lexer is in: its number, and the offset of its first character.
        self.number, self.margin = 1, 0
        self.brackets: list[Token] = []
        self.begin(len(text) - len(text.lstrip(" ")))

    def begin(self, indent: int) -> None:
        """Start a logical line."""
        self.indent, self.start, self.first = indent, self.margin, self.number
        self.tokens: list[Token] = []
        self.broken: Token | None = None
        self.commented = False

    def here(self, kind: str, word: str, position: int) -> Token:
        return Token(kind, word, self.number, position - self.margin + 1)

    def lines(self) -> Iterator[Line]:
        while self.position < len(self.text):
            match = _TOKEN.match(self.text, self.position)
            assert match is not None  # the last group takes any character
            token = self.here(match.lastgroup or "bad", match.group(), self.position)
            self.position = match.end()
            if token.kind == "newline":
                yield from self.newline(token)
            elif token.kind != "space":
                self.add(token)
        yield from self.end(self.here("end", "", self.position))

    def add(self, token: Token) -> None:
        if token.kind == "comment":
            self.commented = True
            if not self.brackets:
                return
            token = token._replace(kind="comment-in-brackets")
        elif token.kind == "operator" and token.text in "([{":
            self.brackets.append(token)
        elif token.kind == "operator" and self.brackets and self.brackets[-1].text == _CLOSING.get(token.text):
            self.brackets.pop()
        elif token.kind == "doc":
            self.enter(token.text)
        elif token.kind == "bad":
            token, self.position = _bad(token, self.text, self.position)
        self.tokens.append(token)

    def enter(self, word: str) -> None:
        """Count the line ends of what was read."""
        if "\n" in word:
            self.number += word.count("\n")
            self.margin = self.position - len(word.rsplit("\n", 1)[1])

    def newline(self, token: Token) -> Iterator[Line]:
        self.enter(token.text)
        indent = self.position - self.margin
        if self.brackets and (indent or not _NEW_FLOW.match(self.text, self.position)):
            return
        if not self.brackets and self.tokens and (goes_on := _GOES_ON.match(self.text, self.position)):
            self.broken = self.broken or self.here("name", goes_on.group().strip(), self.position)
            if self.commented:
                self.tokens.append(token._replace(kind="comment-in-brackets"))
            return
        yield from self.end(token._replace(kind="end"))
        self.begin(indent)
        if "\t" in self.text[self.margin : self.position]:
            self.tokens.append(Token("tab", "\t", self.number, 1))

    def end(self, token: Token) -> Iterator[Line]:
        if self.brackets:
            self.tokens.append(self.brackets[-1]._replace(kind="unclosed-bracket"))
            self.brackets.clear()
        if self.tokens or self.commented:
            yield Line(self.indent, (*self.tokens, token), self.first, self.start, self.broken)


def _bad(token: Token, text: str, position: int) -> tuple[Token, int]:
    """Name what cannot be read; an unclosed string takes the rest of its line with it."""
    line_end = text.find("\n", position)
    line_end = len(text) if line_end < 0 else line_end
    if token.text == "\t":
        return token._replace(kind="tab"), position
    if token.text == '"':
        return token._replace(kind="unclosed-string"), line_end
    if token.text == "'":
        close = text.find("'", position, line_end)
        return token._replace(kind="quotes"), close + 1 if close >= 0 else line_end
    if token.text == "\\" and not text[position:line_end].strip():
        return token._replace(kind="backslash"), position
    return token._replace(kind="bad-character"), position
