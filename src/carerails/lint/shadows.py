"""Patterns that decide nothing, since whatever one of them matches, another pattern of the same regex matches too.

Judged where it can be proved: a pattern that stands for few texts is compared text by text, at a word's edge and within
a word. Patterns with gaps are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product

from carerails.matching.tree import Boundary, Chars, Choice, Node, Repeat, Text, Unsupported, parse
from carerails.matching.tree import Sequence as InTurn

#: A pattern that stands for more texts than this is not judged.
MOST_TEXTS = 48
_PLAIN = re.compile(r"(?:\\b|[\w ',-])+")
#: What may stand beside a match.
_BESIDE = ("", "x", " ")
_LETTERS = re.compile(r"[a-z]{3,}")


def shadowed(arms: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Each pattern of a regex that says nothing which another does not say, with that other, by their numbers."""
    few = [(number, arm, texts) for number, arm in enumerate(arms) if (texts := texts_of(arm))]
    gone: set[int] = set()
    for number, arm, texts in few if len(arms) > 1 else ():
        told = list(_told(arm, texts))
        literal = min(texts, key=len)
        for place, other in enumerate(arms):
            if place == number or place in gone or other == arm or _begins(other) not in literal:
                continue
            search = re.compile(other).search
            if told and all(search(text) for text in told):
                gone.add(number)
                yield number, place
                break


@lru_cache(maxsize=1 << 13)
def _begins(regex: str) -> str:
    """The first word of a pattern that is plain text, which each of its matches has; empty for any other."""
    words = _LETTERS.findall(regex.replace("\\b", " ")) if _PLAIN.fullmatch(regex) else ()
    return words[0] if words else ""


def _told(regex: str, texts: Iterable[str]) -> Iterator[str]:
    """The texts beside whatever lets the pattern match them."""
    pattern = re.compile(regex)
    for text, before, after in product(texts, _BESIDE, _BESIDE):
        around = before + text + after
        match = pattern.search(around, len(before))
        if match and match.start() == len(before):
            yield around


def texts_of(regex: str) -> frozenset[str] | None:
    """All texts that a pattern stands for; None where they are many."""
    try:
        return _texts(parse(regex))
    except (Unsupported, re.error):
        return None


def _texts(node: Node) -> frozenset[str] | None:
    match node:
        case Text():
            return frozenset({node.text})
        case Boundary():
            return frozenset({""})
        case Chars():
            return node.members
        case Choice():
            return _joined(_texts(branch) for branch in node.branches)
        case InTurn():
            return _in_turn(_texts(item) for item in node.items)
        case Repeat():
            one = _texts(node.item)
            if one is None or node.high is None or node.high > 3:
                return None
            return _joined(_in_turn([one] * count) for count in range(node.low, node.high + 1))


def _joined(sets: Iterable[frozenset[str] | None]) -> frozenset[str] | None:
    found: set[str] = set()
    for texts in sets:
        if texts is None or len(found) + len(texts) > MOST_TEXTS:
            return None
        found |= texts
    return frozenset(found)


def _in_turn(sets: Iterable[frozenset[str] | None]) -> frozenset[str] | None:
    found = frozenset({""})
    for texts in sets:
        if texts is None or len(found) * len(texts) > MOST_TEXTS:
            return None
        found = frozenset(before + text for before in found for text in texts)
    return found
