"""The keyless drafter: the sentences of the cards that answer best, as they stand there, each with its citation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from carerails.contracts import Locale, Passage, Reply
from carerails.drafting.errors import DraftError
from carerails.drafting.markers import cited, mark
from carerails.drafting.phrases import PHRASES
from carerails.drafting.sentences import sentences
from carerails.drafting.words import alike, topic_words

#: An answer has this many sentences of cards: fewer leave people without a next step, more are not read.
FEWEST, MOST = 3, 5

_STOPS = re.compile(r"[.!?…][\"'”’»)\]*_]*$")


@dataclass(frozen=True, slots=True)
class _Candidate:
    """One sentence of a card: `card` and `place` count from 0, in the order of the retriever and of the card."""

    card: int
    place: int
    text: str


class ExtractiveDrafter:
    """A `Drafter` that only copies. The same question and passages give the same answer, always.

    A sentence scores, for each topic word of the question that it holds, one divided by the number of sentences that
    hold it, so that the medicine's name, which is everywhere, decides nothing. The score counts half on the second
    card, a third on the third, and so on: the retriever has ranked them. Sentences that score are taken, best first, up
    to MOST; sentences of the best card fill up to FEWEST, in the order of reading. The answer keeps that order too.
    """

    async def draft(self, question: str, locale: Locale, passages: Sequence[Passage]) -> Reply:
        """An answer in the user's locale.

        Raises:
            DraftError: no passage has a sentence in this locale.
        """
        cards = [passage for passage in passages if passage.locale == locale]
        candidates = _candidates(cards)
        if not candidates:
            raise DraftError("missing", f"no passage in {locale}")
        chosen = _choose(question, locale, candidates)
        body = [marked for one in chosen for marked in _marked(one.text, cards[one.card].card)]
        text = " ".join([PHRASES[locale].lead_in, *body, PHRASES[locale].closing])
        return Reply(kind="answer", text=text, citations=cited(text), rationale=_rationale(chosen, cards))


def _candidates(cards: Sequence[Passage]) -> list[_Candidate]:
    """All sentences in the order of reading; what two cards say in the same words is said once."""
    first = {
        text: _Candidate(card, place, text)
        for card, passage in reversed(list(enumerate(cards)))
        for place, text in reversed(list(enumerate(passage.sentences)))
        if any(char.isalnum() for char in text)
    }
    return sorted(first.values(), key=lambda one: (one.card, one.place))


def _choose(question: str, locale: Locale, candidates: list[_Candidate]) -> list[_Candidate]:
    asked = topic_words(question, locale)
    said = [topic_words(one.text, locale) for one in candidates]
    held = [{word for word in asked if any(alike(word, other) for other in words)} for words in said]
    spread = {word: sum(word in words for words in held) for word in asked}
    score = {
        one: sum(1 / spread[word] for word in words) / (1 + one.card)
        for one, words in zip(candidates, held, strict=True)
    }
    ranked = sorted(candidates, key=lambda one: (-score[one], one.card, one.place))
    chosen = [one for one in ranked if score[one] > 0][:MOST]
    rest = [one for one in candidates if one not in chosen]
    return sorted([*chosen, *rest[: FEWEST - len(chosen) if len(chosen) < FEWEST else 0]], key=candidates.index)


def _marked(text: str, card: str) -> list[str]:
    """A card's sentence with its marker; where it is in truth two, each has its own."""
    parts = [sentence.text for sentence in sentences(text)]
    return [f"{part if _STOPS.search(part) else f'{part}.'} {mark(card)}" for part in parts]


def _rationale(chosen: list[_Candidate], cards: Sequence[Passage]) -> str:
    """Which sentences were taken, counted from 1: `storage-insulin 1, 3; storage-heat-and-car 2`."""
    places: dict[str, list[str]] = {}
    for one in chosen:
        places.setdefault(cards[one.card].card, []).append(str(one.place + 1))
    return "; ".join(f"{card} {', '.join(at)}" for card, at in places.items())
