"""Whether a card answers a question: one check a way in which the nearest card can be the wrong one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from carerails.contracts import Locale
from carerails.knowledge.asks import NOT_ALIKE, Likest
from carerails.knowledge.reading import CardReading, Question, Reader
from carerails.knowledge.words import stem

Check = Literal["medicine", "topic", "facet", "words"]

#: Share of what a question says that a card must cover: where medicine and topic agree, where a detail agrees, else.
COVER_TOPIC: Final = 0.25
COVER_DETAIL: Final = 0.4
COVER_NAME: Final = 0.6
#: The same for a card for any medicine: where the question speaks of medicine, and where it does not.
COVER_MEDICINAL: Final = 0.15
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
#: The same where the question does not speak of medicine, and where it does.
BARE_ASK: Final = 0.3
NEAR_ASK: Final = 0.12


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
        *_medicine(question, card, reader, locale, like),
        *_topic(question, card, reader, like),
        *_facets(question, card, reader),
        *_words(question, card, reader, locale, like),
    ]


def _medicine(
    question: Question, card: CardReading, reader: Reader, locale: Locale, like: Likeness
) -> Iterator[Failed]:
    """A card of one medicine answers questions that name it; a card of none, those that do not depend on one.

    A word of no list may be a medicine too: it counts as one where the answer would be wrong if it were.
    """
    strange = [word for word in question.strange if stem(word, locale) not in card.stems]
    if not card.declared:
        if (others := question.named - card.front) and depends_on_medicine(question, card, reader):
            yield Failed("medicine", f"depends on {_list(others)}")
        elif strange and not question.named and (_is_dependent(question, reader) or _is_per_medicine(card, reader)):
            yield Failed("medicine", f"may depend on {_list(strange)}")
    elif not names(question, card):
        if question.named:
            yield Failed("medicine", f"names {_list(question.named)}, not {_list(card.declared)}")
        elif like.asks.of_nameless < SAME_ASK or strange:
            yield Failed("medicine", f"does not name {_list(card.declared)}")
    elif others := question.named - card.mentioned:
        yield Failed("medicine", f"names {_list(others)} as well")
    elif strange and not question.medicines & card.declared:
        yield Failed("medicine", f"may be about {_list(strange)}")
    elif (
        strange
        and card.card.topic == "interaction"
        and len(question.named) == 1
        and not _shares(question, card, reader)
    ):
        yield Failed("medicine", f"may be about {_list(strange)} as well")


def names(question: Question, card: CardReading) -> bool:
    """Whether the question names a medicine of the card, or a kind of medicine that the card speaks of."""
    return bool(question.medicines & card.declared or (card.declared and question.classes & card.front))


def depends_on_medicine(question: Question, card: CardReading, reader: Reader) -> bool:
    """Whether the answer for one medicine need not hold for another, as far as the question's words tell."""
    if _is_per_medicine(card, reader) or reader.topics.per_medicine & question.facets.keys():
        return True
    shared = reader.topics.groups(question.topics) & reader.topics.groups([card.card.topic])
    return not shared or _is_dependent(question, reader)


def _is_per_medicine(card: CardReading, reader: Reader) -> bool:
    return card.card.topic in reader.topics.per_medicine


def _is_dependent(question: Question, reader: Reader) -> bool:
    """Whether as many cues speak of what differs from medicine to medicine as of what does not."""
    counts = [(name in reader.topics.per_medicine, len(hits)) for name, hits in question.topics.items()]
    dependent = sum(count for differs, count in counts if differs)
    return 0 < dependent >= sum(count for differs, count in counts if not differs)


def _shares(question: Question, card: CardReading, reader: Reader) -> bool:
    """Whether the card is about a finer subject of the question."""
    return any(name in card.subjects for name in _musts(question, reader))


def _topic(question: Question, card: CardReading, reader: Reader, like: Likeness) -> Iterator[Failed]:
    """Where cues give the question's topics away, the card has one of them."""
    if not question.topics or card.card.topic in question.topics or like.asks.of_all >= SAME_ASK:
        return
    if not question.named and (like.asks.of_all >= NEAR_ASK or facet_share(question, card)):
        return
    if len(question.named) > 1 or _shares(question, card, reader):
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
    for name in (name for name in question.facets if name not in question.implied):
        facet = reader.topics.facets[name]
        anybodys = facet.when_named or (facet.kind == "detail" and question.medicinal)
        if facet.kind != "word" and (question.named or not anybodys):
            musts.append(name)
    return musts


def _words(question: Question, card: CardReading, reader: Reader, locale: Locale, like: Likeness) -> Iterator[Failed]:
    """The words that say what the question is about are the card's."""
    named = names(question, card)
    paired = named and len(question.named) > 1  # the other medicine says what about this one
    if paired or like.asks.of_all >= SAME_ASK:
        return
    agreed = bool(reader.topics.groups(question.topics) & reader.topics.groups(card.topics))
    detail = any(name in card.facets for name in question.facets)
    if named and not (agreed or detail or question.content or like.asks.of_all >= NEAR_ASK):
        yield Failed("words", "says nothing but the medicine")
        return
    bare = not (named or question.medicinal)
    if bare and like.asks.of_all < BARE_ASK and not (detail and card.card.topic in question.topics):
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
    for place, stem_ in question.content:
        weight = min(reader.weight(stem_, locale), MOST_WEIGHT)
        if stem_ in card.stems:
            has += weight
        elif place not in cued:
            lacks += weight
            missing.append(stem_)
    return (has / (has + lacks) if has + lacks else 1.0), missing


def facet_share(question: Question, card: CardReading) -> float:
    """Share of the question's finer subjects that the card has; 0 without any."""
    return sum(name in card.facets for name in question.facets) / (len(question.facets) or 1)


def _list(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
