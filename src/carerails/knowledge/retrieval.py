"""Finding the cards that answer a question, or saying why there are none."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from carerails.contracts import Locale, NoContext, Retrieval
from carerails.knowledge.cards import Knowledge, load_cards
from carerails.knowledge.checks import FIT, Asked, Failed, ask, failures, fit, total
from carerails.knowledge.reading import Question, Reader, load_reader
from carerails.knowledge.semantic import Semantic, is_installed

#: Cards that are shown.
_PASSAGES: Final = 3
#: A second or third card is shown if it fits so little worse than the first one.
_CLOSE: Final = 2.0
#: The rest of a long question adds time and no certainty.
_LONGEST: Final = 2_000


@dataclass(frozen=True)
class Candidate:
    """A card that search found, and what the checks say of it.

    Attributes:
        card: its id.
        score: how well it fits, for ranking only.
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
        wanted = is_installed() if semantic is None else semantic
        self._semantic = Semantic(list(self._reader.lines())) if wanted else None

    async def retrieve(self, question: str, locale: Locale) -> Retrieval:
        """The cards that answer a question, three at most, best first; or why there are none."""
        if self._semantic is None:
            return self.retrieve_now(question, locale)
        return await asyncio.to_thread(self.retrieve_now, question, locale)  # an embedding takes milliseconds

    def retrieve_now(self, question: str, locale: Locale) -> Retrieval:
        """As `retrieve`, for code that runs in no loop."""
        asked = self._asked(question, locale)
        candidates = self._candidates(asked)
        found = [candidate for candidate in candidates if candidate.answers]
        if not found:
            return Retrieval(no_context=self._reason(asked.question, candidates, locale))
        close = [candidate for candidate in found if candidate.score >= found[0].score - _CLOSE]
        return Retrieval(
            passages=tuple(self.knowledge[candidate.card].passage(locale) for candidate in close[:_PASSAGES])
        )

    def explain(self, question: str, locale: Locale) -> list[Candidate]:
        """Every card, best first, with the checks that it fails."""
        return self._candidates(self._asked(question, locale))

    def _asked(self, text: str, locale: Locale) -> Asked:
        text = text[:_LONGEST]
        question = self._reader.question(text, locale)
        nameless = self._reader.nameless(text, locale, question) if self._semantic else ""
        return ask(question, locale, self._semantic.scores(nameless) if self._semantic else None, self._reader)

    def _candidates(self, asked: Asked) -> list[Candidate]:
        cards = self._reader.cards[asked.locale]
        fits = {name: fit(asked, card, self._reader) for name, card in cards.items()}
        of_any = {name: total({**parts, "names": 0.0}, FIT, asked) for name, parts in fits.items()}
        best = max(of_any.values())
        candidates = [
            Candidate(
                name,
                total(fits[name], FIT, asked),
                tuple(failures(asked, card, self._reader, best - of_any[name])),
            )
            for name, card in cards.items()
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
