"""Where two texts disagree, as far as words can tell: numbers of one unit, negation, and pairs of opposites.

No parser and no model: shared words, and what stands beside them. It finds plain disagreement and misses the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from carerails.contracts import Locale
from carerails.drafting.words import STOP_WORDS
from carerails.knowledge.words import stem
from carerails.screening.contrasts import (
    ASKS,
    ASKS_LAST,
    AT_LEAST,
    AT_MOST,
    BADS,
    NEGATIONS,
    PAIRS,
    TURNS,
    VALUES,
)
from carerails.text import as_read

#: Words after a negation that it still reaches within its clause; `or` hands it on to as many more.
_REACH: Final = 2

_TOKEN = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+(?:[.,]\d+)?|[^\sa-z0-9']")
#: `It is not true that ...` denies the whole clause.
_TRUE: Final = frozenset(("true", "cierto", "verdad", "verdade"))
_FAR: Final = 8
_OR: Final = frozenset(("or", "nor", "o", "u", "ni", "ou", "nem"))
_EITHER: Final = frozenset(("or", "o", "ou"))
_BREAKS: Final = frozenset(".,;:!?()|")
_CLAUSES = re.compile(r"(?<!\d),|,(?!\d)|(?<=[.?!;:])\s|\n|\b(?=¿)")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number, and the stem of what it counts; `bound` is -1 for at most, 1 for at least."""

    value: float
    unit: str
    bound: int = 0


@dataclass(frozen=True)
class Read:
    """A text as evidence.

    Attributes:
        stems: of its words that mean something, without numbers.
        negated: those of them that a negation reaches.
        sides: of each pair of opposites that it has one side of, which: 0 or 1.
        quantities: its numbers.
    """

    stems: frozenset[str]
    negated: frozenset[str]
    sides: Mapping[int, int]
    quantities: tuple[Quantity, ...]


@lru_cache(maxsize=4_096)
def read(text: str, locale: Locale) -> Read:
    """Read a text. Never raises on any `str`."""
    tokens: list[str] = _TOKEN.findall(as_read(text))
    stems: dict[str, None] = {}
    negated: set[str] = set()
    reach, negating = 0, False
    for before, token in zip(["", *tokens], tokens, strict=False):
        if token in NEGATIONS[locale] and before in _EITHER:
            reach, negating = 0, False  # `with or without food` denies nothing
        elif token in NEGATIONS[locale]:
            reach, negating = _REACH, True
        elif token in BADS[locale]:
            reach = _REACH
            negated.update(list(stems)[-2:])
        elif token in _BREAKS or (token in TURNS[locale] and before not in NEGATIONS[locale]):  # `não se come`
            reach, negating = 0, False
        elif token in _OR and negating:
            reach = _REACH
        elif token[0].isalpha():
            root = rooted(token, locale)
            if root:
                stems[root] = None
                if reach:
                    negated.add(root)
            reach = _FAR if reach and token in _TRUE else max(0, reach - (root is not None))
    sides = _sides([token for token in tokens if rooted(token, locale) not in negated], locale)
    return Read(frozenset(stems), frozenset(negated), sides, tuple(_quantities(tokens, locale)))


def premise(question: str, locale: Locale) -> str:
    """What a question states before it asks: its clauses without those that only ask.

    `I keep it at 40 degrees, is the cupboard fine?` states the first half; `Can I keep it there?` states nothing.
    """
    clauses = [clause.strip() for clause in _CLAUSES.split(question) if clause.strip()]
    stated = [clause for clause in clauses if not ASKS[locale].match(clause)]
    if stated and stated[-1] == clauses[-1] and ASKS_LAST[locale].match(clauses[-1]):
        del stated[-1]
    return ". ".join(stated)


def rooted(word: str, locale: Locale) -> str | None:
    """The stem of a word that means something; None for the small words of a language."""
    word = word.partition("'")[0]
    small = len(word) < 3 or word in STOP_WORDS[locale] or word in VALUES[locale] or word in NEGATIONS[locale]
    return None if small else stem(word, locale)


def disagreements(one: Read, other: Read, *, least: int = 1) -> tuple[str, ...]:
    """How two texts disagree: `number`, `negation`, `opposite`. None: as far as words can tell, not at all.

    Args:
        one: a text.
        other: a text; the order does not matter.
        least: words that they must share for a number or a negation to be about the same.
    """
    shared = one.stems & other.stems
    if not shared:
        return ()
    near = len(shared) >= least
    found = {
        "number": near and _numbers_differ(one.quantities, other.quantities),
        "negation": near and bool((one.negated ^ other.negated) & shared) and not one.negated & other.negated,
        "opposite": any(other.sides.get(pair, side) != side for pair, side in one.sides.items()),
    }
    return tuple(kind for kind, holds in found.items() if holds)


def strange_numbers(claim: Read, cited: Read) -> bool:
    """Whether a claim names a number that the cited text does not."""
    known = {quantity.value for quantity in cited.quantities}
    return any(quantity.value not in known for quantity in claim.quantities)


def _numbers_differ(ones: Iterable[Quantity], others: tuple[Quantity, ...]) -> bool:
    for one in ones:
        same = [other for other in others if other.unit == one.unit]
        if same and not any(_agree(one, other) for other in same):
            return True
    return False


def _agree(one: Quantity, other: Quantity) -> bool:
    if one.bound == other.bound == 0 or one.bound == other.bound:
        return one.value == other.value
    bounded, free = (one, other) if one.bound else (other, one)
    return free.value <= bounded.value if bounded.bound < 0 else free.value >= bounded.value


def _quantities(tokens: list[str], locale: Locale) -> Iterable[Quantity]:
    for at, token in enumerate(tokens):
        value = VALUES[locale].get(token)
        if value is None and token[0].isdigit():
            value = float(token.replace(",", "."))
        if value is None:
            continue
        after = [
            stem(word, locale) for word in tokens[at + 1 : at + 3] if word.isalpha() and word not in ("an", "a", "de")
        ]
        before = set(tokens[max(0, at - 3) : at])
        bound = -1 if before & AT_MOST else 1 if before & AT_LEAST else 0
        yield Quantity(value, after[0] if after else "", bound)


def _sides(tokens: list[str], locale: Locale) -> dict[int, int]:
    words = set(tokens)
    sides: dict[int, int] = {}
    for number, (left, right) in enumerate(PAIRS[locale]):
        held = (bool(words & left), bool(words & right))
        if held[0] != held[1]:
            sides[number] = int(held[1])
    return sides
