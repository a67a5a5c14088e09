"""What a question asks for by its meaning, where the extra `semantic` is installed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from carerails.knowledge.kernels import fitted, keep, kept
from carerails.semantic.encoder import Encoder, embedded, encoder_version, is_installed, shared_encoder

__all__ = ["Semantic", "is_installed"]

_LONGEST: Final = 600  # characters of a question that are embedded
#: How quickly likeness fades: `exp(-_FADES * squared distance)`.
_FADES: Final = 1.0


class Semantic:
    """Reads intents from embeddings, by kernel ridge regression on lines of which the intent is known.

    All locales are fitted together: what is asked in one language helps to know it in another. What was fitted is kept
    from one command to the next where the encoder is ours.

    Args:
        lines: intent and text of each.
        encoder: None: that of the extra.
    """

    def __init__(self, lines: Sequence[tuple[str, str]], encoder: Encoder | None = None) -> None:
        self._encoder: Encoder = encoder or shared_encoder()
        self._intents = list(dict.fromkeys(intent for intent, _ in lines))
        self._vectors = embedded([text for _, text in lines], encoder)
        self._weights = _kept(self._vectors, lines, self._intents, encoder)

    def scores(self, question: str) -> dict[str, float]:
        """How likely each intent is, about 0 to 1."""
        numpy: Any = import_module("numpy")
        vector = self._encoder.encode([question[:_LONGEST]])[0]
        # `@` would wake threads, which costs more.
        alike = numpy.exp(2 * _FADES * (numpy.einsum("ij,j->i", self._vectors, vector) - 1))
        scores = numpy.einsum("ij,i->j", self._weights, alike)
        return dict(zip(self._intents, scores.tolist(), strict=True))


def _kept(vectors: Any, lines: Sequence[tuple[str, str]], intents: Sequence[str], encoder: Encoder | None) -> Any:
    """The weights of the lines, fitted, or as they were kept."""
    numpy: Any = import_module("numpy")
    parts = [Path(__file__).read_bytes(), encoder_version(), json.dumps(list(lines))]
    path, weights = kept(parts, (len(lines), len(intents))) if encoder is None else (None, None)
    if weights is not None:
        return weights
    alike = vectors @ vectors.T
    alike -= 1
    alike *= 2 * _FADES
    weights = fitted(numpy.exp(alike, out=alike), [intent for intent, _ in lines], intents)
    keep(path, weights)
    return weights
