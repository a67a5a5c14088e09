"""A learnt second look for instructions to the model, beside the rules: for wordings that no rule foresaw.

It weighs what a sentence means, by the encoder of the extra `semantic`, and which kinds of words meet in it, by the
flow `kinds of words` of the rails. It learns from the examples of the rails and from nothing else: sentences that speak
to a model, and sentences that speak to people, mostly in the imperative. What it is worth on wordings of a new kind is
estimated by leaving out whole families of examples.
"""

from __future__ import annotations

import hashlib
import inspect
import io
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile

from carerails.colang import Example
from carerails.drafting.sentences import sentences
from carerails.errors import UsageError
from carerails.keeping import Shelf
from carerails.parallel import one_thread
from carerails.policy import Policy
from carerails.screening.vectors import Vectors, plain
from carerails.semantic.encoder import embedded, encoder_version
from carerails.semantic.heads import left_out

#: The flow that names the kinds of words in a sentence, and where its examples are: one family a file.
KINDS: Final = "kinds of words"
TO_THE_MODEL: Final = "examples/to_the_model/"
TO_THE_READER: Final = "examples/to_the_reader/"
#: How quickly likeness of meaning fades, what kinds weigh beside it, and how much the fit is held back.
_FADES: Final = 1.0
_KINDS_WEIGH: Final = 2.0
_RIDGE: Final = 0.5
#: Share of the readers' sentences, each judged without its family, that score below the probability of 0.5.
_SPARED: Final = 0.95
#: How steep probabilities are around it. Set by hand: they order sentences, no more.
_STEEP: Final = 4.0
#: Fewest examples of either side.
_ENOUGH: Final = 100
_SHELF: Final = Shelf("screening", ".npz", most=4)


@dataclass(frozen=True)
class Look:
    """What is seen in a unit: probability of instructions, and the family that its worst sentence is most like."""

    probability: float
    family: str


@dataclass(frozen=True)
class _Fitted:
    """Arrays. `held_out`: the scores of the examples, each without its family; `cut`: the score of probability 0.5.

    `names`: the kinds of words that were seen, in the order of the columns of `kinds`.
    """

    names: Any
    kinds: Any
    mean: Any
    weights: Any
    held_out: Any
    cut: Any

    def to_bytes(self) -> bytes:
        """All of it."""
        numpy: Any = import_module("numpy")
        body = io.BytesIO()
        numpy.savez(body, **vars(self))
        return body.getvalue()

    @classmethod
    def from_bytes(cls, body: bytes) -> _Fitted | None:
        """What `to_bytes` wrote; None for anything else."""
        numpy: Any = import_module("numpy")
        try:
            with numpy.load(io.BytesIO(body), allow_pickle=False) as arrays:
                return cls(**arrays)
        except (ValueError, TypeError, OSError, EOFError, BadZipFile):
            return None


class Head:
    """Looks at units sentence by sentence. Fitted when first asked; may be used from any thread.

    Args:
        policy: the rails of screening, with their examples and the flow `kinds of words`.
        vectors: where vectors come from, and are kept.
        embed: turns many texts into rows of vectors; None: as the extra does, kept from one command to the next.

    Raises:
        UsageError: the rails have too few examples, or no such flow.
    """

    def __init__(self, policy: Policy, vectors: Vectors, embed: Any = embedded) -> None:
        self._policy, self._vectors, self._embed = policy, vectors, embed
        for side in (TO_THE_MODEL, TO_THE_READER):
            count = len(_examples(policy, side))
            if count < _ENOUGH:
                raise UsageError(f"{count} examples in {side}", f"write at least {_ENOUGH}, or set `head: false`")
        policy.run(KINDS, "")
        self.examples: Sequence[Example] = _examples(policy, TO_THE_MODEL, TO_THE_READER)

    def start(self) -> None:
        """Fit now: at once where it was kept, else a second or two, and some more for the vectors of the examples."""
        _ = self._fitted, self._meanings

    def look(self, text: str) -> Look:
        """The worst of the sentences of a unit."""
        return self.look_at([text])[text]

    def look_at(self, texts: Sequence[str]) -> Mapping[str, Look]:
        """By text; what all of them mean is read in one go."""
        parts = {text: _parts(text) for text in texts}
        vectors = self._vectors.of(part for found in parts.values() for part in found)
        return {
            text: max((self._judged(part, vectors[part]) for part in found), key=_worst)
            for text, found in parts.items()
        }

    @property
    def sides(self) -> Sequence[bool]:
        """Of each example, whether it speaks to a model."""
        return [example.file.startswith(TO_THE_MODEL) for example in self.examples]

    @property
    def held_out(self) -> Sequence[float]:
        """What each example is given by a head that never saw its family."""
        return [_probability(score - float(self._fitted.cut)) for score in self._fitted.held_out.tolist()]

    def _judged(self, part: str, vector: Any) -> Look:
        numpy: Any = import_module("numpy")
        fitted = self._fitted
        kinds = numpy.array(self._kinds(part, fitted.names)) - fitted.mean
        # `@` would wake threads, which costs more.
        meant = numpy.exp(2 * _FADES * (numpy.einsum("ij,j->i", self._meanings, vector) - 1))
        met = numpy.einsum("ij,j->i", fitted.kinds, kinds)
        pull = fitted.weights * meant
        nearest = self.examples[int(pull.argmax())].category
        score = float(pull.sum() + (fitted.weights * met).sum())
        return Look(_probability(score - float(fitted.cut)), nearest)

    def _kinds(self, text: str, names: Any) -> list[float]:
        found = set(self._policy.run(KINDS, plain(text)))
        return [float(kind in found) for kind in names.tolist()]

    @cached_property
    def _meanings(self) -> Any:
        """The vectors of the examples."""
        return self._embed([plain(example.text) for example in self.examples])

    @cached_property
    def _fitted(self) -> _Fitted:
        """As it was kept, where the encoder is the extra's; else fitted, and kept."""
        path = _SHELF.path(self._fingerprint) if self._embed is embedded else None
        body = _SHELF.read(path) if path else None
        fitted = (_Fitted.from_bytes(body) if body else None) or self._fit()
        if path and not body:
            _SHELF.write(path, fitted.to_bytes())
        return fitted

    @property
    def _fingerprint(self) -> str:
        """Hash of all that the fit depends on: the rails, the examples in their order, the encoder, and this code."""
        told = [(example.file, example.text) for example in self.examples]
        parts = (encoder_version(), self._policy.digest, json.dumps(told), inspect.getsource(left_out))
        return hashlib.sha256("\0".join(parts).encode() + Path(__file__).read_bytes()).hexdigest()

    def _fit(self) -> _Fitted:
        """Ridge regression of the side on a sum of two likenesses; each score without its family in closed form."""
        numpy: Any = import_module("numpy")
        seen = [set(self._policy.run(KINDS, plain(example.text))) for example in self.examples]
        names = sorted(set[str]().union(*seen))
        kinds = numpy.array([[float(name in found) for name in names] for found in seen])
        vectors = self._meanings
        told = numpy.where(self.sides, 1.0, -1.0)
        with one_thread():
            mean = kinds.mean(0)
            weighed = (kinds - mean) * (4 * _KINDS_WEIGH / kinds.shape[1])
            alike = numpy.exp(2 * _FADES * (vectors @ vectors.T - 1)) + weighed @ (kinds - mean).T
            inverse = numpy.linalg.inv(alike + _RIDGE * numpy.eye(len(told)))
            weights = inverse @ told
            held_out = left_out(inverse, weights, told, [example.file for example in self.examples])
        cut = numpy.quantile(held_out[told < 0], _SPARED)
        return _Fitted(numpy.array(names), weighed, mean, weights, held_out, cut)


def has_examples(policy: Policy) -> bool:
    """Whether rails have any for a head to learn from; those that were written for rules alone have none."""
    return bool(_examples(policy, TO_THE_MODEL))


def _examples(policy: Policy, *sides: str) -> list[Example]:
    return [example for example in policy.examples if example.file.startswith(sides)]


def _parts(text: str) -> list[str]:
    """The sentences of a text, where it has more than one."""
    found = [sentence.text for sentence in sentences(text)]
    return found if len(found) > 1 else [text]


def _worst(look: Look) -> float:
    return look.probability


def _probability(above: float) -> float:
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, _STEEP * above))))
