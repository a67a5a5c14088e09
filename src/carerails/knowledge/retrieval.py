"""Finding the cards that answer a question, or saying why there are none."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from carerails.contracts import Locale, NoContext, Retrieval
from carerails.knowledge.asks import NOT_ALIKE
from carerails.knowledge.cards import Knowledge, load_cards
from carerails.knowledge.checks import Failed, Likeness, failures, fit
from carerails.knowledge.index import FullText
from carerails.knowledge.reading import Question, Reader, load_reader
from carerails.knowledge.semantic import Semantic, is_installed

#: Cards that are checked, and that are shown.
_CANDIDATES: Final = 24
_PASSAGES: Final = 3
#: Constant of reciprocal rank fusion: how slowly a rank loses worth.
_FUSION: Final = 20
#: A card that fits less is not the first of anything: most questions fit some card a little.
_LEAST: Final = 0.5
#: A second or third card is shown from this share of the first one's score on.
_CLOSE: Final = 0.7


@dataclass(frozen=True)
class Candidate:
    """A card that search found, and what the checks say of it.

    Attributes:
        card: its id.
        score: fused, for ranking only.
        failed: checks that it fails; none: it answers the question.
    """

    card: str
    score: float
    failed: tuple[Failed, ...]

    @property
    def answers(self) -> bool:
        """Whether it passes every check."""
        return not self.failed


class CardRetriever:
    """`Retriever` over the cards. Build once; any number of threads and loops may ask it at the same time.

    Args:
        knowledge: the cards; None: those that are shipped.
        semantic: whether meaning is searched too; None: where the extra is installed.
        config: directory of `medicines.yml` and `topics.yml`; None: the shipped one.

    Raises:
        UsageError: a card or a list cannot be read.
    """

    def __init__(
        self, knowledge: Knowledge | None = None, *, semantic: bool | None = None, config: Path | None = None
    ) -> None:
        self.knowledge = knowledge or load_cards()
        self._reader: Reader = load_reader(self.knowledge, config)
        self._text = FullText(self.knowledge)
        wanted = is_installed() if semantic is None else semantic
        self._semantic = Semantic(self.knowledge) if wanted else None

    async def retrieve(self, question: str, locale: Locale) -> Retrieval:
        """The cards that answer a question, three at most, best first; or why there are none."""
        if self._semantic is None:
            return self.retrieve_now(question, locale)
        return await asyncio.to_thread(self.retrieve_now, question, locale)  # an embedding takes milliseconds

    def retrieve_now(self, question: str, locale: Locale) -> Retrieval:
        """As `retrieve`, for code that runs in no loop."""
        asked = self._reader.question(question, locale)
        candidates = self._candidates(question, asked, locale)
        found = [candidate for candidate in candidates if candidate.answers]
        if not found:
            return Retrieval(no_context=self._reason(asked, candidates, locale))
        close = [candidate for candidate in found if candidate.score >= _CLOSE * found[0].score]
        return Retrieval(
            passages=tuple(self.knowledge[candidate.card].passage(locale) for candidate in close[:_PASSAGES])
        )

    def explain(self, question: str, locale: Locale) -> list[Candidate]:
        """Every card that search found, best first, with the checks that it fails."""
        return self._candidates(question, self._reader.question(question, locale), locale)

    def _candidates(self, question: str, asked: Question, locale: Locale) -> list[Candidate]:
        cards = self._reader.cards[locale]
        found = self._search(question, asked, locale)
        best = max((score for score, _ in found.values()), default=0.0)
        candidates = [
            Candidate(
                name,
                score,
                tuple(
                    failures(asked, cards[name], self._reader, locale, like, score=score, first=score == best >= _LEAST)
                ),
            )
            for name, (score, like) in found.items()
        ]
        return sorted(candidates, key=lambda candidate: (-candidate.score, candidate.card))

    def _reason(self, asked: Question, candidates: Iterable[Candidate], locale: Locale) -> NoContext:
        """Why none answers: what the cards that come nearest lack."""
        cards = self._reader.cards[locale]
        lacks = [{failed.check for failed in candidate.failed} for candidate in candidates]
        if any(card.declared & asked.medicines for card in cards.values()):
            return "other-topic"
        if asked.named and {"medicine"} in lacks:
            return "other-medicine"
        return "other-topic" if asked.medicinal and asked.topics else "no-match"

    def _search(self, question: str, asked: Question, locale: Locale) -> dict[str, tuple[float, Likeness]]:
        """The candidates of every search, each with its score and its likeness to the question."""
        cards = self._reader.cards[locale]
        asks = self._reader.likest_asks(asked, locale)
        meaning = self._semantic.likeness(question, locale) if self._semantic else {}
        rankings = (
            self._text.search(self._reader.telling(asked, locale), locale, _CANDIDATES),
            sorted(asks, key=lambda name: (-asks[name].of_all, name))[:_CANDIDATES],
            sorted(meaning, key=lambda name: (-meaning[name], name))[:_CANDIDATES],
        )
        fused = _fused(rankings)
        for name, card in cards.items():
            if card.declared & asked.medicines or card.front & asked.classes or card.card.topic in asked.topics:
                fused.setdefault(name, 0.0)
        found: dict[str, tuple[float, Likeness]] = {}
        for name, rank in fused.items():
            like = Likeness(asks.get(name, NOT_ALIKE), meaning.get(name, 0.0))
            found[name] = fit(asked, cards[name], rank, like), like
        return found


def _fused(rankings: Sequence[Sequence[str]]) -> dict[str, float]:
    """Reciprocal rank fusion, 1 for what is first everywhere (Cormack, Clarke and Buettcher, SIGIR 2009)."""
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, name in enumerate(ranking):
            scores[name] = scores.get(name, 0.0) + _FUSION / (_FUSION + rank) / len(rankings)
    return scores
