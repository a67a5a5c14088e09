"""The literals that a regex cannot match without: the cheap question that is asked before the regex is.

Each part of a regex is described by the set of all texts it can match, when they are few; sets of neighbours are
multiplied, and among all sets found that way the one that ordinary text contains least often is kept. Word boundaries
travel through the sets as a mark of their own, so that a guard may ask for `\\bstroke` rather than `stroke`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from carerails.matching.everyday import TIERS
from carerails.matching.tree import Boundary, Chars, Choice, Node, Repeat, Sequence, Unsupported, arms, parse

#: How a word boundary is marked inside a literal; it is no character of any normalised text.
EDGE = "\b"

_MOST = 64
_EACH = 3e-5  # what one more literal costs, as a share of texts: prefers few literals where rarity is about equal

_Set = frozenset[str]
_NOTHING: _Set = frozenset({""})


class _Found(NamedTuple):
    """`exact`: all texts the part can match, None when they are too many. `best`: a required set, if there is one."""

    exact: _Set | None
    best: _Set | None


def required_literals(regex: str) -> frozenset[str] | None:
    """A set of texts of which every match of the regex contains at least one.

    Returns:
        The set that ordinary text contains least often; None when there is none, or the regex leaves the subset.

    Raises:
        re.error: the regex does not compile.
    """
    union: set[str] = set()
    for arm in arms(regex):
        try:
            found = marked_literals(parse(arm).node)
        except Unsupported:
            return None
        if found is None:
            return None
        union |= found
    return _fewest(frozenset(literal.replace(EDGE, "") for literal in union))


def marked_literals(node: Node) -> frozenset[str] | None:
    """Like required_literals, of a parsed arm; a literal may begin or end with EDGE, which stands for `\\b`."""
    return _look(node).best


def cost(literals: frozenset[str]) -> float:
    """About what share of ordinary messages contains one of them, plus a little for each."""
    return sum(_share(literal) + _EACH for literal in literals)


def _look(node: Node) -> _Found:
    match node:
        case Chars():
            return _found(node.members, [])
        case Boundary():
            return _Found(_NOTHING if node.inside else frozenset({EDGE}), None)
        case Choice():
            return _choice([_look(branch) for branch in node.branches])
        case Repeat():
            return _repeat(node)
        case Sequence():
            return _sequence(node.items)


def _choice(branches: list[_Found]) -> _Found:
    exact: set[str] | None = set()
    best: set[str] | None = set()
    for branch in branches:
        exact = None if exact is None or branch.exact is None else exact | branch.exact
        best = None if best is None or branch.best is None else best | branch.best
    small = frozenset(exact) if exact is not None and len(exact) <= _MOST else None
    return _found(small, [frozenset(best)] if best else [])


def _repeat(node: Repeat) -> _Found:
    item = _look(node.item)
    required = [item.best] if node.low and item.best else []
    if item.exact is None or node.high is None or node.high > 8:
        return _found(None, required)
    total: set[str] = set()
    power: _Set | None = _NOTHING
    for count in range(node.high + 1):
        power = _times(power, item.exact) if count else _NOTHING
        if power is None:
            return _found(None, required)
        if count >= node.low:
            total |= power
    return _found(frozenset(total) if len(total) <= _MOST else None, required)


def _sequence(items: tuple[Node, ...]) -> _Found:
    parts: list[_Set | None] = []
    candidates: list[_Set] = []
    for single, run in groupby(items, key=_single):
        if single:
            parts.append(frozenset({"".join(_letter(item) for item in run)}))
            continue
        for item in run:
            found = _look(item)
            parts.append(found.exact)
            if found.best:
                candidates.append(found.best)
    whole: _Set | None = None
    for first in range(len(parts)):
        product = _NOTHING
        for last in range(first, len(parts)):
            longer = _times(product, parts[last])
            if longer is None:
                break
            product = longer
            candidates.append(product)
            if last - first == len(parts) - 1:
                whole = product
    return _found(whole if parts else _NOTHING, candidates)


def _single(item: Node) -> bool:
    return isinstance(item, Boundary) or (
        isinstance(item, Chars) and item.members is not None and len(item.members) == 1
    )


def _letter(item: Node) -> str:
    if isinstance(item, Chars) and item.members:
        return next(iter(item.members))
    return "" if isinstance(item, Boundary) and item.inside else EDGE


def _times(left: _Set | None, right: _Set | None) -> _Set | None:
    if left is None or right is None or len(left) * len(right) > _MOST:
        return None
    return frozenset(a + b for a in left for b in right)


def _found(exact: _Set | None, candidates: list[_Set]) -> _Found:
    options = candidates if exact is None else [*candidates, exact]
    usable = [tidy for option in options if (tidy := _tidy(option))]
    return _Found(exact, min(usable, key=lambda s: (cost(s), sorted(s))) if usable else None)


def _tidy(literals: _Set) -> _Set | None:
    """Marks only at the ends, and no literal that contains another; None when one is empty, so requires nothing."""
    outer: set[str] = set()
    for literal in literals:
        core = literal.replace(EDGE, "")
        if not core:
            return None
        outer.add(EDGE * literal.startswith(EDGE) + core + EDGE * literal.endswith(EDGE))
    return _fewest(frozenset(outer))


def _fewest(literals: _Set) -> _Set:
    kept: list[str] = []
    for literal in sorted(literals, key=len):
        if not any(other in literal for other in kept):
            kept.append(literal)
    return frozenset(kept)


_WORDS = re.compile(r"[a-z0-9]+")


@lru_cache(maxsize=65536)
def _share(literal: str) -> float:
    """A guess at the share of ordinary messages that contain the literal: its words' shares, multiplied."""
    core = literal.replace(EDGE, "")
    share = 1.0
    for word in _WORDS.finditer(core):
        open_left = word.start() == 0 and not literal.startswith(EDGE)
        open_right = word.end() == len(core) and not literal.endswith(EDGE)
        share *= _word_share((" ", "")[open_left] + word.group() + (" ", "")[open_right])
    return share


@lru_cache(maxsize=65536)
def _word_share(word: str) -> float:
    """Share of a word, or of a piece of one: a side where it may go on has no space."""
    for share, words in TIERS:
        if word in words:
            return share
    return max(0.3 ** len(word.strip()), 1e-6)
