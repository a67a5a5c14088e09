"""Whether a card answers a question: a strict check of the medicine, then one sum of evidence.

The medicine is strict because the nearest card of another medicine reads like the right one. All else is a matter of
degree: a question rarely says only what a card says, so what speaks for a card is weighed against what speaks against.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, NamedTuple

from carerails.contracts import Locale
from carerails.knowledge.intents import Scores, margin
from carerails.knowledge.reading import CardReading, Question, Reader
from carerails.knowledge.words import stem

Check = Literal["medicine", "topic", "facet", "words"]
Part = Literal[
    "words", "meaning", "covered", "facets", "topic", "names", "only-name", "alone", "lacks", "other-effect",
    "unspoken", "strange", "behind",
]  # fmt: skip
Parts = Mapping[Part, float]


class Weights(NamedTuple):
    """What a part weighs where words alone are read, and where meaning is read too."""

    words: float
    meaning: float


#: How well a card fits, beside others: fitted by regression, in three locales, on asks that were left out with all that
#: are like them, and on written questions; then rounded.
FIT: Final[Mapping[Part, Weights]] = {
    "words": Weights(23.0, 15.0),  # the question's words are those that people ask for the card with
    "meaning": Weights(0.0, 8.5),  # so is its meaning
    "facets": Weights(2.4, 1.8),  # share of its finer subjects that the card has
    "topic": Weights(1.4, 1.3),  # a cue gives the card's topic away
    "names": Weights(5.0, 4.6),  # it names the card's medicine
    "alone": Weights(-1.6, -2.0),  # the card is about two that meet, and the question names one
    "lacks": Weights(-0.5, -0.5),  # it asks about finer subjects that the card lacks
}
#: Whether the card answers, rather than none: searched, weight by weight, for what answers the most of the asks that
#: were left out where 84 to 92 % (by words alone: 76 to 88 %) of the outside questions are refused whose kinds were,
#: and few asks whose medicine was changed or whose card was taken out; then rounded. `other-effect` was raised, and the
#: sum with the meaning lowered, when short asks were learnt: on the slices and on effects that no card names.
EVIDENCE: Final[Mapping[Part, Weights]] = {
    "words": Weights(12.0, 2.8),  # how much more its words ask for the card than for what no card answers
    "meaning": Weights(0.0, 5.0),  # so does its meaning
    "covered": Weights(1.5, 1.2),  # share of its words that the card has
    "facets": Weights(0.2, 0.2),
    "names": Weights(3.0, 1.4),
    "only-name": Weights(-3.0, -2.5),  # it names the card's medicine, and nothing speaks of the card's topic
    "alone": Weights(-0.8, -0.7),
    "lacks": Weights(-3.0, -2.1),
    "other-effect": Weights(-3.5, -4.5),  # whether its medicine does what the card does not say
    "unspoken": Weights(-0.1, -0.1),  # nothing speaks of medicine
    "strange": Weights(-1.2, -0.5),  # a word of no list may be a medicine, and the card's is not named
    "behind": Weights(-0.6, -0.6),  # how much better another card fits, whatever its medicine
}
#: The sum from which on a card answers.
NEEDED: Final = Weights(-1.75, -1.0)
#: A question that tells less than this, with no cue, says nothing but the name of a medicine,
LEAST_MASS: Final = 1.0
#: unless its few plain words come to this much: `a day without sertraline`.
SURE: Final = 5.0
#: What a card lacks that has not enough, by the parts that speak against it.
_CHECK_OF: Final[Mapping[Part, Check]] = {"only-name": "topic", "alone": "topic", "lacks": "facet"}
#: A fit behind another's counts for no more than this.
_BEHIND: Final = 4.0


#: Topics of questions that ask what a medicine does to an illness.
_AFFECTS: Final = frozenset({"side-effect", "interaction"})


class Failed(NamedTuple):
    """A check that a card fails, and on what."""

    check: Check
    what: str


@dataclass(frozen=True)
class Asked:
    """A question with what it asks for.

    Attributes:
        words: how likely each intent is by its words.
        meaning: by its meaning; None where nothing reads that.
        finer: the finer subjects that a card must have.
        groups: the groups of its topics.
    """

    question: Question
    locale: Locale
    words: Scores
    meaning: Scores | None
    finer: tuple[str, ...]
    groups: frozenset[str]

    @cached_property
    def likeliest(self) -> frozenset[str]:
        """The intent that its words make likeliest, and the one that its meaning does."""
        every = [scores for scores in (self.words, self.meaning) if scores]
        return frozenset(max(sorted(scores), key=lambda name: scores[name]) for scores in every)


def ask(question: Question, locale: Locale, meaning: Scores | None, reader: Reader) -> Asked:
    """What a question asks for, its meaning having been read or not."""
    words, groups = reader.intents(question, locale), reader.topics.groups(question.topics)
    return Asked(question, locale, words, meaning, tuple(_finer(question, reader)), groups)


def fit(asked: Asked, card: CardReading, reader: Reader) -> Parts:
    """The parts of how well a card fits; which medicine it is of is only in `names`."""
    question, meaning = asked.question, asked.meaning or {}
    return {
        "words": asked.words.get(card.intent, 0.0),
        "meaning": meaning.get(card.intent, 0.0),
        "facets": _facet_share(question, card),
        "topic": card.card.topic in question.topics,
        **_against(asked, card, reader),
    }


def evidence(asked: Asked, card: CardReading, reader: Reader, behind: float) -> Parts:
    """The parts of whether the card answers.

    Args:
        behind: how much better another card fits, whatever its medicine.
    """
    question, meaning = asked.question, asked.meaning or {}
    return {
        "words": margin(asked.words, card.intent),
        "meaning": margin(meaning, card.intent),
        "covered": reader.covered(question, card, asked.locale),
        "facets": _facet_share(question, card),
        "unspoken": not question.medicinal,
        "strange": bool(question.strange) and not names(question, card),
        "behind": min(_BEHIND, behind),
        **_against(asked, card, reader),
    }


def total(parts: Parts, weights: Mapping[Part, Weights], asked: Asked) -> float:
    """The sum of the parts, each by its weight."""
    column = 0 if asked.meaning is None else 1
    return sum(weights[part][column] * value for part, value in parts.items() if part in weights)


def failures(asked: Asked, card: CardReading, reader: Reader, behind: float) -> list[Failed]:
    """The checks that the card fails; none: it answers the question.

    Args:
        behind: as `evidence` has it; 0: no card fits better.
    """
    if wrong := list(medicine(asked, card, reader, first=behind <= 0)):
        return wrong
    parts = evidence(asked, card, reader, behind)
    found, needed = total(parts, EVIDENCE, asked), NEEDED[0 if asked.meaning is None else 1]
    if found >= needed and not _is_bare_name(asked.question, found):
        return []
    speak = {_CHECK_OF[part] for part, value in parts.items() if value and part in _CHECK_OF}
    lacks = [name for name in asked.finer if not _has(card, name, reader)]
    what: dict[Check, str] = {"topic": _list(asked.question.topics) or "no topic", "facet": _list(lacks)}
    return [Failed(check, f"asks about {each}") for check, each in what.items() if check in speak] or [
        Failed("words", f"{found:.1f} of {needed}")
    ]


def medicine(asked: Asked, card: CardReading, reader: Reader, *, first: bool) -> Iterator[Failed]:
    """A card of one medicine answers questions that name it; a card of none, those that do not depend on one.

    A word of no list may be a medicine too: it counts as one where the answer would be wrong if it were.

    Args:
        first: whether no card fits better, whatever its medicine.
    """
    question = asked.question
    strange = [word for word in question.strange if stem(word, asked.locale) not in card.stems]
    if card.card.is_general:
        if others := _others(asked, card):
            free = not _depends(asked, reader) or (first and not (asked.likeliest - {card.intent}) & reader.differing)
            if _differs(question, card, reader) or not free or _foreign(question, card, reader):
                yield Failed("medicine", f"depends on {_list(others)}")
    elif not names(question, card):
        if question.named:
            yield Failed("medicine", f"names {_list(question.named)}, not {_list(card.declared)}")
        else:
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
    """Whether the question names a medicine of the card, or a kind that it is of."""
    return bool(question.medicines & card.declared or question.classes & card.kinds)


def _others(asked: Asked, card: CardReading) -> frozenset[str]:
    """What the question names as a medicine, or may name where it names none, and the card does not."""
    question = asked.question
    strange = frozenset(word for word in question.strange if stem(word, asked.locale) not in card.stems)
    return (question.named - card.front) or (frozenset() if question.medicines else strange)


def _differs(question: Question, card: CardReading, reader: Reader) -> bool:
    """Whether what the card says of most medicines may not hold for the one that is named."""
    return card.card.when_unnamed or (
        card.card.topic in reader.topics.per_medicine and card.card.for_named not in question.facets
    )


def _foreign(question: Question, card: CardReading, reader: Reader) -> bool:
    """Whether the question asks for a finer subject that differs from medicine to medicine and is not the card's."""
    return bool((reader.topics.per_medicine & question.facets.keys()) - card.subjects)


def _depends(asked: Asked, reader: Reader) -> bool:
    """Whether what is asked for differs from medicine to medicine, by cues that speak of little else or by the rest."""
    return (
        _is_dependent(asked.question, reader)
        or bool(asked.likeliest & reader.unnamed)
        or asked.likeliest <= reader.differing
    )


def _is_dependent(question: Question, reader: Reader) -> bool:
    counts = [(name in reader.topics.per_medicine, len(hits)) for name, hits in question.topics.items()]
    dependent = sum(count for differs, count in counts if differs)
    return dependent > 0 and dependent >= sum(count for differs, count in counts if not differs)


def _against(asked: Asked, card: CardReading, reader: Reader) -> Parts:
    """What the fit and the evidence share; all but `names` speak against the card."""
    question = asked.question
    named = names(question, card)
    agreed = bool(asked.groups & card.groups)
    met = _meet(question, card, reader)
    lacks = sum(not _has(card, name, reader) for name in asked.finer)
    return {
        "names": named,
        "only-name": named and not (agreed or met or card.intent in asked.likeliest or _felt(question, card)),
        "alone": card.card.topic == "interaction" and not card.card.is_general and not met,
        "lacks": min(1.0, lacks / 2 + lacks / max(1.0, question.mass)),
        "other-effect": bool(lacks) and named and card.card.topic == "side-effect",
    }


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


def _felt(question: Question, card: CardReading) -> bool:
    """Whether the question speaks of what the card says a medicine may do."""
    return card.card.topic == "side-effect" and bool(question.facets.keys() & card.subjects)


def _finer(question: Question, reader: Reader) -> Iterator[str]:
    """The finer subjects that a card must have.

    Where no medicine is named, a complaint about a pill may be any; an illness is mostly what a medicine is taken for.
    """
    for name in (name for name in question.facets if name not in question.implied):
        facet = reader.topics.facets[name]
        if facet.illness and question.medicinal and not question.topics.keys() & _AFFECTS:
            continue
        anybodys = facet.when_named or (facet.kind == "detail" and question.medicinal)
        if facet.kind != "word" and (question.named or not anybodys):
            yield name


def _has(card: CardReading, facet: str, reader: Reader) -> bool:
    return facet in (card.subjects if reader.topics.facets[facet].kind == "subject" else card.facets)


def _is_bare_name(question: Question, found: float) -> bool:
    """Whether it says nothing but the name of a medicine: `tell me about sertraline`."""
    if len(question.named) != 1 or question.mass >= LEAST_MASS or question.topics or question.facets:
        return False
    return found < SURE or not question.mass


def _facet_share(question: Question, card: CardReading) -> float:
    """Share of the question's finer subjects that the card has; 0 without any."""
    return sum(name in card.facets for name in question.facets) / (len(question.facets) or 1)


def _list(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
