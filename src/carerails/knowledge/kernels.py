"""Kernel ridge regression: which intent a text asks for, by how alike it is to lines of which the intent is known."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from carerails.keeping import Shelf
from carerails.parallel import one_thread

OUTSIDE: Final = "outside"
#: How much the fit is held back.
_RIDGE: Final = 0.5
_SHELF: Final = Shelf("intents", ".bin", most=12)


def kept(parts: Sequence[bytes | str], shape: tuple[int, int]) -> tuple[Path | None, Any]:
    """Where the weights are kept that depend on these parts and on this code, and the weights; None where none are."""
    key = hashlib.sha256(Path(__file__).read_bytes())
    for part in parts:
        key.update(part.encode() if isinstance(part, str) else part)
        key.update(b"\0")
    path = _SHELF.path(key.hexdigest())
    body = _SHELF.read(path) if path else None
    if body is None or len(body) != shape[0] * shape[1] * 4:
        return path, None
    numpy: Any = import_module("numpy")
    return path, numpy.frombuffer(body, dtype=numpy.float32).reshape(shape)


def keep(path: Path | None, weights: Any) -> None:
    """Keep weights where `kept` looks for them."""
    if path:
        _SHELF.write(path, weights.tobytes())


def fitted(alike: Any, owners: Sequence[str], intents: Sequence[str], shares: Sequence[float] | None = None) -> Any:
    """Lines x intents: how much likeness to a line speaks for an intent; lines of intents with few count for more.

    Those that lie outside count in full: they are the most and of the most kinds, and held back they would let through
    what is unlike all of them.

    Args:
        alike: lines x lines of float32, 1 for what is the same; it is overwritten.
        owners: the intent of each line.
        intents: all of them, each once.
        shares: how much of a line each counts for; None: all in full.
    """
    numpy: Any = import_module("numpy")
    linalg: Any = import_module("scipy.linalg")
    told = numpy.array([[owner == intent for intent in intents] for owner in owners], dtype=numpy.float32)
    full = numpy.ones(len(owners)) if shares is None else numpy.array(shares)
    counts = full @ told
    by_intent = numpy.where([intent == OUTSIDE for intent in intents], 1.0, numpy.sqrt(counts.mean() / counts))
    alike[numpy.diag_indices(len(owners))] += _RIDGE / (full * (told @ by_intent))
    with one_thread():
        # In place and in single precision, which `numpy.linalg` would not do: a few thousand lines are a big matrix.
        factor = linalg.cho_factor(alike.T, lower=True, overwrite_a=True, check_finite=False)
        return numpy.ascontiguousarray(linalg.cho_solve(factor, told, check_finite=False))
