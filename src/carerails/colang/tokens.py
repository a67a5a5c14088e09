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
  | (?P<number>\d[\d_]*(?:\.\d+)?)
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


def lines(text: str) -> Iterator[Line]:
    """Cut a file into logical lines. Never fails: what cannot be read becomes a token that says so."""
    tokens: list[Token] = []
    open_brackets: list[Token] = []
    broken: Token | None = None
    has_comment = False
    number, margin = 1, 0  # of the line that the lexer is in: its number, and the offset of its first character
    indent = len(text) - len(text.lstrip(" "))
    start, start_number = 0, 1
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        assert match is not None  # the last group takes any character
        kind, word = match.lastgroup or "bad", match.group()
        here = Token(kind, word, number, position - margin + 1)
        position = match.end()
        if kind == "space":
            continue
        if kind == "comment":
            has_comment = True
            if open_brackets:
                tokens.append(here._replace(kind="comment-in-brackets"))
        elif kind == "newline":
            number += word.count("\n")
            margin = position - len(word.rsplit("\n", 1)[1])
            if open_brackets and not (position == margin and _NEW_FLOW.match(text, position)):
                continue
            if open_brackets:
                tokens.append(open_brackets[-1]._replace(kind="unclosed-bracket"))
                open_brackets.clear()
            elif tokens and _GOES_ON.match(text, position):
                broken = broken or Token("name", text[position : position + 3].strip(), number, position - margin + 1)
                if has_comment:
                    tokens.append(here._replace(kind="comment-in-brackets"))
                continue
            if tokens or has_comment:
                yield Line(indent, (*tokens, here._replace(kind="end")), start_number, start, broken)
            tokens, broken, has_comment = [], None, False
            indent, start, start_number = position - margin, margin, number
            if "\t" in text[margin:position]:
                tokens.append(Token("tab", "\t", number, 1))
        else:
            if kind == "operator" and word in "([{":
                open_brackets.append(here)
            elif kind == "operator" and word in _CLOSING:
                if open_brackets and open_brackets[-1].text == _CLOSING[word]:
                    open_brackets.pop()
            elif kind == "doc":
                number += word.count("\n")
                if "\n" in word:
                    margin = position - len(word.rsplit("\n", 1)[1])
            elif kind == "bad":
                here, position = _bad(here, text, position)
            tokens.append(here)
    end = Token("end", "", number, position - margin + 1)
    if open_brackets:
        tokens.append(open_brackets[-1]._replace(kind="unclosed-bracket"))
    if tokens or has_comment:
        yield Line(indent, (*tokens, end), start_number, start, broken)


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
