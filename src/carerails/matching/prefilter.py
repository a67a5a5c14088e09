"""Which of some thousand literals does a text contain: by an automaton, or without one by a table of trigrams."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Protocol

Hit = tuple[int, int, int]
"""Number of the literal, and the half-open range where it stands."""


class Prefilter(Protocol):
    """Finds every occurrence of every literal, overlapping ones too."""

    def hits(self, text: str) -> Iterable[Hit]:
        """All occurrences, those of one literal from left to right. Time linear in the text."""
        ...


def prefilter(literals: Sequence[str], *, automaton: bool) -> Prefilter:
    """The fastest one at hand.

    Args:
        literals: what to find; none is empty.
        automaton: False keeps to the standard library.
    """
    if automaton:
        try:
            return _Automaton(literals)
        except ImportError:
            pass
    return _Trigrams(literals)


class _Automaton:
    def __init__(self, literals: Sequence[str]) -> None:
        import ahocorasick_rs

        self._find = ahocorasick_rs.AhoCorasick(literals, implementation=ahocorasick_rs.Implementation.ContiguousNFA)

    def hits(self, text: str) -> Iterable[Hit]:
        return self._find.find_matches_as_indexes(text, overlapping=True)


class _Trigrams:
    """Files each literal under one of its trigrams, so that a text's trigrams name the few worth looking for."""

    def __init__(self, literals: Sequence[str]) -> None:
        popular = Counter(gram for literal in literals for gram in _grams(literal))
        self._filed: dict[str, list[tuple[int, str]]] = {}
        self._short: list[tuple[int, str]] = []
        for number, literal in enumerate(literals):
            grams = _grams(literal)
            shelf = self._filed.setdefault(min(grams, key=lambda g: (popular[g], g)), []) if grams else self._short
            shelf.append((number, literal))
        self._keys = self._filed.keys()

    def hits(self, text: str) -> Iterable[Hit]:
        wanted = [entry for gram in self._keys & _grams(text) for entry in self._filed[gram]]
        for number, literal in self._short + wanted:
            at = text.find(literal)
            while at >= 0:
                yield number, at, at + len(literal)
                at = text.find(literal, at + 1)


def _grams(text: str) -> set[str]:
    return {text[i : i + 3] for i in range(len(text) - 2)}
