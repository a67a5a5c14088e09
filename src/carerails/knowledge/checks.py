"""Whether a card answers a question: one check a way in which the nearest card can be the wrong one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from carerails.contracts import Locale
from carerails.knowledge.reading import NOT_ALIKE, CardReading, Likest, Question, Reader

Check = Literal["medicine", "topic", "facet", "words"]

#: Share of what a question says that a card must cover: where medicine and topic agree, where a detail agrees, else.
COVER_TOPIC: Final = 0.25
COVER_DETAIL: Final = 0.4
COVER_NAME: Final = 0.6
#: The same for a card for any medicine: where the question speaks of medicine, and where it does not.
COVER_MEDICINAL: Final = 0.3
COVER_BARE: Final = 0.6
#: What one shared facet and a shared topic weigh, beside words.
FACET_WEIGHT: Final = 2.0
TOPIC_WEIGHT: Final = 1.5
#: No word weighs more: a rare one may be chatter.
MOST_WEIGHT: Final = 3.0
#: From this likeness of meaning on, words that no card has may be another way of saying the same.
ALIKE: Final = 0.62
#: From this share of common words on a question is an ask of the card, near enough.
SAME_ASK: Final = 0.6
#: The same where the question has no cue of the card but speaks of medicine.
NEAR_ASK: Final = 0.3


class Failed(NamedTuple):
    """A check that a card fails, and on what."""

    check: Check
    what: str


@dataclass(frozen=True)
class Likeness:
    """How like a question is to a card.

    Attributes:
        asks: in words, to the likest of its asks.
        meaning: by embedding; 0 where nothing measures it.
    """

    asks: Likest = NOT_ALIKE
    meaning: float = 0.0


def failures(question: Question, card: CardReading, reader: Reader, locale: Locale, like: Likeness) -> list[Failed]:
    """Every check that the card fails; none: it answers the question."""
    return [
        *_medicine(question, card, reader, like),
        *_topic(question, card, reader, like),
        *_facets(question, card, reader),
        *_words(question, card, reader, locale, like),
    ]


def _medicine(question: Question, card: CardReading, reader: Reader, like: Likeness) -> Iterator[Failed]:
    """A card of one medicine answers questions that name it; a card of none, those that do not depend on one."""
    if card.declared:
        if not (question.medicines & card.declared or question.classes & card.front):
            if question.named:
                yield Failed("medicine", f"names {_list(question.named)}, not {_list(card.declared)}")
            elif like.asks.of_nameless < SAME_ASK:
                yield Failed("medicine", f"does not name {_list(card.declared)}")
        elif others := question.named - card.mentioned:
            yield Failed("medicine", f"names {_list(others)} as well")
    elif (others := question.named - card.front) and depends_on_medicine(question, card, reader):
        yield Failed("medicine", f"depends on {_list(others)}")


def depends_on_medicine(question: Question, card: CardReading, reader: Reader) -> bool:
    """Whether the answer for one medicine need not hold for another, as far as the question's words tell."""
    per_medicine = reader.topics.per_medicine
    if card.card.topic in per_medicine or per_medicine & question.facets.keys():
        return True
    if not reader.topics.groups(question.topics) & reader.topics.groups([card.card.topic]):
        return True
    dependent = sum(len(hits) for name, hits in question.topics.items() if name in per_medicine)
    return dependent >= sum(len(hits) for name, hits in question.topics.items() if name not in per_medicine)


def _topic(question: Question, card: CardReading, reader: Reader, like: Likeness) -> Iterator[Failed]:
    """Where cues give the question's topics away, the card has one of them."""
    if not question.topics or card.card.topic in question.topics or like.asks.of_all >= SAME_ASK:
        return
    if not question.named and (like.asks.of_all >= NEAR_ASK or facet_share(question, card)):
        return
    if len(question.named) > 1 or any(name in card.subjects for name in _musts(question, reader)):
        return
    asked = reader.topics.groups(reader.topics.per_medicine & question.topics.keys()) if card.declared else None
    if not (asked or reader.topics.groups(question.topics)) & reader.topics.groups(card.topics):
        yield Failed("topic", f"asks about {_list(question.topics)}")


def _facets(question: Question, card: CardReading, reader: Reader) -> Iterator[Failed]:
    """Every finer subject of the question is one of the card."""
    for name in _musts(question, reader):
        if name not in (card.subjects if reader.topics.facets[name].kind == "subject" else card.facets):
            yield Failed("facet", f"asks about {name}")


def _musts(question: Question, reader: Reader) -> list[str]:
    """The finer subjects that a card must have: where no medicine is named, a complaint about a pill may be any."""
    musts: list[str] = []
    for name in question.facets:
        facet = reader.topics.facets[name]
        anybodys = facet.when_named or (facet.kind == "detail" and question.medicinal)
        if facet.kind != "word" and (question.named or not anybodys):
            musts.append(name)
    return musts


def _words(question: Question, card: CardReading, reader: Reader, locale: Locale, like: Likeness) -> Iterator[Failed]:
    """The words that say what the question is about are the card's."""
    if like.asks.of_all >= SAME_ASK:
        return
    named = bool(card.declared and (question.medicines & card.declared or question.classes & card.front))
    paired = named and len(question.named) > 1  # the other medicine says what about this one
    agreed = paired or bool(reader.topics.groups(question.topics) & reader.topics.groups(card.topics))
    detail = any(name in card.facets for name in question.facets)
    if named and not (agreed or detail or question.content or like.asks.of_all >= NEAR_ASK):
        yield Failed("words", "says nothing but the medicine")
        return
    bare = not (named or question.medicinal)
    if bare and like.asks.of_all < NEAR_ASK and not (detail and card.card.topic in question.topics):
        yield Failed("words", "speaks of no medicine")
        return
    if named:
        needed = COVER_TOPIC if agreed else COVER_DETAIL if detail else COVER_NAME
    elif not (agreed or detail):
        if like.asks.of_all < (NEAR_ASK if question.medicinal else SAME_ASK):
            yield Failed("words", "has no cue of the card")
            return
        needed = COVER_MEDICINAL
    else:
        needed = COVER_MEDICINAL if question.medicinal else COVER_BARE
    covered, missing = coverage(question, card, reader, locale)
    if like.meaning >= ALIKE:
        needed /= 2
    if covered < needed:
        yield Failed("words", f"{covered:.2f} of {needed:.2f} covered; not: {' '.join(missing)}")


def coverage(question: Question, card: CardReading, reader: Reader, locale: Locale) -> tuple[float, list[str]]:
    """Share of what the question says that the card has, by weight, and the stems that it lacks."""
    shared = [hits for name, hits in question.facets.items() if name in card.facets]
    topics = [hits for name, hits in question.topics.items() if name in card.topics]
    cued = {place for hits in (*shared, *topics) for hit in hits for place in range(hit.start, hit.end)}
    has, lacks = FACET_WEIGHT * len(shared) + TOPIC_WEIGHT * bool(topics), 0.0
    missing: list[str] = []
    for place, stem in question.content:
        weight = min(reader.weight(stem, locale), MOST_WEIGHT)
        if stem in card.stems:
            has += weight
        elif place not in cued:
            lacks += weight
            missing.append(stem)
    return (has / (has + lacks) if has + lacks else 1.0), missing


def facet_share(question: Question, card: CardReading) -> float:
    """Share of the question's finer subjects that the card has; 0 without any."""
    return sum(name in card.facets for name in question.facets) / (len(question.facets) or 1)


def _list(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
