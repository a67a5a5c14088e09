"""Words one letter off, found without comparing all (deletion neighbourhoods, as in SymSpell)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


class Near:
    """A list of words that answers which of them a word may be a slip for."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        self._one_less: dict[str, list[str]] = {}
        for word in sorted(self._words):
            for shorter in _without_one(word):
                self._one_less.setdefault(shorter, []).append(word)

    def near(self, word: str) -> set[str]:
        """The words that are at most one letter off: added, dropped, changed or swapped with its neighbour."""
        candidates: set[str] = set()
        for shorter in (word, *_without_one(word)):
            candidates.update(self._one_less.get(shorter, ()))
            if shorter in self._words:
                candidates.add(shorter)
        return {other for other in candidates if one_edit(word, other)}


def _without_one(word: str) -> Iterator[str]:
    return (word[:at] + word[at + 1 :] for at in range(len(word)))


def one_edit(one: str, other: str) -> bool:
    """Whether one letter added, dropped, changed or swapped with its neighbour, or none, makes one of the other."""
    if abs(len(one) - len(other)) > 1:
        return False
    start = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    a, b = one[start:], other[start:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])
