"""How like a question is, in words, to the ways in which people ask for a card."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

#: Share of its weight that a word keeps which every text has: word for word the same is still the same.
_LEAST: Final = 0.4


@dataclass(frozen=True)
class Ask:
    """One way to ask for a card: its stems with how much each tells, and the medicines that it names."""

    stems: Mapping[str, float]
    named: frozenset[str]


def _share(telling: float) -> float:
    return _LEAST + (1 - _LEAST) * telling


class Likest(NamedTuple):
    """The likest ask of a card, 0 to 1: among all, and among those that name no medicine."""

    of_all: float
    of_nameless: float


NOT_ALIKE: Final = Likest(0.0, 0.0)


class AskIndex:
    """Finds, for the words of a question, how like it is to every ask: shared words by weight (Dice)."""

    def __init__(self, cards: Iterable[tuple[str, Iterable[Ask]]], weight: Callable[[str], float]) -> None:
        self._weight = weight
        self._asks: list[tuple[str, bool, float]] = []
        self._with: dict[str, list[int]] = {}
        for card, asks in cards:
            for ask in asks:
                for stem_ in ask.stems:
                    self._with.setdefault(stem_, []).append(len(self._asks))
                self._asks.append(
                    (card, not ask.named, sum(weight(s) * _share(ask.stems[s]) for s in sorted(ask.stems)))
                )

    def likest(self, stems: Mapping[str, float]) -> dict[str, Likest]:
        """By card; a card without any of the words is left out."""
        shared: dict[int, float] = {}
        mass = 0.0
        for stem_ in sorted(stems):  # sums of floats depend on the order, and answers must not
            weight = self._weight(stem_) * _share(stems[stem_])
            if not weight:
                continue
            mass += weight
            for number in self._with.get(stem_, ()):
                shared[number] = shared.get(number, 0.0) + weight
        of_all: dict[str, float] = {}
        of_nameless: dict[str, float] = {}
        for number, common in shared.items():
            card, nameless, ask_mass = self._asks[number]
            dice = min(1.0, 2 * common / (mass + ask_mass))
            if dice > of_all.get(card, 0.0):
                of_all[card] = dice
            if nameless and dice > of_nameless.get(card, 0.0):
                of_nameless[card] = dice
        return {card: Likest(dice, of_nameless.get(card, 0.0)) for card, dice in of_all.items()}
