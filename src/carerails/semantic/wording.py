"""How a text is worded, beside what it means: words, pairs of words and beginnings of words, weighed by their rarity.

The encoder hears what a sentence is about. That somebody asks for leave, says goodbye or counts is told by small words,
which it hardly hears.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from itertools import pairwise
from typing import Any, Final

#: Texts that must have a feature in common before it counts.
_COMMON: Final = 3
_WORDS: Final = re.compile(r"[a-z']+|\d+|\?")
#: Letters of the beginnings of longer words: what inflection leaves alone.
_BEGINNINGS: Final = (4, 5)
_NOTHING: Final[Sequence[str]] = ()


@dataclass(frozen=True)
class Wording:
    """Features of some texts.

    Attributes:
        names: of the features.
        rarity: one float32 a feature, the log of how few texts have it (inverse document frequency).
    """

    names: Sequence[str]
    rarity: Any

    @classmethod
    def of(cls, texts: Sequence[str]) -> Wording:
        """The features that several of the texts have."""
        numpy: Any = import_module("numpy")
        counts = Counter(feature for text in texts for feature in _features(text))
        names = sorted(name for name, count in counts.items() if count >= _COMMON)
        rarity = numpy.log(numpy.array([len(texts) / counts[name] for name in names], dtype=numpy.float32))
        return cls(names, rarity)

    @classmethod
    def none(cls) -> Wording:
        """No features: texts are told apart by their meaning alone."""
        numpy: Any = import_module("numpy")
        return cls(_NOTHING, numpy.zeros(0, dtype=numpy.float32))

    def rows(self, texts: Sequence[str]) -> Any:
        """A sparse row of length 1 a text, or of zeros where it has no feature."""
        sparse: Any = import_module("scipy.sparse")
        numpy: Any = import_module("numpy")
        found = [self.of_one(text) for text in texts]
        ends = numpy.cumsum([0, *(len(places) for places, _ in found)])
        places, values = (numpy.concatenate(each) for each in zip(*found, strict=True))
        return sparse.csr_matrix((values, places, ends), shape=(len(texts), len(self.names)))

    def of_one(self, text: str) -> tuple[Any, Any]:
        """The features of a text that are known, by number in order, and what they weigh, together 1."""
        numpy: Any = import_module("numpy")
        known = sorted(self._numbers[feature] for feature in _features(text) if feature in self._numbers)
        places = numpy.array(known, dtype=numpy.int64)
        values = self.rarity[places]
        length = numpy.sqrt(values @ values)
        return places, values / length if length else values

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names)}


def _features(text: str) -> set[str]:
    words = ["0" if word.isdigit() else word for word in _WORDS.findall(text)]
    return {*words, *_pairs(words), *(f"{word[:n]}-" for word in words if len(word) > 4 for n in _BEGINNINGS)}


def _pairs(words: Sequence[str]) -> Iterator[str]:
    """Words that stand side by side, and with one between them."""
    for one, two in pairwise(words):
        yield f"{one} {two}"
    for one, two in zip(words, words[2:], strict=False):
        yield f"{one} _ {two}"
