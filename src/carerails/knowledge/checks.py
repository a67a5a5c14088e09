"""Whether a card answers a question: two strict checks of the medicine, then one sum of evidence.

The medicine is strict because the nearest card of another medicine reads like the right one. All else is a matter of
degree: a question rarely says only what a card says, so what speaks for a card is weighed against what speaks against.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from carerails.contracts import Locale
from carerails.knowledge.asks import NOT_ALIKE, Likest
from carerails.knowledge.reading import CardReading, Question, Reader
from carerails.knowledge.words import stem

Check = Literal["medicine", "topic", "facet", "words"]
Part = Literal["fit", "first", "same", "names", "other", "off-topic", "only-name", "alone", "facet", "bare"]

#: What each part of the evidence weighs. Fitted by logistic regression on asks that were taken out of the cards, on
#: asks whose card was taken out, and on written questions, in three locales; then rounded.
WEIGHTS: Final[Mapping[Part, float]] = {
    "fit": 2.2,  # how well the card fits, as the ranking has it
    "first": 2.1,  # no card fits better, whether or not it is of the right medicine
    "same": 3.0,  # the question is an ask of the card, near enough
    "names": 2.5,  # the question names the card's medicine
    "other": -2.6,  # the card holds for any medicine, and the question names one
    "off-topic": -2.6,  # cues give topics away, and the card has none of them
    "only-name": -3.2,  # the question names the card's medicine, and no cue speaks of the card's topic
    "alone": -4.0,  # the card is about two that meet, and the question names one
    "facet": -4.2,  # the question asks about finer subjects that the card lacks
    "bare": -2.4,  # nothing speaks of medicine nor of the card's topic
}
#: The sum from which on a card answers, and where likeness of meaning adds to the fit of every card.
NEEDED: Final = 1.8
NEEDED_MEANING: Final = 2.8
#: A question that tells less than this, with no cue, says nothing but the name of a medicine.
LEAST_MASS: Final = 1.0
#: What a card lacks that has not enough, by the parts that speak against it.
_CHECK_OF: Final[Mapping[Part, Check]] = {
    "off-topic": "topic",
    "only-name": "topic",
    "alone": "topic",
    "facet": "facet",
}
#: From this share of common words on a question is an ask of the card, near enough.
SAME_ASK: Final = 0.6
#: The same, so that a question that names another medicine may still be an ask of a card for any.
NEAR_ASK: Final = 0.4
#: What ranks, likeness of meaning, and a shared topic or medicine weigh beside likeness to an ask and shared facets.
_RANK: Final = 0.5
_MEANING: Final = 0.5
_AGREES: Final = 0.3


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


def fit(question: Question, card: CardReading, rank: float, like: Likeness) -> float:
    """How well a card fits, with its fused rank of 0 to 1."""
    return (
        _RANK * rank
        + like.asks.of_all
        + _facet_share(question, card)
        + _MEANING * like.meaning
        + _AGREES * (card.card.topic in question.topics)
        + _AGREES * bool(card.declared & question.medicines)
    )


def failures(
    question: Question, card: CardReading, reader: Reader, locale: Locale, like: Likeness, *, score: float, first: bool
) -> list[Failed]:
    """The checks that the card fails; none: it answers the question.

    Args:
        score: as `fit` has it.
        first: whether no card has more.
    """
    if wrong := list(_medicine(question, card, reader, locale, like)):
        return wrong
    parts: dict[Part, float] = {
        "fit": score,
        "first": first,
        "same": like.asks.of_all >= SAME_ASK,
        **against(question, card, reader),
    }
    total = sum(WEIGHTS[part] * value for part, value in parts.items())
    needed = NEEDED_MEANING if like.meaning else NEEDED
    if total >= needed and (parts["same"] or not _is_bare_name(question)):
        return []
    lacks = [name for name in _asked(question, reader) if not _has(card, name, reader)]
    found: dict[Check, str] = {"topic": _list(question.topics) or "no topic", "facet": _list(lacks)}
    speak: set[Check] = {_CHECK_OF[part] for part, value in parts.items() if value and part in _CHECK_OF}
    return [Failed(check, f"asks about {what}") for check, what in found.items() if check in speak] or [
        Failed("words", f"{total:.1f} of {needed}")
    ]


def against(question: Question, card: CardReading, reader: Reader) -> dict[Part, float]:
    """The parts of the evidence that words give, beside fit; all but `names` speak against the card."""
    named = names(question, card)
    agreed = bool(reader.topics.groups(question.topics) & reader.topics.groups(card.topics))
    met = _meet(question, card, reader)
    lacks = sum(not _has(card, name, reader) for name in _asked(question, reader))
    return {
        "names": named,
        "other": card.card.is_general and bool(question.named - card.front),
        "off-topic": bool(question.topics) and not agreed,
        "only-name": named and not (agreed or met),
        "alone": card.card.topic == "interaction" and not card.card.is_general and not met,
        "facet": min(1.0, lacks / 2 + lacks / max(1.0, question.mass)),
        "bare": not question.medicinal and card.card.topic not in question.topics,
    }


def _medicine(
    question: Question, card: CardReading, reader: Reader, locale: Locale, like: Likeness
) -> Iterator[Failed]:
    """A card of one medicine answers questions that name it; a card of none, those that do not depend on one.

    A word of no list may be a medicine too: it counts as one where the answer would be wrong if it were.
    """
    strange = [word for word in question.strange if stem(word, locale) not in card.stems]
    if not card.declared:
        if (others := question.named - card.front) and depends_on_medicine(question, card, reader, like):
            yield Failed("medicine", f"depends on {_list(others)}")
        elif strange and not question.medicines and (_is_dependent(question, reader, like) or _differs(card, reader)):
            yield Failed("medicine", f"may depend on {_list(strange)}")
    elif not names(question, card):
        if question.named:
            yield Failed("medicine", f"names {_list(question.named)}, not {_list(card.declared)}")
        elif like.asks.of_nameless < SAME_ASK or strange:
            yield Failed("medicine", f"does not name {_list(card.declared)}")
    elif (others := question.named - card.mentioned) and not _is_beside(others, question, card):
        yield Failed("medicine", f"names {_list(others)} as well")
    elif strange and not question.medicines & card.declared:
        yield Failed("medicine", f"may be about {_list(strange)}")
    elif (
        strange
        and not _meet(question, card, reader)
        and card.card.topic not in question.topics.keys() - {"interaction"}
    ):
        yield Failed("medicine", f"may be about {_list(strange)} as well")


def names(question: Question, card: CardReading) -> bool:
    """Whether the question names a medicine of the card, or a kind of medicine that the card speaks of."""
    return bool(question.medicines & card.declared or (card.declared and question.classes & card.front))


def depends_on_medicine(question: Question, card: CardReading, reader: Reader, like: Likeness) -> bool:
    """Whether the answer for one medicine need not hold for another, as far as the question's words tell."""
    if _differs(card, reader) or reader.topics.per_medicine & question.facets.keys():
        return True
    shared = reader.topics.groups(question.topics) & reader.topics.groups([card.card.topic])
    return not (shared or like.asks.of_nameless >= NEAR_ASK) or _is_dependent(question, reader, like)


def _differs(card: CardReading, reader: Reader) -> bool:
    return card.card.topic in reader.topics.per_medicine


def _is_dependent(question: Question, reader: Reader, like: Likeness) -> bool:
    """Whether cues speak of what differs from medicine to medicine, and of little else."""
    counts = [(name in reader.topics.per_medicine, len(hits)) for name, hits in question.topics.items()]
    dependent = sum(count for differs, count in counts if differs)
    other = sum(count for differs, count in counts if not differs)
    return dependent > 0 and (dependent >= other or like.asks.of_nameless < NEAR_ASK)


def _is_beside(others: frozenset[str], question: Question, card: CardReading) -> bool:
    """Whether other medicines are only taken as well: `I take losartan and my metformin makes me sick`."""
    return (
        others <= question.background
        and card.card.topic in question.topics
        and "interaction" not in question.topics
        and card.card.topic != "interaction"
    )


def _meet(question: Question, card: CardReading, reader: Reader) -> bool:
    """Whether the question names both that meet: two medicines of the card, or one and a food or drink of it."""
    return len(question.named & card.mentioned) > 1 or any(
        name in card.subjects and name in reader.topics.per_medicine for name in question.facets
    )


def _asked(question: Question, reader: Reader) -> list[str]:
    """The finer subjects that a card must have: where no medicine is named, a complaint about a pill may be any."""
    asked: list[str] = []
    for name in (name for name in question.facets if name not in question.implied):
        facet = reader.topics.facets[name]
        anybodys = facet.when_named or (facet.kind == "detail" and question.medicinal)
        if facet.kind != "word" and (question.named or not anybodys):
            asked.append(name)
    return asked


def _has(card: CardReading, facet: str, reader: Reader) -> bool:
    return facet in (card.subjects if reader.topics.facets[facet].kind == "subject" else card.facets)


def _is_bare_name(question: Question) -> bool:
    return len(question.named) == 1 and question.mass < LEAST_MASS and not (question.topics or question.facets)


def _facet_share(question: Question, card: CardReading) -> float:
    """Share of the question's finer subjects that the card has; 0 without any."""
    return sum(name in card.facets for name in question.facets) / (len(question.facets) or 1)


def _list(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
