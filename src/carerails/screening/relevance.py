"""How much a unit helps to answer a question, without a model that could say: by shared words, and by meaning.

Meaning is there with the extra `semantic`. Both are weak: they tell what is about something else from what is not, and
order the rest. A sentence may lean on its neighbours (`Keep it away from the ice pack`), so one of a source that is
about the question is at least about the same subject.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from carerails.contracts import Locale, ScoreAnswer, Unit
from carerails.screening.evidence import read
from carerails.screening.vectors import Vectors

#: Share of the question's words, and cosine, from which a unit is on each level; below the first it is on level 0.
_SHARES: Final = (1e-9, 0.25, 0.6)
_COSINES: Final = (0.12, 0.3, 0.5)
#: Probability of the level found; its neighbours share the rest.
_SURE: Final = 0.7


class Relevance:
    """Answers `relevance`. May be used from any thread.

    Args:
        vectors: by which meaning is compared too; None: words only.
    """

    def __init__(self, vectors: Vectors | None = None) -> None:
        self._vectors = vectors

    def scores(self, question: str, locale: Locale, units: Sequence[Unit]) -> Mapping[str, ScoreAnswer]:
        """By key."""
        own = {unit.key: _level(_share(question, unit.text, locale), _SHARES) for unit in units}
        titles = {(unit.source, unit.about) for unit in units if unit.about}
        about = {source: _level(_share(question, title, locale), _SHARES) for source, title in titles}
        if self._vectors:
            read_as = self._vectors.of([question, *(unit.text for unit in units), *(title for _, title in titles)])
            for unit in units:
                near = float((read_as[unit.text] * read_as[question]).sum())
                own[unit.key] = max(own[unit.key], _level(near, _COSINES))
            for source, title in titles:
                near = float((read_as[title] * read_as[question]).sum())
                about[source] = max(about[source], _level(near, _COSINES))
        for unit in units:
            about[unit.source] = max(about.get(unit.source, 0), own[unit.key])
        return {unit.key: _answer(max(own[unit.key], min(1, about[unit.source]))) for unit in units}


def _share(question: str, text: str, locale: Locale) -> float:
    """The share of the question's words that the text has too."""
    asked = read(question, locale).stems
    return len(asked & read(text, locale).stems) / len(asked) if asked else 0.0


def _level(value: float, steps: Sequence[float]) -> int:
    return sum(value >= step for step in steps)


def _answer(level: int) -> ScoreAnswer:
    beside = [place for place in (level - 1, level + 1) if 0 <= place <= len(_SHARES)]
    probabilities = [0.0] * (len(_SHARES) + 1)
    probabilities[level] = _SURE
    for place in beside:
        probabilities[place] = (1 - _SURE) / len(beside)
    mean = sum(place * probability for place, probability in enumerate(probabilities))
    return ScoreAnswer(
        score=round(mean, 4), probabilities=tuple(probabilities), confidence=round((_SURE - 0.25) / 0.75, 4)
    )
