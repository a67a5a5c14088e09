"""What a question asks for, learned at start from the ways in which people ask: naive Bayes over words and their pairs.

An intent is a card that holds for any medicine, or a topic of the cards of one medicine each (which medicine it is, is
checked for itself), or `OUTSIDE`: what lies near the cards and no card answers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Final, NamedTuple

from pydantic import Field, field_validator

from carerails.config import load_yaml
from carerails.contracts import LOCALES, Frozen, Locale
from carerails.knowledge.cards import Line
from carerails.resources import data_dir

OUTSIDE: Final = "outside"
#: What stands in place of the name of a medicine, so that any does.
A_MEDICINE: Final = "0"
Scores = Mapping[str, float]
"""By intent, the more the likelier; only differences mean anything."""

#: What two words side by side tell, and two with one between, beside 1 for the rarest word.
_PAIR: Final = 0.5
_GAP: Final = 0.3
#: What the commonest word tells.
_LEAST: Final = 0.1
#: Lines that every intent is thought to have had that say what all say.
_PRIOR: Final = 1.0
#: A question as short, or as long, as this counts as no shorter and no longer.
_LENGTHS: Final = (4, 16)


Lines = Annotated[tuple[Line, ...], Field(min_length=1)]


class OutsideFile(Frozen):
    """`outside.yml`: by group and locale, questions that no card answers."""

    groups: Mapping[str, Mapping[Locale, Lines]]

    @field_validator("groups")
    @classmethod
    def _every_locale(cls, groups: Mapping[str, Mapping[Locale, Lines]]) -> Mapping[str, Mapping[Locale, Lines]]:
        for name, group in groups.items():
            if missing := [locale for locale in LOCALES if locale not in group]:
                raise ValueError(f"{name} has nothing in {', '.join(missing)}")
        return groups


class Sample(NamedTuple):
    """A line that asks for an intent, as `signs` reads it, and how much of a line it counts for."""

    intent: str
    signs: Iterable[str]
    share: float


def signs(order: Sequence[str], telling: Mapping[str, float]) -> dict[str, float]:
    """The words of a text and its pairs of words, each with how much it tells, 0 to 1.

    Args:
        order: its stems, one after the other.
        telling: what each tells that is no name of a medicine.
    """
    found = {word: max(_LEAST, tells) for word, tells in telling.items()}
    row = ("^", *order)
    found.update((f"{one} {other}", _PAIR) for one, other in pairwise(row))
    found.update((f"{one} * {other}", _GAP) for one, other in zip(row, row[2:], strict=False))
    return found


class Bayes:
    """How much likelier each intent is by the signs of a text than before it was read. Immutable once built."""

    def __init__(self, samples: Iterable[Sample]) -> None:
        counts: dict[str, dict[str, float]] = {}
        lines: dict[str, float] = {}
        for intent, found, share in samples:
            lines[intent] = lines.get(intent, 0.0) + share
            for sign in found:
                row = counts.setdefault(sign, {})
                row[intent] = row.get(intent, 0.0) + share
        everything = sum(lines.values())
        self._missing = {intent: math.log(_PRIOR / (count + _PRIOR)) for intent, count in lines.items()}
        self._gains = {sign: _gains(row, everything) for sign, row in counts.items()}

    def scores(self, found: Mapping[str, float], length: int) -> dict[str, float]:
        """Log odds a word, for a text with these signs and so many words."""
        known = [(weight, self._gains[sign]) for sign, weight in sorted(found.items()) if sign in self._gains]
        mass = sum(weight for weight, _ in known)
        totals = {intent: mass * missing for intent, missing in self._missing.items()}
        for weight, gains in known:
            for intent, gain in gains.items():
                totals[intent] += weight * gain
        shortest, longest = _LENGTHS
        words = min(longest, max(shortest, length))
        return {intent: total / words for intent, total in totals.items()}


def _gains(row: Mapping[str, float], everything: float) -> dict[str, float]:
    """What a sign adds for the intents that have it, over one that has it not."""
    expected = _PRIOR * sum(row.values()) / everything
    return {intent: math.log((count + expected) / expected) for intent, count in row.items()}


def margin(scores: Scores, intent: str) -> float:
    """How much likelier an intent is than that the question lies outside."""
    return scores.get(intent, 0.0) - scores.get(OUTSIDE, 0.0)


def load_outside(config: Path | None = None) -> dict[Locale, tuple[str, ...]]:
    """Read `outside.yml` of a config directory (None: the shipped one).

    Raises:
        UsageError: with file, line and mend.
    """
    groups = load_yaml((config or data_dir("config")) / "outside.yml", OutsideFile).groups.values()
    return {locale: tuple(line for group in groups for line in group[locale]) for locale in LOCALES}
