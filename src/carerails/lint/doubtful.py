"""What a pattern says that its author cannot mean: it is in the subset, and some of it never matches."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from carerails.matching import Problem
from carerails.matching.tree import Boundary, Chars, Choice, Node, Repeat, Sequence, Text, Unsupported, parse, tokens

#: A class that was to be a choice of words; a pattern of words without a boundary in front.
_PIPE = re.compile(r"[a-z]\|[a-z]")
_OPEN = re.compile(r"(?:\(\?:)?[a-z]+(?!\w*\??:)")
#: From so many characters on a gap joins what does not belong together.
LONGEST_GAP = 250
_MEND = {
    "never-matches": "take it out",
    "double-space": "write one space: texts have no two",
    "literal-backslash": "a boundary is `\\\\b` in a string, with two backslashes",
    "pipe-in-class": "write alternatives as `(?:a|b)`",
    "empty-branch": "write what was meant, or `(?:a|b)?` where nothing need stand there",
    "no-edge": "write `\\b` in front, or it stands in `keystroke` too",
    "long-gap": "count what people leave between two words: `{{0,40}}`",
}


def doubts(arm: str) -> Iterator[Problem]:
    """Problems of one arm, by the offset of the token or, for what is no token, of the arm."""
    for (at, token), (_, behind) in pairwise([*tokens(arm), (len(arm), "")]):
        if token == "\\\\":
            yield _problem(at, "literal-backslash", "a backslash, which nobody writes")
        elif token[0] == "[" and _PIPE.search(token):
            yield _problem(at, "pipe-in-class", f"`|` in the class `{token}` is a character")
        elif token in ("|", "(?:") and behind == "|":
            yield _problem(at, "empty-branch", "an alternative of nothing")
        elif token[0] not in "\\[({" and "  " in token:
            yield _problem(at + token.index("  "), "double-space", "two spaces never match")
    if _OPEN.match(arm):
        yield _problem(0, "no-edge", "it begins within a word")
    try:
        yield from dict.fromkeys(_of_node(parse(arm)))
    except (Unsupported, re.error):
        return


def _of_node(node: Node) -> Iterator[Problem]:
    match node:
        case Sequence():
            for before, boundary, behind in zip(node.items, node.items[1:], node.items[2:], strict=False):
                edge = _edge(before, -1) if isinstance(boundary, Boundary) and not boundary.inside else None
                if edge is not None and edge == _edge(behind, 0):
                    yield _problem(0, "never-matches", "a word boundary between characters that have none")
            for item in node.items:
                yield from _of_node(item)
        case Choice():
            for branch in node.branches:
                yield from _of_node(branch)
        case Repeat():
            if node.high is not None and node.high > LONGEST_GAP:
                yield _problem(0, "long-gap", f"a gap of up to {node.high} characters")
            yield from _of_node(node.item)
        case _:
            return


def _edge(node: Node, end: int) -> bool | None:
    """Whether the first or last character of each match belongs to a word; None: it depends, or there is none."""
    match node:
        case Text() if node.text:
            return _is_word(node.text[end])
        case Chars() if node.members:
            return _same(map(_is_word, node.members))
        case Choice():
            return _same(_edge(branch, end) for branch in node.branches)
        case Sequence() if node.items:
            return _edge(node.items[end], end)
        case Repeat() if node.low:
            return _edge(node.item, end)
        case _:
            return None


def _same(answers: Iterable[bool | None]) -> bool | None:
    found = set(answers)
    return found.pop() if len(found) == 1 else None


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _problem(offset: int, code: str, what: str) -> Problem:
    return Problem(offset, code, what, _MEND[code])
