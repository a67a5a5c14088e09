"""What questions and cards say, in the same terms, so that one can be checked against the other."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Final

from carerails.contracts import LOCALES, Locale
from carerails.knowledge.cards import Card, Knowledge
from carerails.knowledge.frequency import Frequency, frequency
from carerails.knowledge.intents import A_MEDICINE, Sample, Wording, load_outside, signs
from carerails.knowledge.kernels import OUTSIDE
from carerails.knowledge.medicines import Medicines, Mention, load_medicines
from carerails.knowledge.near import Near
from carerails.knowledge.topics import Topics, load_topics
from carerails.knowledge.words import Hit, replaced, stem, words

#: Share of a card's title and asks that must give a topic away for it to be one of the card's.
_TOPIC_SHARE: Final = 0.5
#: A word that this share of the cards has tells nothing.
_COMMON_SHARE: Final = 0.55
#: How much of a line a sentence of a card counts for, beside its title and asks.
_SENTENCE: Final = 0.5
#: Share of its weight that a word keeps which every text has: word for word the same is still the same.
_LEAST: Final = 0.4
#: What stands in an embedded text in place of the name of a medicine.
_MEDICINE: Final[Mapping[Locale, str]] = {"en": "medicine", "es-419": "medicamento", "pt-BR": "remédio"}
#: What stands between a complaint and the medicine that is taken for it: `ibuprofen for my headache`.
_FOR: Final = frozenset({"for", "para", "por", "pra", "pro", "contra"})
_WHY: Final = frozenset({"por", "que"})


@dataclass(frozen=True)
class Question:
    """What a question says.

    Attributes:
        words: its folded words.
        order: their stems, with one sign for the name of any medicine.
        names: the words that are names of medicines.
        medicines: canonical names of medicines.
        classes: words for kinds of medicines, without those that a named medicine belongs to.
        unknown: words that stand as a medicine and that no list has.
        strange: words of no list and no card, wherever they stand: each may be the name of a medicine.
        topics: topics that its words give away.
        facets: finer subjects, with the places of their cues.
        topic_hits: places of the cues of each topic.
        implied: facets whose cues are only parts of a topic's: `fell asleep without taking` asks nothing about sleep.
        mass: how much its words tell together.
        background: medicines that it only says are taken: `I take X`.
        stems: stems of all words outside the names of medicines, with how much each tells, 0 to 1.
        medicinal: whether it speaks of taking medicine at all.
    """

    words: tuple[str, ...]
    order: tuple[str, ...]
    names: frozenset[str]
    medicines: frozenset[str]
    classes: frozenset[str]
    unknown: frozenset[str]
    strange: frozenset[str]
    topics: Mapping[str, Sequence[Hit]]
    facets: Mapping[str, Sequence[Hit]]
    implied: frozenset[str]
    mass: float
    background: frozenset[str]
    stems: Mapping[str, float]
    medicinal: bool

    @cached_property
    def named(self) -> frozenset[str]:
        """Everything that it names as a medicine."""
        return self.medicines | self.classes | self.unknown

    @property
    def signs(self) -> dict[str, float]:
        """What tells what it asks for, with how much each tells."""
        return signs(self.order, self.stems, (word for word in self.words if word not in self.names))


@dataclass(frozen=True)
class CardReading:
    """What a card says in one locale.

    Attributes:
        declared: its medicines; empty for a card that holds for any.
        kinds: kinds of medicines that its title, asks and `about` name, and that one of its medicines is of.
        front: medicines and kinds that its title, asks and `about` name, and the declared ones.
        mentioned: those, and the ones in its sentences.
        topics: its topic, and those that its title and asks give away.
        groups: the groups of those.
        subjects: facets of title, asks and `about`.
        facets: those, and the ones in its sentences.
        stems: stems of all its words.
        asks: its title and asks, read.
        sentences: its sentences, read.
    """

    card: Card
    declared: frozenset[str]
    kinds: frozenset[str]
    front: frozenset[str]
    mentioned: frozenset[str]
    topics: frozenset[str]
    groups: frozenset[str]
    subjects: frozenset[str]
    facets: frozenset[str]
    stems: frozenset[str]
    asks: tuple[Question, ...]
    sentences: tuple[Question, ...]

    @cached_property
    def intent(self) -> str:
        """What people ask for when they ask for it: for the cards of one medicine each, their topic."""
        return self.card.id if not self.declared else f"{self.card.topic} of a medicine"


class Reader:
    """Reads questions and cards against the lists of `config` and the frequency of words. Immutable once built.

    Attributes:
        unnamed: intents of cards that answer only where no medicine is named.
        differing: intents whose answer for one medicine need not hold for another, those among them.
    """

    def __init__(
        self,
        knowledge: Knowledge,
        medicines: Medicines,
        topics: Topics,
        outside: Mapping[Locale, Sequence[str]],
        frequency: Frequency,
    ) -> None:
        self.topics = topics
        self.outside = outside
        self._medicines = medicines
        self._frequency = frequency
        self._vocabulary = {locale: self._words_of(knowledge, locale) for locale in LOCALES}
        self._words = {locale: Near(self._vocabulary[locale]) for locale in LOCALES}
        self._knows = {locale: self._knower(locale) for locale in LOCALES}
        self.cards: dict[Locale, dict[str, CardReading]] = {
            locale: {card.id: self._card(card, locale) for card in knowledge.cards} for locale in LOCALES
        }
        self._outside = {locale: [self.question(line, locale) for line in outside[locale]] for locale in LOCALES}
        every = self.cards["en"].values()
        self.unnamed = frozenset(card.intent for card in every if card.card.when_unnamed)
        self.differing = self.unnamed | {card.intent for card in every if card.card.topic in topics.per_medicine}
        self._weights = {locale: _weights(self.cards[locale].values()) for locale in LOCALES}
        self._wording = {locale: Wording(self._samples(locale)) for locale in LOCALES}

    def intents(self, question: Question, locale: Locale) -> dict[str, float]:
        """How likely each intent is, by the question's words."""
        return self._wording[locale].scores(question.signs)

    def lines(self) -> Iterator[tuple[str, str]]:
        """The intent and the text of every title, every ask and all that lies outside, without names of medicines."""
        for locale in LOCALES:
            for card in self.cards[locale].values():
                text = card.card.texts[locale]
                lines = zip((text.title, *text.asks), card.asks, strict=True)
                yield from ((card.intent, self.nameless(line, locale, read)) for line, read in lines)
            outside = zip(self.outside[locale], self._outside[locale], strict=True)
            yield from ((OUTSIDE, self.nameless(line, locale, read)) for line, read in outside)

    def nameless(self, text: str, locale: Locale, question: Question | None = None) -> str:
        """A text in lower case with one word for every medicine, which one being no matter of meaning."""
        names = (question or self.question(text, locale)).names
        return (replaced(text, names, _MEDICINE[locale]) if names else text).lower()

    def covered(self, question: Question, card: CardReading, locale: Locale) -> float:
        """Share of the question's words that the card has, by how much each tells."""
        told = [(word, self._weight(word, locale) * (_LEAST + (1 - _LEAST) * t)) for word, t in question.stems.items()]
        return sum(weight for word, weight in told if word in card.stems) / (sum(weight for _, weight in told) or 1.0)

    def _weight(self, stem_: str, locale: Locale) -> float:
        """How much a word tells: the fewer cards have it the more; the most where none has."""
        table, most = self._weights[locale]
        return table.get(stem_, most)

    def _samples(self, locale: Locale) -> Iterator[Sample]:
        """The lines that ask for each intent, and those that ask for none."""
        for card in self.cards[locale].values():
            yield from (Sample(card.intent, ask.signs, 1.0) for ask in card.asks)
            yield from (Sample(card.intent, sentence.signs, _SENTENCE) for sentence in card.sentences)
        for read in self._outside[locale]:
            yield Sample(OUTSIDE, read.signs, 1.0)

    def question(self, text: str, locale: Locale) -> Question:
        """Read a question."""
        return self._question(words(text), locale)

    def _question(self, said: tuple[str, ...], locale: Locale) -> Question:
        mentions = self._medicines.find(said, self._knows[locale])
        reading = self.topics.read(said, locale)
        background = [h for hits in reading.facets.values() for h in hits if self._is_background(h, said)]
        phrases = [hit for hits in reading.topics.values() for hit in hits]
        named = {place for mention in mentions for place in range(mention.start, mention.end)}
        named.update(place for hit in background for place in range(hit.start, hit.end))
        medicines = frozenset(m.name for m in mentions if m.kind == "medicine")
        classes = frozenset(m.name for m in mentions if m.kind == "class")
        facets = {
            name: kept
            for name, hits in reading.facets.items()
            if (kept := [h for h in hits if h not in background and not _is_part(h, mentions)])
        }
        stems = {
            stem(word, locale): self._frequency.telling(word, locale)
            for place, word in enumerate(said)
            if place not in named
        }
        starts = {mention.start: mention.end for mention in mentions if mention.kind != "class"}
        return Question(
            words=said,
            order=_in_order(said, starts, locale),
            names=frozenset(word for start, end in starts.items() for word in said[start:end]),
            medicines=medicines,
            classes=frozenset(c for c in classes if not self._medicines.members[c] & medicines),
            unknown=frozenset(m.name for m in mentions if m.kind == "unknown"),
            strange=frozenset(
                word for place, word in enumerate(said) if place not in named and self._is_strange(word, locale)
            ),
            topics=reading.topics,
            facets=facets,
            implied=frozenset(name for name, hits in facets.items() if all(_is_part(h, phrases) for h in hits)),
            mass=sum(stems.values()),
            background=frozenset(m.name for m in mentions if self._medicines.is_taken(said, m)),
            stems=stems,
            medicinal=reading.medicinal or bool(mentions),
        )

    def _is_strange(self, word: str, locale: Locale) -> bool:
        return (
            not self._knows[locale](word) and self._medicines.may_be_name(word) and not self._words[locale].near(word)
        )

    def _is_background(self, hit: Hit, said: Sequence[str]) -> bool:
        """Whether the complaint is only what the medicine is taken for."""
        before = set(said[max(0, hit.start - 2) : hit.start])
        return self.topics.facets[hit.label].kind == "detail" and bool(_FOR & before) and not before >= _WHY

    def _card(self, card: Card, locale: Locale) -> CardReading:
        text = card.texts[locale]
        asks = [self._question(words(line), locale) for line in text.asks]
        title = self._question(words(text.title), locale)
        sentences = [self._question(words(line), locale) for line in text.sentences]
        about = self._question(tuple(word for key in card.about for word in key.split("-")), "en")
        declared = frozenset[str]() if card.is_general else frozenset(card.medicines)
        front = declared.union(*(q.medicines | q.classes for q in (title, about, *asks)))
        subjects = frozenset[str]().union(*(q.facets.keys() for q in (title, about, *asks)))
        topics = self._topics_of(card, (title, *asks))
        return CardReading(
            card=card,
            declared=declared,
            kinds=frozenset(name for name in front if self._medicines.members.get(name, frozenset()) & declared),
            front=front,
            mentioned=front.union(
                *(q.medicines | q.classes for q in sentences), *self._others_of_kinds(front, declared)
            ),
            topics=topics,
            groups=self.topics.groups(topics),
            subjects=subjects,
            facets=subjects.union(*(q.facets.keys() for q in sentences)),
            stems=frozenset[str]().union(*(q.stems for q in (title, *asks, *sentences))),
            asks=(title, *asks),
            sentences=tuple(sentences),
        )

    def _others_of_kinds(self, front: frozenset[str], declared: frozenset[str]) -> list[frozenset[str]]:
        """Members of the kinds that a card speaks of beside its own: `herbal remedies and sertraline`."""
        kinds = [self._medicines.members[name] for name in front if name in self._medicines.members]
        return [members for members in kinds if not members & declared]

    @staticmethod
    def _topics_of(card: Card, lines: Sequence[Question]) -> frozenset[str]:
        """The card's topic, and those that a good part of its lines gives away."""
        counts = Counter(topic for line in lines for topic in line.topics)
        return frozenset([card.topic, *(t for t, count in counts.items() if count >= _TOPIC_SHARE * len(lines))])

    def _words_of(self, knowledge: Knowledge, locale: Locale) -> frozenset[str]:
        """Words that the cards' titles and sentences use: asks misspell on purpose."""
        lines = (line for card in knowledge.cards for line in (card.texts[locale].title, *card.texts[locale].sentences))
        found = {word for line in lines for word in words(line)}
        return frozenset(word for word in found if not self._medicines.is_name(word))

    def _knower(self, locale: Locale) -> Callable[[str], bool]:
        vocabulary = self._vocabulary[locale]
        stems = {s for s in (stem(word, locale) for word in vocabulary) if len(s) >= 4}
        cued = self.topics.cue_words(locale)

        @lru_cache(maxsize=20_000)
        def known(word: str) -> bool:
            return (
                self._frequency.is_ordinary(word)
                or word in vocabulary
                or ((stem(word, locale) in stems or bool(cued.find((word,)))) and not self._medicines.is_name(word))
            )

        return known


def _in_order(said: Sequence[str], names: Mapping[int, int], locale: Locale) -> tuple[str, ...]:
    """Stems, with one sign for each name, given where names begin and end."""
    order: list[str] = []
    at = 0
    while at < len(said):
        order.append(A_MEDICINE if at in names else stem(said[at], locale))
        at = names.get(at, at + 1)
    return tuple(order)


def _is_part(hit: Hit, longer: Iterable[Hit | Mention]) -> bool:
    """Whether the cue is only a part of something longer, as `cold` of `cold medicine`."""
    return any(
        other.start <= hit.start and hit.end <= other.end and other.end - other.start > hit.end - hit.start
        for other in longer
    )


def _weights(cards: Iterable[CardReading]) -> tuple[dict[str, float], float]:
    cards = list(cards)
    counts = Counter(stem_ for card in cards for stem_ in card.stems)
    common = max(1, _COMMON_SHARE * len(cards))
    return {s: math.log(1 + len(cards) / n) if n <= common else 0.0 for s, n in counts.items()}, math.log(
        1 + len(cards) / 0.5
    )


def load_reader(knowledge: Knowledge, config: Path | None = None) -> Reader:
    """The reader with the lists of a config directory (None: the shipped ones, and then the last one is kept).

    Raises:
        UsageError: with file, line and mend.
    """
    key = (knowledge.digest, *(card.path for card in knowledge.cards)) if config is None else None
    if key is None or key not in _last:
        reader = Reader(knowledge, load_medicines(config), load_topics(config), load_outside(config), frequency())
        if key is None:
            return reader
        _last.clear()
        _last[key] = reader
    return _last[key]


_last: dict[tuple[object, ...], Reader] = {}
