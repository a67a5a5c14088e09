"""Knowledge cards: what the agent may answer from, one YAML file a card, in every locale."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Final, Literal, get_args

from pydantic import BeforeValidator, Field, StringConstraints, field_validator

from carerails.config import load_yaml
from carerails.contracts import LOCALES, Frozen, Locale, Passage
from carerails.errors import UsageError
from carerails.resources import data_dir

Topic = Literal[
    "adherence",
    "routine",
    "reminder",
    "motivation",
    "side-effect",
    "storage",
    "missed-dose",
    "interaction",
    "identification",
    "practical",
]
TOPICS: Final[tuple[Topic, ...]] = get_args(Topic)
#: The one word in place of medicines, for a card that holds whatever the medicine is.
ANY: Final = "any"

_ID: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=400, pattern=r"^[^\n]*$")]
Key = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(?:-[a-z0-9]+)*$")]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(?:[ -][a-z0-9]+)*$")]


def _names(value: object) -> object:
    return (ANY,) if value == ANY else value


class CardText(Frozen):
    """A card in one locale.

    Attributes:
        asks: ways in which people ask for just this card.
        sentences: the answer, each sentence true on its own.
    """

    title: Line
    asks: Annotated[tuple[Line, ...], Field(min_length=1)]
    sentences: Annotated[tuple[Line, ...], Field(min_length=1)]


class CardFile(Frozen):
    """What stands in the file of a card.

    Attributes:
        medicines: canonical English generic names, or `any` alone.
        for_named: a facet. A card for `any` of a topic that differs from medicine to medicine answers a question that
            names one only if the question has it: where to look is the same for all.
        when_unnamed: whether a card for `any` answers only questions that name no medicine: what holds for most, and
            for the one that is named may not.
        about: finer subjects inside the topic, English key words.
        source: where the statements come from.
        licence: under which they may be passed on.
    """

    topic: Topic
    medicines: Annotated[tuple[Name, ...], BeforeValidator(_names), Field(min_length=1)]
    for_named: Key | None = None
    when_unnamed: bool = False
    about: Annotated[tuple[Key, ...], Field(min_length=1)]
    source: Line
    licence: Line
    texts: Mapping[Locale, CardText]

    @field_validator("medicines")
    @classmethod
    def _any_alone(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        if ANY in names and len(names) > 1:
            raise ValueError("write `any` alone, or the names without it")
        return names

    @field_validator("texts")
    @classmethod
    def _every_locale(cls, texts: Mapping[Locale, CardText]) -> Mapping[Locale, CardText]:
        missing = [locale for locale in LOCALES if locale not in texts]
        if missing:
            raise ValueError(f"no text in {', '.join(missing)}")
        return texts


class Card(CardFile):
    """One card. `id` is the stem of its file's name, and what `[cite:ID]` names."""

    id: str
    path: Path

    @property
    def is_general(self) -> bool:
        """Whether every sentence holds whatever the medicine is."""
        return self.medicines == (ANY,)

    def passage(self, locale: Locale) -> Passage:
        """The card as it goes into the context."""
        text = self.texts[locale]
        return Passage(card=self.id, locale=locale, title=text.title, sentences=text.sentences, source=self.source)


class Knowledge(Frozen):
    """All cards, in the order of their ids."""

    cards: tuple[Card, ...]

    @cached_property
    def _by_id(self) -> dict[str, Card]:
        return {card.id: card for card in self.cards}

    @cached_property
    def digest(self) -> str:
        """Hash of what the cards say, wherever their files lie."""
        key = hashlib.sha256()
        for card in self.cards:
            key.update(card.model_dump_json(exclude={"path"}).encode())
        return key.hexdigest()

    def __getitem__(self, card: str) -> Card:
        return self._by_id[card]

    def __contains__(self, card: object) -> bool:
        return card in self._by_id

    def __len__(self) -> int:
        return len(self.cards)

    def ids(self) -> Iterator[str]:
        """The ids, in order."""
        return iter(self._by_id)


def load_cards(directory: Path | None = None) -> Knowledge:
    """Read every card below a directory (None: the cards that are shipped).

    Raises:
        UsageError: no directory or no card in it, or the first thing that is wrong with one, by file and line.
    """
    cards: dict[str, Card] = {}
    for path in card_files(directory):
        card = load_card(path)
        if card.id in cards:
            raise UsageError(f"card {card.id!r} is already in {cards[card.id].path}", "rename one of them", str(path))
        cards[card.id] = card
    return Knowledge(cards=tuple(cards[name] for name in sorted(cards)))


def card_files(directory: Path | None = None) -> list[Path]:
    """The `.yml` and `.yaml` files below a directory (None: the cards that are shipped), in order.

    Raises:
        UsageError: there is no such directory, or no card in it.
    """
    home = directory or data_dir("config") / "kb"
    if not home.is_dir():
        raise UsageError("no such directory", "give the directory that holds the cards", str(home))
    found = sorted(path for path in home.rglob("*") if path.suffix in {".yml", ".yaml"})
    if not found:
        raise UsageError("no cards", "write one as ID.yml", str(home))
    return found


def load_card(path: Path) -> Card:
    """Read one card; its id is the stem of the file's name.

    Raises:
        UsageError: with file, line and mend.
    """
    if not _ID.fullmatch(path.stem):
        raise UsageError(f"{path.stem!r} is no id", "name the file in lower-case words joined by hyphens", str(path))
    file = load_yaml(path, CardFile)
    return Card(id=path.stem, path=path, **{name: getattr(file, name) for name in CardFile.model_fields})
