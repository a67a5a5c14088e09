"""The literals that a regex cannot match without: the cheap question that is asked before the regex is.

Each part of a regex is described by the set of all texts it can match, when they are few; sets of neighbours are
multiplied, and among all sets found that way the one that ordinary text contains least often is kept. Word boundaries
travel through the sets as a mark of their own, so that a guard may ask for `\\bstroke` rather than `stroke`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from math import fsum, prod
from typing import NamedTuple

from carerails.matching.everyday import TIERS
from carerails.matching.tree import Boundary, Chars, Choice, Node, Repeat, Sequence, Text, Unsupported, arms, parse

#: How a word boundary is marked inside a literal; it is no character of any normalised text.
EDGE = "\b"

_MOST = 64  # texts in a product of two sets
_MOST_ALONE = 400  # texts in a set that is only longer by what stands beside it
_EACH = 3e-5  # what one more literal costs, as a share of texts: prefers few literals where rarity is about equal
_CLAUSES = 3
_CACHE = 1 << 17
_WORDS = re.compile(r"[^\W_]+")

_Set = frozenset[str]
_NOTHING: _Set = frozenset({""})


class _Found(NamedTuple):
    """`exact`: all texts the part can match, None when too many. `clauses`: required sets, the rarest first."""

    exact: _Set | None
    clauses: tuple[_Set, ...]


class _Candidate(NamedTuple):
    """A required set, where in a sequence it comes from, and whether from within one item."""

    cost: float
    literals: _Set
    first: int
    last: int
    inner: bool


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
            clauses = required_clauses(parse(arm))
        except Unsupported:
            return None
        if not clauses:
            return None
        union |= clauses[0]
    return fewest(literal.replace(EDGE, "") for literal in union)


def required_clauses(node: Node) -> tuple[frozenset[str], ...]:
    """Up to three sets, the rarest first; every match contains at least one literal of each.

    A literal may begin or end with EDGE, which stands for `\\b`.
    """
    return _look(node).clauses


def ordered_clauses(node: Node) -> tuple[frozenset[str], ...]:
    """The two rarest required sets that stand apart, in the order of the text; fewer where there are no two."""
    if not isinstance(node, Sequence):
        return _look(node).clauses[:1]
    chosen = _chosen([_look(item) for item in _edged(node.items)])
    apart = [one for one in chosen[1:] if one.last < chosen[0].first or chosen[0].last < one.first]
    return tuple(fewest(one.literals) for one in sorted([*chosen[:1], *apart[:1]], key=lambda one: one.first))


@lru_cache(maxsize=_CACHE)
def cost(literals: frozenset[str]) -> float:
    """About what share of ordinary messages contains one of them, plus a little for each."""
    return fsum(map(_share, literals)) + _EACH * len(literals)


def fewest(literals: Iterable[str]) -> frozenset[str]:
    """The same set without literals that contain another one of it."""
    return _fewest(frozenset(literals))


@lru_cache(maxsize=_CACHE)
def _fewest(every: _Set) -> _Set:
    longest = max(map(len, every), default=0)
    joined = "\n".join(every)
    longer: set[str] = set()
    for literal in every:
        if len(literal) < longest and joined.count(literal) > 1:
            longer.update(other for other in every if literal in other and other != literal)
    return every - longer


@lru_cache(maxsize=_CACHE)
def _look(node: Node) -> _Found:
    match node:
        case Text():
            return _from_exact(frozenset({node.text}))
        case Chars():
            return _from_exact(node.members)
        case Boundary():
            return _Found(_NOTHING if node.inside else frozenset({EDGE}), ())
        case Choice():
            return _choice([_look(branch) for branch in node.branches])
        case Repeat():
            return _repeat(node)
        case Sequence():
            return _sequence([_look(item) for item in _edged(node.items)])


def _edged(items: tuple[Node, ...]) -> list[Node]:
    """The items, with a word boundary beside a choice given to each branch: `\\b(?:fill|soak)` asks for `\\bfill`."""
    edged: list[Node] = []
    for item in items:
        before = edged[-1] if edged else None
        if isinstance(item, Choice) and isinstance(before, Boundary) and not before.inside:
            edged[-1] = _bounded(before, item, first=True)
        elif isinstance(before, Choice) and isinstance(item, Boundary) and not item.inside:
            edged[-1] = _bounded(item, before, first=False)
        else:
            edged.append(item)
    return edged


@lru_cache(maxsize=_CACHE)
def _bounded(boundary: Boundary, choice: Choice, *, first: bool) -> Choice:
    """The choice with the boundary in each of its branches, before or behind what stands there."""
    branches = [branch.items if isinstance(branch, Sequence) else (branch,) for branch in choice.branches]
    return Choice(tuple(Sequence((boundary, *items) if first else (*items, boundary)) for items in branches))


def _from_exact(exact: _Set | None) -> _Found:
    tidy = _tidy(exact) if exact else None
    return _Found(exact, (fewest(tidy),) if tidy else ())


def _choice(branches: list[_Found]) -> _Found:
    """One of the branches' first sets is needed, and one of their second sets, and so on."""
    clauses: list[_Set] = []
    if all(branch.clauses for branch in branches):
        for rank in range(max(len(branch.clauses) for branch in branches)):
            clauses.append(fewest(text for b in branches for text in b.clauses[min(rank, len(b.clauses) - 1)]))
    exact: set[str] = set()
    for branch in branches:
        if branch.exact is None or len(exact) > _MOST_ALONE:
            return _Found(None, tuple(clauses))
        exact |= branch.exact
    return _Found(frozenset(exact) if len(exact) <= _MOST_ALONE else None, tuple(clauses))


def _repeat(node: Repeat) -> _Found:
    item = _look(node.item)
    exact = None if node.high is None or node.high > 8 else _powers(item.exact, node.low, node.high)
    if exact is not None:
        return _from_exact(exact)
    return _Found(None, item.clauses if node.low else ())


def _powers(one: _Set | None, low: int, high: int) -> _Set | None:
    total: set[str] = set()
    power: _Set | None = _NOTHING
    for count in range(high + 1):
        power = _times(power, one) if count else power
        if power is None:
            return None
        if count >= low:
            total |= power
    return frozenset(total) if len(total) <= _MOST else None


def _sequence(items: list[_Found]) -> _Found:
    """Neighbours' texts are multiplied as long as they are few; of all the sets found, the rarest that lie apart."""
    whole: _Set | None = _NOTHING
    for item in items:
        whole = _times(whole, item.exact)
    return _Found(whole, tuple(fewest(candidate.literals) for candidate in _chosen(items)))


def _chosen(items: list[_Found]) -> list[_Candidate]:
    exacts = [item.exact for item in items]
    candidates = [
        _Candidate(cost(clause), clause, place, place, inner=True)
        for place, item in enumerate(items)
        for clause in item.clauses
    ]
    for first, exact in enumerate(exacts):
        # A literal that is only longer is only rarer: what has but one text belongs to its neighbours.
        if exact is None or (first > 0 and _one(exacts[first - 1])):
            continue
        product = exact
        for last in range(first + 1, len(exacts) + 1):
            longer = _times(product, exacts[last]) if last < len(exacts) else None
            if (longer is None or not _one(exacts[last])) and (tidy := _tidy(product)):
                candidates.append(_Candidate(cost(tidy), tidy, first, last - 1, inner=False))
            if longer is None:
                break
            product = longer
    candidates.sort(key=lambda c: (c.cost, c.first, c.last))
    chosen: list[_Candidate] = []
    for candidate in candidates:
        if len(chosen) < _CLAUSES and all(_apart(candidate, other) for other in chosen):
            chosen.append(candidate)
    return chosen


def _one(exact: _Set | None) -> bool:
    return exact is not None and len(exact) == 1


def _apart(one: _Candidate, other: _Candidate) -> bool:
    same_item = one.inner and other.inner and one.first == other.first
    return same_item or one.last < other.first or other.last < one.first


def _times(left: _Set | None, right: _Set | None) -> _Set | None:
    if left is None or right is None:
        return None
    if len(left) * len(right) > (_MOST_ALONE if 1 in (len(left), len(right)) else _MOST):
        return None
    return frozenset({a + b for a in left for b in right})


def _tidy(literals: _Set) -> _Set | None:
    """Marks only at the ends; None when a text has no letter or digit, so that the set requires next to nothing."""
    outer = {_tidied(literal) for literal in literals}
    return None if "" in outer else frozenset(outer)


@lru_cache(maxsize=_CACHE)
def _tidied(literal: str) -> str:
    if not _WORDS.search(literal):
        return ""
    if EDGE not in literal[1:-1]:
        return literal
    return EDGE * literal.startswith(EDGE) + literal.replace(EDGE, "") + EDGE * literal.endswith(EDGE)


@lru_cache(maxsize=_CACHE)
def _share(literal: str) -> float:
    """A guess at the share of ordinary messages that contain the literal: its words' shares, multiplied."""
    words = _WORDS.findall(literal)
    if not words:
        return 1.0
    # A side where a word may go on has no space.
    words[0] = " " * (not literal[0].isalnum()) + words[0]
    words[-1] += " " * (not literal[-1].isalnum())
    return prod(map(_word_share, " \n ".join(words).split("\n")))


@lru_cache(maxsize=_CACHE)
def _word_share(word: str) -> float:
    """Share of a word, or of a piece of one: a side where it may go on has no space."""
    known = sum(share * words.count(word) for share, words in TIERS)
    return min(known, 1.0) or max(0.3 ** len(word.strip()), 1e-6)
