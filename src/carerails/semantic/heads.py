"""Kernel ridge regression on embeddings, one head an opinion, and what its scores mean as probabilities.

All heads share one matrix of how alike the examples are, so that they are fitted by one inversion; it also gives, in
closed form, what each example would have scored had its fold been left out, on which the probabilities are fitted.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final
from zipfile import BadZipFile

from carerails.keeping import Shelf
from carerails.parallel import one_thread
from carerails.semantic.encoder import WIDTH

#: How quickly likeness fades: `exp(-_FADES * squared distance)`.
_FADES: Final = 1.5
#: How much the fit is held back, where nobody says otherwise.
_RIDGE: Final = 3.0
_STEPS: Final = 50


@dataclass(frozen=True)
class Heads:
    """Fitted heads.

    Attributes:
        vectors: examples x WIDTH.
        weights: examples x heads.
        slopes: of the probabilities, a head; with `offsets`, log odds = slope * score + offset.
        offsets: see there.
        held_out: examples x heads: log odds of each example by heads that never saw its fold.
    """

    vectors: Any
    weights: Any
    slopes: Any
    offsets: Any
    held_out: Any

    def log_odds(self, vector: Any) -> tuple[Any, Any]:
        """Of every head for one text, and how alike each example is, 0 to 1.

        0 means: as likely one of the head's own as another, were there as many of both.
        """
        numpy: Any = import_module("numpy")
        # `@` would wake threads, which costs more.
        alike = numpy.exp(2 * _FADES * (numpy.einsum("ij,j->i", self.vectors, vector) - 1))
        scores = numpy.einsum("ij,i->j", self.weights, alike)
        return self.slopes * scores + self.offsets, alike

    def to_bytes(self) -> bytes:
        """All of it."""
        numpy: Any = import_module("numpy")
        body = io.BytesIO()
        numpy.savez(body, **{name: getattr(self, name) for name in self.__dataclass_fields__})
        return body.getvalue()

    @classmethod
    def from_bytes(cls, body: bytes) -> Heads:
        """What `to_bytes` wrote.

        Raises:
            ValueError: it did not.
        """
        numpy: Any = import_module("numpy")
        try:
            with numpy.load(io.BytesIO(body), allow_pickle=False) as arrays:
                found = cls(**{name: arrays[name] for name in cls.__dataclass_fields__})
        except (KeyError, OSError, EOFError, BadZipFile) as error:
            raise ValueError("arrays that cannot be read") from error
        if found.vectors.shape[1:] != (WIDTH,) or len(found.vectors) != len(found.weights):
            raise ValueError("arrays that do not fit together")
        return found


def fit(vectors: Any, told: Any, folds: Sequence[int], ridge: float = _RIDGE) -> Heads:
    """Fit one head a column of `told`.

    Args:
        vectors: one row of float32 an example, of length 1.
        told: examples x heads: 1 for a head's own, below 0 for what it is told from, 0 for what is neither.
        folds: examples of one fold are left out together when the probabilities are fitted.
        ridge: how much the fit is held back.
    """
    numpy: Any = import_module("numpy")
    with one_thread():
        alike = vectors @ vectors.T
        alike -= 1
        alike *= 2 * _FADES
        numpy.exp(alike, out=alike)
        alike[numpy.diag_indices(len(vectors))] += ridge
        inverse = _inverse(alike)
        weights = inverse @ told
        scored = left_out(inverse, weights, told, folds)
    scales = [_scale(scores[is_ != 0], is_[is_ != 0] > 0) for scores, is_ in zip(scored.T, told.T, strict=True)]
    slopes, offsets = numpy.array(scales, dtype=numpy.float32).T
    return Heads(vectors, weights, slopes, offsets, scored * slopes + offsets)


def kept(shelf: Shelf, key: str | None, fitted: Callable[[], Heads]) -> Heads:
    """The heads as they were kept, or `fitted` and kept.

    Args:
        shelf: where.
        key: hash of all that they depend on; None: they are not kept.
        fitted: fits them.
    """
    path = shelf.path(key) if key else None
    body = shelf.read(path) if path else None
    if body is not None:
        with suppress(ValueError):  # of another version, most likely: fit again
            return Heads.from_bytes(body)
    heads = fitted()
    if path:
        shelf.write(path, heads.to_bytes())
    return heads


def left_out(inverse: Any, weights: Any, told: Any, folds: Sequence[object]) -> Any:
    """What each example of a ridge regression would have scored, had its fold been left out: in closed form.

    Args:
        inverse: of the matrix of how alike the examples are, the ridge added.
        weights: `inverse @ told`.
        told: what the examples were told to score, in one column or several.
        folds: of each example.
    """
    numpy: Any = import_module("numpy")
    scored = numpy.empty_like(told)
    of = numpy.asarray(folds)
    for fold in sorted(set(of.tolist())):
        rows = numpy.flatnonzero(of == fold)
        scored[rows] = told[rows] - numpy.linalg.solve(inverse[numpy.ix_(rows, rows)], weights[rows])
    return scored


def _inverse(matrix: Any) -> Any:
    """Of a symmetric positive definite matrix of float32, which is overwritten: at half the price of any other."""
    lapack: Any = import_module("scipy.linalg.lapack")
    factor, _ = lapack.spotrf(matrix.T, overwrite_a=1)
    half, _ = lapack.spotri(factor, overwrite_c=1)
    for row in range(len(half)):
        half[row + 1 :, row] = half[row, row + 1 :]
    return half


def _scale(scores: Any, belongs: Any) -> tuple[float, float]:
    """Slope and offset of the log odds of belonging, by Platt's method, both kinds weighing the same."""
    numpy: Any = import_module("numpy")
    own, other = int(belongs.sum()), int((~belongs).sum())
    target = numpy.where(belongs, (own + 1) / (own + 2), 1 / (other + 2))
    share = numpy.where(belongs, 0.5 / own, 0.5 / other)
    rows = numpy.stack([scores.astype(float), numpy.ones(len(scores))])
    line = numpy.zeros(2)
    for _ in range(_STEPS):
        guess = 1 / (1 + numpy.exp(-line @ rows))
        slope = rows @ (share * (guess - target)) + 1e-6 * line
        bend = (rows * (share * guess * (1 - guess))) @ rows.T + 1e-6 * numpy.eye(2)
        step = numpy.linalg.solve(bend, slope)
        line = line - step
        if abs(step).max() < 1e-9:
            break
    return float(line[0]), float(line[1])
