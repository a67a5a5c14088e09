"""What a text is about: topics of the cards and finer facets, by the words that give them away."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import BeforeValidator, StringConstraints, field_validator

from carerails.config import load_yaml
from carerails.contracts import LOCALES, Frozen, Locale
from carerails.knowledge.cards import TOPICS, Topic
from carerails.knowledge.words import Hit, Phrases
from carerails.resources import data_dir

FacetKind = Literal["subject", "detail", "word"]


def _listed(value: object) -> object:
    return [part.strip() for part in value.split(",")] if isinstance(value, str) else value


Cue = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+\*?(?: (?:[a-z0-9]+\*?|\*))*$")]
Cues = Annotated[tuple[Cue, ...], BeforeValidator(_listed)]


class _Cued(Frozen):
    """Cue words by locale."""

    cues: Mapping[Locale, Cues]
    per_medicine: bool = False

    @field_validator("cues")
    @classmethod
    def _every_locale(cls, cues: Mapping[Locale, Cues]) -> Mapping[Locale, Cues]:
        missing = [locale for locale in LOCALES if not cues.get(locale)]
        if missing:
            raise ValueError(f"no cues in {', '.join(missing)}")
        return cues


class TopicCues(_Cued):
    """A topic of the cards; topics of one group are often mixed in one question."""

    group: str | None = None


class FacetCues(_Cued):
    """A finer subject. `subject`: a card must be about it; `detail`: a card must say it; `word`: a mere synonym."""

    kind: FacetKind
    when_named: bool = False
    illness: bool = False


class TopicsFile(Frozen):
    """`topics.yml`."""

    topics: Mapping[Topic, TopicCues]
    facets: Mapping[str, FacetCues]
    medicine_words: Mapping[Locale, Cues]

    @field_validator("medicine_words")
    @classmethod
    def _every_locale(cls, words: Mapping[Locale, Cues]) -> Mapping[Locale, Cues]:
        missing = [locale for locale in LOCALES if not words.get(locale)]
        if missing:
            raise ValueError(f"no words in {', '.join(missing)}")
        return words

    @field_validator("topics")
    @classmethod
    def _every_topic(cls, topics: Mapping[Topic, TopicCues]) -> Mapping[Topic, TopicCues]:
        missing = [topic for topic in TOPICS if topic not in topics]
        if missing:
            raise ValueError(f"no cues for {', '.join(missing)}")
        return topics


class Reading(NamedTuple):
    """Topics and facets of a text, each with the places of its cues, and whether it speaks of taking medicine."""

    topics: Mapping[str, list[Hit]]
    facets: Mapping[str, list[Hit]]
    medicinal: bool


class Topics:
    """The cues, ready for matching. Immutable once built."""

    def __init__(self, file: TopicsFile) -> None:
        self.facets = file.facets
        self.per_medicine = frozenset(name for name, row in {**file.topics, **file.facets}.items() if row.per_medicine)
        self._group: dict[str, str] = {name: row.group or name for name, row in file.topics.items()}
        self._topic_cues = {locale: _table(file.topics, locale) for locale in LOCALES}
        self._facet_cues = {locale: _table(file.facets, locale) for locale in LOCALES}
        rows = (*file.topics.values(), *file.facets.values())
        self._cue_words = {
            locale: Phrases(
                (word, "")
                for cues in (*(row.cues[locale] for row in rows), file.medicine_words[locale])
                for word in " ".join(cues).split()
                if word != "*"
            )
            for locale in LOCALES
        }
        self._medicinal = {locale: Phrases((cue, "") for cue in file.medicine_words[locale]) for locale in LOCALES}

    def groups(self, topics: Iterable[str]) -> frozenset[str]:
        """The groups that topics belong to."""
        return frozenset(self._group.get(name, name) for name in topics)

    def cue_words(self, locale: Locale) -> Phrases:
        """Every word that is part of a cue."""
        return self._cue_words[locale]

    def read(self, text: Sequence[str], locale: Locale) -> Reading:
        """What folded words are about."""
        return Reading(
            _by_label(self._topic_cues[locale].find(text)),
            _by_label(self._facet_cues[locale].find(text)),
            bool(self._medicinal[locale].find(text)),
        )


def _table(
    rows: Mapping[str, TopicCues] | Mapping[Topic, TopicCues] | Mapping[str, FacetCues], locale: Locale
) -> Phrases:
    return Phrases((cue, name) for name, row in rows.items() for cue in row.cues[locale])


def _by_label(hits: Sequence[Hit]) -> dict[str, list[Hit]]:
    found: dict[str, list[Hit]] = {}
    for hit in hits:
        found.setdefault(hit.label, []).append(hit)
    return found


def load_topics(config: Path | None = None) -> Topics:
    """Read `topics.yml` of a config directory (None: the shipped one).

    Raises:
        UsageError: with file, line and mend.
    """
    return Topics(load_yaml((config or data_dir("config")) / "topics.yml", TopicsFile))
