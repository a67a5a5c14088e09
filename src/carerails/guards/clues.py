"""What a text must hold for a regex to match in it, or in a copy of it in which something was replaced.

A copy holds a literal that the text lacks only where the literal touches an inserted string, and only if something was
replaced, which leaves a clue of its own: the replaced string, or what found it. Both ways out are tried.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from carerails.matching.literals import EDGE, cost, fewest, ordered_clauses, required_clauses
from carerails.matching.tree import Unsupported, arms, lengths, parse

#: As a share of ordinary messages: a literal rarer than this needs no second one beside it.
_RARE = 0.02
#: A second set more common than this tells nothing.
_COMMON = 0.5
#: A piece of a literal must be at least this long to stand for it.
_SHORTEST = 3

Literals = frozenset[str]


class Replaced(NamedTuple):
    """A replacement in the text. `clues`: of which the text holds one if there was anything to replace."""

    clues: Clues | None
    new: str | None


@dataclass(frozen=True)
class Given:
    """The text, after any of `replaced`. `part`: a piece of that; `several`: pieces, all that regex `source` found."""

    replaced: tuple[Replaced, ...] = ()
    part: bool = False
    several: bool = False
    source: str | None = None

    def within(self, family: Given) -> bool:
        """Whether what holds of every copy in a family, with some or all of its strings replaced, holds of this."""
        return set(self.replaced) <= set(family.replaced) and self.part <= family.part

    def after(self, old: Given | str | None, new: str | None) -> Given:
        """The copy in which `old` was replaced: a string, or what a regex found."""
        found: Clues | None = None
        if isinstance(old, str) and old:
            found = Clues(frozenset({old}))
        elif isinstance(old, Given) and old.source and not old.several:
            found = clues(old.source, Given(old.replaced))
        return Given((*self.replaced, Replaced(found, new)), self.part)


class Pair(NamedTuple):
    """One of `first`, and behind it, on the same line and within `reach` characters, one of `second`."""

    first: Literals
    second: Literals
    reach: int


@dataclass(frozen=True)
class Clues:
    """One of the literals, or one of the pairs."""

    literals: Literals = frozenset()
    pairs: frozenset[Pair] = frozenset()

    @classmethod
    def of(cls, parts: Iterable[Clues]) -> Clues:
        """A clue of any of the parts."""
        every = list(parts)
        literals = fewest(literal for part in every for literal in part.literals)
        return cls(literals, frozenset(pair for part in every for pair in part.pairs))

    @property
    def cost(self) -> float:
        """About what share of ordinary messages holds one of them."""
        return cost(self.literals) + sum(min(cost(p.first), 1.0) * min(cost(p.second), 1.0) for p in self.pairs)


@lru_cache(maxsize=4096)
def clues(regex: str, asked: Given) -> Clues | None:
    """Clues of which the text holds one if the regex matches in what was made of it; None if there are none."""
    whole: list[Clues] = []  # as long as nothing was replaced
    pieces: list[Literals | None] = []  # whatever was replaced
    for arm in arms(regex):
        try:
            node = parse(arm)
        except Unsupported:
            return None
        required = required_clauses(node)
        if not required:
            return None
        cores = fewest(literal.replace(EDGE, "") for literal in required[0])
        pieces.append(_untouched(cores, frozenset(replaced.new for replaced in asked.replaced)))
        two, reach = ordered_clauses(node), lengths(node)[1]
        if asked.part:
            whole.append(Clues(cores))
        elif reach is None or len(two) < 2 or cost(required[0]) < _RARE or max(map(cost, two)) > _COMMON:
            whole.append(Clues(required[0]))
        else:
            whole.append(Clues(pairs=frozenset({Pair(two[0], two[1], reach)})))
    ways: list[Clues] = []
    marks = [replaced.clues for replaced in asked.replaced]
    known = [mark for mark in marks if mark is not None]
    if len(known) == len(marks):
        ways.append(Clues.of([*whole, *known]))
        mixed = [Clues(piece) if piece else each for piece, each in zip(pieces, whole, strict=True)]
        ways.append(Clues.of([*mixed, *known]))
    if all(pieces):
        ways.append(Clues.of(Clues(piece) for piece in pieces if piece))
    return min(ways, key=lambda way: way.cost, default=None)


def _untouched(literals: Literals, inserted: frozenset[str | None]) -> Literals | None:
    """Of each literal the longest piece that cannot touch an inserted string; None if one has none."""
    found = [_piece(literal, inserted) for literal in literals]
    return fewest(found) if all(found) else None


@lru_cache(maxsize=1 << 17)
def _piece(literal: str, inserted: frozenset[str | None]) -> str:
    for length in range(len(literal), _SHORTEST - 1, -1):
        for start in range(len(literal) - length + 1):
            piece = literal[start : start + length]
            if not any(new is None or _touch(piece, new) for new in inserted):
                return piece
    return ""


def _touch(piece: str, new: str) -> bool:
    """Whether the piece can stand where some of it comes from the string."""
    if not new or piece in new or new in piece:
        return True
    if piece[-1] not in new and piece[0] not in new:
        return False
    return any(piece.endswith(new[:n]) or piece.startswith(new[-n:]) for n in range(1, min(len(piece), len(new))))
