"""What a question asks for, learned at start from the ways in which people ask: by words, pairs of them, and pieces.

An intent is a card that holds for any medicine, or a topic of the cards of one medicine each (which medicine it is, is
checked for itself), or `OUTSIDE`: what lies near the cards and no card answers.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

from pydantic import Field, field_validator

from carerails.config import load_yaml
from carerails.contracts import LOCALES, Frozen, Locale
from carerails.knowledge.cards import Line
from carerails.knowledge.kernels import OUTSIDE, fitted, keep, kept
from carerails.resources import data_dir

#: What stands in place of the name of a medicine, so that any does.
A_MEDICINE: Final = "0"
Scores = Mapping[str, float]
"""By intent, the more the likelier; only differences mean anything."""

#: What two words side by side tell, and two with one between, beside 1 for the rarest word.
_PAIR: Final = 0.5
_GAP: Final = 0.3
#: What the commonest word tells.
_LEAST: Final = 0.1
#: What a piece of a word tells, and of how many letters it is.
_PIECE: Final = 0.5
_LETTERS: Final = 4
#: Lines that a sign is thought to be in beside those that have it.
_UNSEEN: Final = 0.5
#: How quickly likeness fades: `exp(-_FADES * (1 - cosine))`.
_FADES: Final = 1.0


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
    """A line that asks for an intent, by its `signs`, and how much of a line it counts for."""

    intent: str
    signs: Mapping[str, float]
    share: float


def signs(order: Sequence[str], telling: Mapping[str, float], words: Iterable[str] = ()) -> dict[str, float]:
    """The words of a text, its pairs of words and the pieces of its words, each with how much it tells, 0 to 1.

    Args:
        order: its stems, one after the other.
        telling: what each tells that is no name of a medicine.
        words: those that are no name, whole: forms, slips and words that are put together share pieces.
    """
    found = {word: max(_LEAST, tells) for word, tells in telling.items()}
    row = ("^", *order)
    found.update((f"{one} {other}", _PAIR) for one, other in pairwise(row))
    found.update((f"{one} * {other}", _GAP) for one, other in zip(row, row[2:], strict=False))
    for word in words:
        for piece in _pieces(word):
            found[piece] = found.get(piece, 0.0) + _PIECE
    return found


@lru_cache(maxsize=20_000)
def _pieces(word: str) -> tuple[str, ...]:
    """Its runs of letters, edges marked: `<fri frid ridg idge dge>`."""
    edged = f"<{word}>"
    return tuple(f"~{edged[at : at + _LETTERS]}" for at in range(max(1, len(edged) - _LETTERS + 1)))


class Wording:
    """Reads intents from the signs of a text, by how alike they are to those of known lines. Immutable once built.

    What was fitted is kept from one command to the next.
    """

    def __init__(self, samples: Iterable[Sample]) -> None:
        numpy: Any = import_module("numpy")
        samples = list(samples)
        owners = [sample.intent for sample in samples]
        self._intents = list(dict.fromkeys(owners))
        self._columns: dict[str, int] = {}
        place = self._columns
        columns = numpy.array([place.setdefault(sign, len(place)) for sample in samples for sign in sample.signs])
        told = numpy.array([tells for sample in samples for tells in sample.signs.values()], dtype=numpy.float32)
        lengths = [len(sample.signs) for sample in samples]
        rows = numpy.repeat(numpy.arange(len(samples)), lengths)
        rarity = numpy.log((len(samples) + 1) / (numpy.bincount(columns, minlength=len(place)) + _UNSEEN))
        self._rarity: list[float] = rarity.tolist()
        self._rarest = math.log((len(samples) + 1) / _UNSEEN)
        values = told * rarity[columns]
        values /= numpy.sqrt(numpy.bincount(rows, weights=values**2, minlength=len(samples)))[rows]
        values = values.astype(numpy.float32)
        self._weights = self._kept(samples, owners, (values, rows, columns))
        by_sign = numpy.argsort(columns, kind="stable")
        self._lines, self._values = rows[by_sign], values[by_sign]
        self._ends = numpy.searchsorted(columns[by_sign], numpy.arange(len(place) + 1)).tolist()

    def scores(self, found: Mapping[str, float]) -> dict[str, float]:
        """How likely each intent is for a text with these signs, about 0 to 1."""
        numpy: Any = import_module("numpy")
        known = [(self._columns[sign], tells) for sign, tells in found.items() if sign in self._columns]
        values = [tells * self._rarity[column] for column, tells in known] or [0.0]
        unknown = sum(tells * tells for sign, tells in found.items() if sign not in self._columns)
        length = math.sqrt(sum(value * value for value in values) + unknown * self._rarest**2) or 1.0
        places = [slice(self._ends[column], self._ends[column + 1]) for column, _ in known] or [slice(0)]
        lines = numpy.concatenate([self._lines[place] for place in places])
        cells = numpy.concatenate([self._values[place] * value for place, value in zip(places, values, strict=True)])
        alike = numpy.bincount(lines, weights=cells, minlength=len(self._weights))
        alike = numpy.exp(_FADES * (alike / length - 1)).astype(numpy.float32)
        scores = numpy.einsum("ij,i->j", self._weights, alike)
        return dict(zip(self._intents, scores.tolist(), strict=True))

    def _kept(self, samples: Sequence[Sample], owners: Sequence[str], cells: tuple[Any, Any, Any]) -> Any:
        """The weights of the lines, fitted, or as they were kept."""
        numpy: Any = import_module("numpy")
        shares = [sample.share for sample in samples]
        values, rows, columns = cells
        parts = [Path(__file__).read_bytes(), json.dumps([owners, shares]), *(cell.tobytes() for cell in cells)]
        path, weights = kept(parts, (len(samples), len(self._intents)))
        if weights is not None:
            return weights
        sparse: Any = import_module("scipy.sparse")
        table = sparse.csr_matrix((values, (rows, columns)), shape=(len(samples), len(self._columns)))
        alike = (table @ table.T).toarray()
        alike -= 1
        alike *= _FADES
        weights = fitted(numpy.exp(alike, out=alike), owners, self._intents, shares)
        keep(path, weights)
        return weights


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
