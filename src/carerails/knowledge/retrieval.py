"""Finding the cards that answer a question, or saying why there are none."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from carerails.contracts import Locale, NoContext, Retrieval
from carerails.knowledge.cards import Knowledge, load_cards
from carerails.knowledge.checks import Failed, best_ask, coverage, failures
from carerails.knowledge.index import FullText
from carerails.knowledge.reading import Question, Reader, load_reader
from carerails.knowledge.semantic import Likeness, Semantic, is_installed

#: Cards that are checked, and that are shown.
_CANDIDATES: Final = 16
_PASSAGES: Final = 3
#: Constant of reciprocal rank fusion (Cormack, Clarke and Buettcher, SIGIR 2009).
_FUSION: Final = 20
#: A second or third card is shown from this share of the first one's score on.
_CLOSE: Final = 0.75


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
        config: directory of `medicines.yml`, `topics.yml` and `ordinary.yml`; None: the shipped one.

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
        candidates = self.explain(question, locale)
        found = [candidate for candidate in candidates if candidate.answers]
        if not found:
            return Retrieval(no_context=_reason(candidates))
        close = [candidate for candidate in found if candidate.score >= _CLOSE * found[0].score]
        return Retrieval(
            passages=tuple(self.knowledge[candidate.card].passage(locale) for candidate in close[:_PASSAGES])
        )

    def explain(self, question: str, locale: Locale) -> list[Candidate]:
        """Every card that search found, best first, with the checks that it fails."""
        asked = self._reader.question(question, locale)
        likeness = self._semantic.likeness(question, locale) if self._semantic else {}
        cards = self._reader.cards[locale]
        ranked = [
            Candidate(
                name,
                score,
                tuple(failures(asked, cards[name], self._reader, locale, likeness.get(name, 0.0))),
            )
            for name, score in self._search(asked, locale, likeness).items()
        ]
        return sorted(ranked, key=lambda candidate: (-candidate.score, candidate.card))

    def _search(self, asked: Question, locale: Locale, likeness: Likeness) -> dict[str, float]:
        """Candidates by fused score."""
        cards = self._reader.cards[locale]
        beginnings = [stem for _, stem in asked.content] or sorted(asked.stems)
        by_text = self._text.search(beginnings, locale, _CANDIDATES)
        by_name = [name for name, card in cards.items() if card.declared & asked.medicines or card.front & asked.classes]
        by_meaning = sorted(likeness, key=lambda name: (-likeness[name], name))[:_CANDIDATES]
        pool = list(dict.fromkeys([*by_text, *by_name, *by_meaning]))
        by_ask = {name: best_ask(asked, cards[name], self._reader, locale) for name in pool}
        by_cover = {name: coverage(asked, cards[name], self._reader, locale)[0] for name in pool}
        rankings: list[Sequence[str]] = [
            by_text,
            sorted(pool, key=lambda name: -by_ask[name]),
            sorted(pool, key=lambda name: -by_cover[name]),
        ]
        if likeness:
            rankings.append(by_meaning)
        return _fused(pool, rankings)


def _fused(pool: Iterable[str], rankings: Sequence[Sequence[str]]) -> dict[str, float]:
    scores = dict.fromkeys(pool, 0.0)
    for ranking in rankings:
        for rank, name in enumerate(ranking):
            scores[name] += 1 / (_FUSION + rank)
    return scores


def _reason(candidates: Iterable[Candidate]) -> NoContext:
    """Why none answers: what the cards that come nearest lack."""
    lacks = [{failed.check for failed in candidate.failed} for candidate in candidates]
    if {"medicine"} in lacks:
        return "other-medicine"
    if any(checks <= {"topic", "facet"} for checks in lacks):
        return "other-topic"
    return "no-match"
