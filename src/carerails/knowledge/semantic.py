"""What a question asks for by its meaning, where the extra `semantic` is installed."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final

from carerails.knowledge.intents import OUTSIDE
from carerails.semantic.encoder import WIDTH, Encoder, embedded, is_installed, shared_encoder

__all__ = ["Semantic", "is_installed"]

_LONGEST: Final = 600  # characters of a question that are embedded
#: How much the fit is held back.
_RIDGE: Final = 1.0


class Semantic:
    """Reads intents from embeddings, by a linear map fitted at start to lines of which the intent is known.

    All locales are fitted together: what is asked in one language helps to know it in another.

    Args:
        lines: intent and text of each.
        encoder: None: that of the extra.
    """

    def __init__(self, lines: Sequence[tuple[str, str]], encoder: Encoder | None = None) -> None:
        self._encoder: Encoder = encoder or shared_encoder()
        owners = [intent for intent, _ in lines]
        self._intents = list(dict.fromkeys(owners))
        vectors = embedded([text for _, text in lines], encoder)
        self._map = _fitted(vectors, owners, self._intents)

    def scores(self, question: str) -> dict[str, float]:
        """How likely each intent is, about 0 to 1."""
        vector = self._encoder.encode([question[:_LONGEST]])[0]
        scores = (vector[:, None] * self._map[:-1]).sum(0) + self._map[-1]  # `@` wakes threads, which costs more
        return dict(zip(self._intents, scores.tolist(), strict=True))


def _fitted(vectors: Any, owners: Sequence[str], intents: Sequence[str]) -> Any:
    """Ridge regression of which intent it is on the embedding and 1; lines of intents that have few count for more.

    Those that lie outside count in full: they are the most and of the most kinds, and held back they would let through
    what is unlike all of them.
    """
    numpy: Any = import_module("numpy")
    told = numpy.array([[float(owner == intent) for intent in intents] for owner in owners])
    counts = told.sum(0)
    by_intent = numpy.where([intent == OUTSIDE for intent in intents], 1.0, numpy.sqrt(counts.mean() / counts))
    weights = (told @ by_intent)[:, None]
    rows = numpy.hstack([vectors, numpy.ones((len(vectors), 1))])
    return numpy.linalg.solve((rows * weights).T @ rows + _RIDGE * numpy.eye(WIDTH + 1), (rows * weights).T @ told)
