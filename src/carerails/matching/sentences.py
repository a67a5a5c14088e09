"""A text cut into sentences. Most arms never match across the end of one, so each sentence is asked for itself.

A sentence ends behind `.`, `!` or `?` before a space, and behind a newline. What has no end for long is cut into parts
that overlap. Word boundaries are marked, so that a literal that asks for one is found where it has it, and only there.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from functools import lru_cache, reduce
from typing import NamedTuple

from carerails.matching.literals import EDGE
from carerails.matching.tree import Boundary, Chars, Choice, Node, Repeat, Sequence, Text, lengths, to_re2

#: Stands where sentences part.
CUT = "\0"
#: A match of up to this many characters lies within one part of a long sentence.
WITHIN = 250

#: What may stand before a sentence in a match that else lies within it: a stop and a space.
_HEAD = 2
_STEP = 2 * WITHIN + 2  # there are at most as many marks as characters, and one more
_PART = 2 * _STEP
_STOPS = (".", "!", "?")
_WORD = frozenset(string.ascii_letters + string.digits + "_")
_RUNS = re.compile(r"\w+|\W+")
#: From this many characters on, in which few signs stand often, it is faster to mark sign by sign.
_MANY = 300
_CODE = re.compile(r"\\x\{([0-9a-f]+)\}")
_CACHE = 1 << 16


class Part(NamedTuple):
    """A sentence, or a part of a long one: marked, and the range of the unmarked sentence in which its matches lie."""

    marked: str
    start: int
    end: int


def mark(text: str) -> str:
    """A copy of an ASCII text without marks, with an EDGE at each word boundary."""
    if len(text) < _MANY:
        marked = EDGE.join(_RUNS.findall(text))
    else:
        marked = text
        for sign in set(text) - _WORD:
            marked = marked.replace(sign, EDGE + sign + EDGE)
        marked = marked.replace(EDGE + EDGE, "").strip(EDGE)  # between two signs there is no boundary
    return EDGE * (text[:1] in _WORD) + marked + EDGE * (text[-1:] in _WORD)


def cut(text: str) -> list[str]:
    """The sentences of a text, marked or not."""
    for stop in _STOPS:
        text = text.replace(stop + " ", stop + CUT + " ")
    return text.replace("\n", "\n" + CUT).split(CUT)


def mark_literal(literal: str) -> str:
    """A required literal as it stands in a part: its inner boundaries are marked, the outermost where it asks for one.

    Of one that goes across the end of a sentence, the longest piece.
    """
    core = mark(literal.replace(EDGE, "")).strip(EDGE)
    return max(cut(EDGE * literal.startswith(EDGE) + core + EDGE * literal.endswith(EDGE)), key=len)


def parts(sentence: str) -> list[Part]:
    """A sentence of an ASCII text that has neither marks nor cuts in it, in parts if it is long."""
    marked = mark(sentence)
    return [Part(marked, 0, len(sentence))] if len(marked) <= _PART else list(_overlapping(marked, len(sentence)))


def _overlapping(sentence: str, end: int) -> Iterator[Part]:
    at = 0
    for first in range(0, len(sentence) - _STEP, _STEP):
        part = sentence[first : first + _PART]
        # One character more, where a word boundary still looks.
        yield Part(part, at, min(at + len(part) - part.count(EDGE) + 1, end))
        at += _STEP - sentence.count(EDGE, first, first + _STEP)


def is_local(node: Node) -> bool:
    """Whether every match of the node lies within one part."""
    longest = lengths(node)[1]
    return longest is not None and longest <= WITHIN and not _ends(node).crosses


def beheaded(node: Node) -> tuple[int, Node]:
    """A node that is local but for its first item, as `[.,;]` before a clause: how long that may be, and what is left.

    (0, the node itself) for others. The item is short and the rest is longer, so that of two matches that begin in
    different parts the one in the earlier part begins first.
    """
    if isinstance(node, Sequence) and len(node.items) > 1:
        head, rest = node.items[0], Sequence(node.items[1:])
        before = lengths(head)[1]
        if before is not None and 0 < before <= _HEAD < lengths(rest)[0] and is_local(rest):
            return before, rest
    return 0, node


class _Ends(NamedTuple):
    """Whether a match may go across the end of a sentence, begin with a space, end with a stop, and be empty."""

    crosses: bool
    space: bool
    stop: bool
    empty: bool


@lru_cache(maxsize=_CACHE)
def _ends(node: Node) -> _Ends:
    match node:
        case Text():
            crosses = "\n" in node.text or any(stop + " " in node.text for stop in _STOPS)
            return _Ends(crosses, node.text[:1] == " ", node.text[-1:] in _STOPS, not node.text)
        case Chars():
            has = re.compile(_CODE.sub(lambda code: re.escape(chr(int(code[1], 16))), to_re2(node))).match
            return _Ends(has("\n") is not None, has(" ") is not None, any(map(has, _STOPS)), False)
        case Boundary():
            return _Ends(False, False, False, True)
        case Sequence():
            return reduce(_then, map(_ends, node.items), _Ends(False, False, False, True))
        case Choice():
            return _Ends(*map(any, zip(*map(_ends, node.branches), strict=True)))
        case Repeat():
            item = _ends(node.item)
            twice = item if node.high == 1 else _then(item, item)
            return twice._replace(empty=item.empty or node.low == 0)


def _then(one: _Ends, other: _Ends) -> _Ends:
    return _Ends(
        one.crosses or other.crosses or (one.stop and other.space),
        one.space or (one.empty and other.space),
        other.stop or (other.empty and one.stop),
        one.empty and other.empty,
    )
