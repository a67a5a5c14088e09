"""The local judge: no key, no network, the same answer every time, and it says which examples it was reminded of."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

from carerails.colang import Example
from carerails.contracts import Near, Opinion, Turn
from carerails.errors import UsageError
from carerails.semantic.encoder import Encoder, is_installed, shared_encoder
from carerails.semantic.heads import Heads
from carerails.semantic.learning import HEADS, REASONS, fingerprint, learn

#: Characters of a text that are read as a whole, and sentences that are read one by one.
_LONGEST: Final = 600
_MOST: Final = 12
#: Shorter ones are one thought: read by sentences, calm worries would sound like emergencies.
_LONG: Final = 160
#: What it has an opinion on.
OPINIONS: Final = ("suicide", "physical", *REASONS, "domain")
#: Opinions that also go by the sentences one by one: an emergency may stand in one of many. Others would find idioms.
_BY_SENTENCE: Final = frozenset({"physical"})
#: Examples that explain an opinion, and the score from which on there is something to explain.
_NEAREST: Final = 3
_WORTH: Final = 0.2

_ENDS = re.compile(r"(?<=[.!?]) ")
_WORD = re.compile(r"[a-z]")


class _Heard(NamedTuple):
    """A part of the text, by opinion its log odds and the head that has them, and how alike each example is."""

    text: str
    said: dict[str, tuple[float, str]]
    alike: Any


class LocalJudge:
    """`SemanticJudge` that learnt from the examples of the rails, and what is ordinary from the cards.

    Args:
        examples: those of the policy.
        cards: files of the cards that are answered from; none are needed.
        encoder: None: that of the extra.

    Raises:
        UsageError: the extra is not installed, or a card cannot be read.
    """

    name = "local"
    opinions: frozenset[str] = frozenset(OPINIONS)
    synchronous = True

    def __init__(
        self, examples: Sequence[Example], cards: Sequence[Path] = (), *, encoder: Encoder | None = None
    ) -> None:
        if encoder is None and not is_installed():
            raise UsageError("the local judge is not installed", "pip install 'carerails[semantic]', or --semantic off")
        self._examples, self._cards, self._encoder = examples, cards, encoder
        self._heads: Heads | None = None
        self.fingerprint = fingerprint(examples, cards)

    async def start(self) -> None:
        """Load the encoder, and what was learnt; learn it, which takes half a minute, where it is not kept.

        Raises:
            UsageError: there are too few examples to learn from, or a card is none.
        """
        if self._heads is None:
            self._heads = learn(self._examples, self._cards, self._encoder)
            self._encoder = self._encoder or shared_encoder()
            self._encoder.encode(["ready"])

    async def close(self) -> None:
        """Nothing is held."""

    async def judge(self, turn: Turn, text: str) -> Sequence[Opinion]:
        """One opinion a name, on each view as a whole and on its sentences."""
        await self.start()
        assert self._heads is not None
        wholes = [line[:_LONGEST] for line in text.split("\n") if _WORD.search(line)] or [text]
        parts = [part for line in wholes for part in _sentences(line)]
        heard = self._hear(self._heads, [*wholes, *parts])
        return [self._opinion(name, heard[: len(wholes)], heard[len(wholes) :]) for name in OPINIONS]

    def _hear(self, heads: Heads, texts: list[str]) -> list[_Heard]:
        assert self._encoder is not None
        heard: list[_Heard] = []
        for text, vector in zip(texts, self._encoder.encode(texts), strict=True):
            log_odds, alike = heads.log_odds(vector, text)
            heard.append(_Heard(text, _said(log_odds.tolist()), alike))
        return heard

    def _opinion(self, name: str, wholes: Sequence[_Heard], parts: Sequence[_Heard]) -> Opinion:
        best = _loudest(wholes, name)
        score, head = best.said[name]
        if parts:
            best = _loudest(parts, name)
            if name in _BY_SENTENCE:
                # The more sentences there are, the likelier one of them sounds bad by chance.
                score = max(score, best.said[name][0] - math.log(len(parts)))
        probability = 1 / (1 + math.exp(-score))
        near = self._nearest(HEADS.index(head), best.alike) if probability >= _WORTH else ()
        return Opinion(name=name, score=probability, terms=(best.text.strip(),), near=tuple(near))

    def _nearest(self, head: int, alike: Any) -> Iterable[Near]:
        """The examples that speak most for it; what is asked of a card speaks against it."""
        assert self._heads is not None
        numpy: Any = import_module("numpy")
        count = len(self._examples)
        pull = self._heads.weights[:count, head] * alike[:count]
        # The first few alone: sorting all would take longer than the opinion.
        first = numpy.argpartition(-pull, min(_NEAREST, count) - 1)[:_NEAREST]
        rows: list[int] = first.tolist()
        for row in sorted(rows, key=lambda row: (-float(pull[row]), row)):
            example = self._examples[row]
            yield Near(
                text=example.text,
                category=example.category,
                file=example.file,
                line=example.line,
                alike=round(float(alike[row]), 3),
            )


def _said(log_odds: Sequence[float]) -> dict[str, tuple[float, str]]:
    """What the heads say of one text, by opinion: log odds, and the head whose examples explain them."""
    by_head = dict(zip(HEADS, log_odds, strict=True))
    # Wanting to die is said outright or around it. Whether a decision is asked for is one question, which another.
    wish = max(("suicide", "oblique"), key=by_head.__getitem__)
    which = max(REASONS, key=by_head.__getitem__)
    asked = by_head["decision"]
    return {
        **{name: (by_head[name], name) for name in OPINIONS},
        **{reason: (min(asked, by_head[reason]), reason) for reason in REASONS},
        which: (asked, which),
        "suicide": (by_head[wish], wish),
    }


def _loudest(heard: Sequence[_Heard], name: str) -> _Heard:
    return max(heard, key=lambda part: part.said[name][0])


def _sentences(line: str) -> list[str]:
    """Its sentences, where it is long and has more than one."""
    if len(line) < _LONG:
        return []
    found = [part for part in _ENDS.split(line) if _WORD.search(part)]
    return found[:_MOST] if len(found) > 1 else []
