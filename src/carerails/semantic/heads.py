"""Kernel ridge regression on embeddings and wording, one head an opinion, and what its scores mean as probabilities.

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
from carerails.semantic.wording import Wording

#: How quickly likeness fades: `exp(-_FADES * squared distance)`.
_FADES: Final = 1.5
#: How much the fit is held back, where nobody says otherwise.
_RIDGE: Final = 3.0
_STEPS: Final = 50
#: What wording weighs beside meaning, where it is looked at.
_WORDING: Final = 0.5
#: Dimensions of the embeddings that are looked at: those along which the examples differ most. More tell no more.
_AXES: Final = 256
#: Rows of the matrix that are made at a time.
_ROWS: Final = 1024


@dataclass(frozen=True)
class Heads:
    """Fitted heads.

    Attributes:
        axes: WIDTH x the dimensions that are looked at.
        vectors: examples x those dimensions, of length 1.
        weights: examples x heads.
        slopes: of the probabilities, a head; with `offsets`, log odds = slope * score + offset.
        offsets: see there.
        held_out: examples x heads: log odds of each example by heads that never saw its fold.
        wording: features of the examples' wording; none where only their meaning was learnt.
        pulls: features x heads: what each feature adds to a score.
    """

    axes: Any
    vectors: Any
    weights: Any
    slopes: Any
    offsets: Any
    held_out: Any
    wording: Wording
    pulls: Any

    def log_odds(self, vector: Any, text: str = "") -> tuple[Any, Any]:
        """Of every head for one text, and how alike in meaning each example is, 0 to 1.

        0 means: as likely one of the head's own as another, were there as many of both.
        """
        numpy: Any = import_module("numpy")
        # `@` would wake threads, which costs more.
        turned = _of_length_1(numpy.einsum("ij,i->j", self.axes, vector))
        alike = numpy.exp(2 * _FADES * (numpy.einsum("ij,j->i", self.vectors, turned) - 1))
        scores = numpy.einsum("ij,i->j", self.weights, alike)
        if len(self.pulls):
            places, values = self.wording.of_one(text)
            scores += numpy.einsum("ij,i->j", self.pulls[places], values)
        return self.slopes * scores + self.offsets, alike

    def to_bytes(self) -> bytes:
        """All of it."""
        numpy: Any = import_module("numpy")
        body = io.BytesIO()
        names = numpy.frombuffer("\n".join(self.wording.names).encode(), dtype=numpy.uint8)
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        numpy.savez(body, **arrays, names=names, rarity=self.wording.rarity)
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
                wording = Wording(arrays["names"].tobytes().decode().splitlines(), arrays["rarity"])
                found = cls(**{name: arrays[name] for name in _ARRAYS}, wording=wording)
        except (KeyError, OSError, EOFError, BadZipFile) as error:
            raise ValueError("arrays that cannot be read") from error
        fits = len(found.pulls) == len(wording.rarity) == len(wording.names)
        seen = found.axes.shape == (WIDTH, *found.vectors.shape[1:])
        if not seen or len(found.vectors) != len(found.weights) or not fits:
            raise ValueError("arrays that do not fit together")
        return found


_ARRAYS: Final = ("axes", "vectors", "weights", "slopes", "offsets", "held_out", "pulls")


def fit(
    vectors: Any, told: Any, folds: Sequence[int], ridge: float = _RIDGE, texts: Sequence[str] | None = None
) -> Heads:
    """Fit one head a column of `told`.

    Args:
        vectors: one row of float32 an example, of length 1.
        told: examples x heads: 1 for a head's own, below 0 for what it is told from, 0 for what is neither.
        folds: examples of one fold are left out together when the probabilities are fitted.
        ridge: how much the fit is held back.
        texts: of the vectors, where their wording is to be learnt, too.
    """
    numpy: Any = import_module("numpy")
    wording = Wording.none() if texts is None else Wording.of(texts)
    rows = wording.rows(texts or [""] * len(vectors))
    with one_thread():
        axes = numpy.linalg.eigh(vectors.T @ vectors)[1][:, -_AXES:]
        vectors = _of_length_1(vectors @ axes)
        alike = vectors @ vectors.T
        alike -= 1
        alike *= 2 * _FADES
        numpy.exp(alike, out=alike)
        for at in range(0, len(vectors) if len(wording.names) else 0, _ROWS):
            alike[at : at + _ROWS] += _WORDING * (rows[at : at + _ROWS] @ rows.T).toarray()
        alike[numpy.diag_indices(len(vectors))] += ridge
        inverse = _inverse(alike)
        weights = inverse @ told
        scored = left_out(inverse, weights, told, folds)
    pulls = (_WORDING * (rows.T @ weights)).astype(numpy.float32)
    scales = [_scale(scores[is_ != 0], is_[is_ != 0] > 0) for scores, is_ in zip(scored.T, told.T, strict=True)]
    slopes, offsets = numpy.array(scales, dtype=numpy.float32).T
    return Heads(axes, vectors, weights, slopes, offsets, scored * slopes + offsets, wording, pulls)


def _of_length_1(vectors: Any) -> Any:
    numpy: Any = import_module("numpy")
    return vectors / numpy.maximum(numpy.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9)


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
