"""Whether a card answers a question: one check a way in which the nearest card can be the wrong one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from carerails.contracts import Locale
from carerails.knowledge.reading import CardReading, Question, Reader

Check = Literal["medicine", "topic", "facet", "words"]

#: Share of what a question says that a card must cover where medicine and topic agree, and where less does.
COVER_AGREED: Final = 0.34
COVER_MEDICINE: Final = 0.5
COVER_GENERAL: Final = 0.5
COVER_BARE: Final = 0.75
#: From this likeness of an ask on, words that no card has may be another way of saying the same.
ALIKE: Final = 0.62
#: Share of a question's words that an ask must have to answer it without the medicine's name, or without a topic's cue.
SAME_ASK: Final = 0.5


class Failed(NamedTuple):
    """A check that a card fails, and on what."""

    check: Check
    what: str


def failures(question: Question, card: CardReading, reader: Reader, locale: Locale, likeness: float = 0.0) -> list[Failed]:
    """Every check that the card fails; none: it answers the question.

    Args:
        question: what is asked.
        card: the card in this locale.
        reader: weighs words.
        locale: of both.
        likeness: of meaning, 0 to 1; 0 where nothing measures it.
    """
    return [*_medicine(question, card, reader, locale), *_topic(question, card, reader), *_facets(question, card, reader),
            *_words(question, card, reader, locale, likeness)]


def _medicine(question: Question, card: CardReading, reader: Reader, locale: Locale) -> Iterator[Failed]:
    """A card of one medicine answers questions that name it; a card of none, those that do not depend on one."""
    if card.declared:
        if not (question.medicines & card.declared or question.classes & card.front):
            if question.named:
                yield Failed("medicine", f"names {_list(question.named)}, not {_list(card.declared)}")
            elif best_ask(question, card, reader, locale, nameless=True) < SAME_ASK:
                yield Failed("medicine", f"does not name {_list(card.declared)}")
        elif others := question.named - card.mentioned:
            yield Failed("medicine", f"names {_list(others)} as well")
    elif (others := question.named - card.front) and depends_on_medicine(question, card, reader):
        yield Failed("medicine", f"depends on {_list(others)}")


def depends_on_medicine(question: Question, card: CardReading, reader: Reader) -> bool:
    """Whether the answer for one medicine need not hold for another."""
    per_medicine = reader.topics.per_medicine
    if card.card.topic in per_medicine or per_medicine & question.facets.keys():
        return True
    return bool(per_medicine & question.topics.keys()) and card.card.topic not in question.topics


def _topic(question: Question, card: CardReading, reader: Reader) -> Iterator[Failed]:
    """Where cues give the question's topics away, the card has one of them."""
    if question.topics and not reader.topics.groups(question.topics) & reader.topics.groups(card.topics):
        yield Failed("topic", f"asks about {_list(question.topics)}")


def _facets(question: Question, card: CardReading, reader: Reader) -> Iterator[Failed]:
    """Every finer subject of the question is one of the card."""
    for name in question.facets:
        kind = reader.topics.facets[name].kind
        if kind != "word" and name not in (card.subjects if kind == "subject" else card.facets):
            yield Failed("facet", f"asks about {name}")


def _words(question: Question, card: CardReading, reader: Reader, locale: Locale, likeness: float) -> Iterator[Failed]:
    """The words that say what the question is about are the card's."""
    named = bool(card.declared and (question.medicines & card.declared or question.classes & card.front))
    agreed = bool(reader.topics.groups(question.topics) & reader.topics.groups(card.topics))
    detail = any(name in card.facets for name in question.facets)
    if not (named or agreed or detail) and best_ask(question, card, reader, locale) < SAME_ASK:
        yield Failed("words", "has no cue of the card")
        return
    if named:
        needed = COVER_AGREED if agreed or detail else COVER_MEDICINE
    else:
        needed = COVER_GENERAL if question.medicinal else COVER_BARE
    covered, missing = coverage(question, card, reader, locale)
    if likeness >= ALIKE:
        needed /= 2
    if covered < needed:
        yield Failed("words", f"{covered:.2f} of {needed:.2f} covered; not: {' '.join(missing)}")


def coverage(question: Question, card: CardReading, reader: Reader, locale: Locale) -> tuple[float, list[str]]:
    """Share of the question's telling words that the card has, by weight, and the stems that it lacks."""
    cued = {
        place
        for hits in (
            *(hits for name, hits in question.topics.items() if name in card.topics),
            *(hits for name, hits in question.facets.items() if name in card.facets),
        )
        for hit in hits
        for place in range(hit.start, hit.end)
    }
    has = lacks = 0.0
    missing: list[str] = []
    for place, stem in question.content:
        weight = reader.weight(stem, locale)
        if place in cued or stem in card.stems:
            has += weight
        else:
            lacks += weight
            missing.append(stem)
    return (has / (has + lacks) if has + lacks else 1.0), missing


def best_ask(question: Question, card: CardReading, reader: Reader, locale: Locale, *, nameless: bool = False) -> float:
    """The likest ask of the card: shared words by weight, as a share of the mean of both (Dice), 0 to 1."""
    asks = card.nameless_asks if nameless else card.asks
    mass = _mass(question.stems, reader, locale)
    return max(
        (2 * _mass(question.stems & ask.stems, reader, locale) / ((mass + _mass(ask.stems, reader, locale)) or 1) for ask in asks),
        default=0.0,
    )


def _mass(stems: frozenset[str], reader: Reader, locale: Locale) -> float:
    return sum(reader.weight(stem, locale) for stem in stems)


def _list(names: object) -> str:
    return ", ".join(sorted(names))  # type: ignore[call-overload]
