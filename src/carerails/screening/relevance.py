"""How much a unit helps to answer a question, without a model that could say: by shared words, and by meaning.

Meaning is there with the extra `semantic`. Both are weak: they tell what is about something else from what is not, and
order the rest. Meaning tells it best by comparison: beside a source that answers, others are seen to be far. A sentence
may lean on its neighbours (`Keep it away from the ice pack`), so one of a source that is about the question is at least
about the same subject.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from carerails.contracts import Locale, ScoreAnswer, Unit
from carerails.screening.evidence import read
from carerails.screening.vectors import Vectors

#: Share of the question's words, and cosine, from which a unit is on each level; below the first it is on level 0.
_SHARES: Final = (1e-9, 0.25, 0.6)
_COSINES: Final = (0.12, 0.3, 0.5)
#: A source whose nearest text is less than this part as near as the nearest of all is about something else.
_NEARLY: Final = 0.6
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
        far: frozenset[str] = frozenset()
        if self._vectors:
            near = _nearness(self._vectors, question, [*(unit.text for unit in units), *(title for _, title in titles)])
            for unit in units:
                own[unit.key] = max(own[unit.key], _level(near[unit.text], _COSINES))
            for source, title in titles:
                about[source] = max(about[source], _level(near[title], _COSINES))
            far = _far({(unit.source, near[unit.text]) for unit in units} | {(s, near[title]) for s, title in titles})
        for unit in units:
            about[unit.source] = max(about.get(unit.source, 0), own[unit.key])
        levels = {unit.key: max(own[unit.key], min(1, about[unit.source])) for unit in units}
        return {unit.key: _answer(0 if unit.source in far else levels[unit.key]) for unit in units}


def _nearness(vectors: Vectors, question: str, texts: Sequence[str]) -> Mapping[str, float]:
    """Cosine of each text and the question."""
    found = vectors.of([question, *texts])
    return {text: float((found[text] * found[question]).sum()) for text in texts}


def _far(near: Iterable[tuple[str, float]]) -> frozenset[str]:
    """The sources that have nothing nearly as near as the nearest of all."""
    best: dict[str, float] = {}
    for source, nearness in near:
        best[source] = max(best.get(source, -1.0), nearness)
    least = _NEARLY * max(best.values(), default=0.0)
    return frozenset(source for source, nearness in best.items() if nearness < least)


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
