"""Which medicines a text names: generic names, brands, kinds, misspellings, and names that nobody listed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple

from pydantic import BeforeValidator, StringConstraints, ValidationInfo, field_validator

from carerails.config import load_yaml
from carerails.contracts import Frozen
from carerails.knowledge.cards import Name
from carerails.knowledge.near import Near
from carerails.knowledge.words import FoldedWord, split
from carerails.resources import data_dir

Kind = Literal["medicine", "class", "unknown"]
Folded = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(?: [a-z0-9]+)*$")]
WordSet = Annotated[frozenset[FoldedWord], BeforeValidator(split)]
Letters = Annotated[str, StringConstraints(pattern=r"^[a-z]+$")]

#: Shorter names are compared letter by letter; reduced spelling would find them in ordinary words.
_REDUCED_FROM: Final = 6
#: Letters of a name that forgives one wrong letter.
_TYPO_FROM: Final = 7
#: Letters of a word whose ending may give it away as a medicine.
_ENDING_FROM: Final = 7
#: Letters of a word that may be a name that nobody listed, and how far in front of it its frame may begin.
_NAME_FROM: Final = 4
_MOST_BETWEEN: Final = 3

_SPELLINGS: Final = tuple(
    (re.compile(pattern), new)
    for pattern, new in (
        ("ph", "f"), ("y", "i"), ("ck|qu|k", "c"), ("z", "s"), ("m", "n"), ("h", ""), (r"(.)\1", r"\1"),
        ("(?<=.{3})(?:[aeio]+s?|s)$", ""),
    )
)  # fmt: skip

#: Endings of ordinary words, so that `my morning` names no medicine wherever it stands.
_INFLECTED: Final = re.compile(
    r"(?:ing|ed|ly|tion|tions|ness|ment|ous|ful|ight|able|ship|hood|ando|iendo|endo|indo|cion|ciones|cao|coes|mente|dad"
    r"|dade|mento|miento|ados?|adas?|idos?|idas?|[aei]r(?:me|te|se|l[aeo]s?|nos))$"
)
#: Endings that names share with ordinary words: what has one is a name only where a name stands, as in `effects of X`.
_WORDLIKE: Final = re.compile(
    r"(?:[aei]r|ncia|ncias|ista|istas|eza|ito|itos|ita|itas|inho|inha|inhos|inhas|ot[ao]|agem|[^aeiou]ei|[aei]ram"
    r"|[ae]va|[aei]ss?e|[aeo]s|[^aeiouy]s)$"
)


class MedicineClass(Frozen):
    """A word for a kind of medicine, and the medicines of that kind."""

    names: tuple[Folded, ...]
    members: tuple[Name, ...] = ()


class Frames(Frozen):
    """Words that stand around the name of a medicine.

    Attributes:
        taking: in front of it: `take X`.
        being_on: in front of what one takes, and of much else: `on X`.
        between: what may stand between: `take my X`.
        owning: whose own it is: `my X`.
        forms: behind it: `X pills`.
        forms_of: in front of it, with a word between: `pastillas de X`.
        devices: in front of it: `inhalador X`.
    """

    taking: WordSet
    being_on: WordSet
    between: WordSet
    owning: WordSet
    forms: WordSet
    forms_of: WordSet
    devices: WordSet


class MedicineNames(Frozen):
    """`medicines.yml`."""

    medicines: Mapping[Name, tuple[Folded, ...]]
    classes: Mapping[Name, MedicineClass]
    endings: tuple[Letters, ...]
    not_medicines: WordSet
    frames: Frames

    @field_validator("classes")
    @classmethod
    def _members_are_listed(
        cls, classes: Mapping[str, MedicineClass], info: ValidationInfo
    ) -> Mapping[str, MedicineClass]:
        listed: Mapping[str, object] = info.data.get("medicines", {})
        for name, row in classes.items():
            for member in row.members:
                if member not in listed:
                    raise ValueError(f"{name}: member {member!r} is not among the medicines")
        return classes


class Mention(NamedTuple):
    """The words `[start, end)` name a medicine: its canonical name, or as written where nobody listed it."""

    start: int
    end: int
    name: str
    kind: Kind


def reduced(word: str) -> str:
    """A spelling in which a name's forms in three languages meet: `levotiroxina` and `levothyroxine`."""
    for pattern, new in _SPELLINGS:
        word = pattern.sub(new, word)
    return word


class Medicines:
    """The lexicon, ready for matching. Immutable once built, so any number of threads may use it."""

    def __init__(self, names: MedicineNames) -> None:
        self._exact: dict[tuple[str, ...], tuple[str, Kind]] = {}
        self._reduced: dict[str, str] = {}
        self.members = {name: frozenset(row.members) for name, row in names.classes.items()}
        for name, row in names.classes.items():
            for phrase in (name, *row.names):
                self._exact.setdefault(tuple(phrase.replace("-", " ").split()), (name, "class"))
        for name, others in names.medicines.items():
            for phrase in (name, *others):
                parts = tuple(phrase.replace("-", " ").split())
                self._exact[parts] = (name, "medicine")
                if len(parts) == 1 and len(phrase) >= _REDUCED_FROM:
                    self._reduced.setdefault(reduced(phrase), name)
        self._first: dict[str, list[tuple[str, ...]]] = {}
        for parts in sorted(self._exact, key=len, reverse=True):
            self._first.setdefault(parts[0], []).append(parts)
        self.names = frozenset(names.medicines)
        self._generic = frozenset(
            spelling for spelling in map(reduced, names.medicines) if len(spelling) >= _REDUCED_FROM
        )  # no word of the languages shares these by chance, as `concert` does with a brand
        self._frames = names.frames
        self._not = names.not_medicines
        self._endings = tuple({reduced(ending) for ending in names.endings})
        self._spellings = Near(self._reduced)

    def find(self, text: Sequence[str], is_known: Callable[[str], bool]) -> list[Mention]:
        """Every medicine that folded words name, by place, without overlap.

        Args:
            text: folded words.
            is_known: whether a word is one of the language, so that it is no misspelling and no unlisted name.
        """
        found: list[Mention] = []
        at = 0
        while at < len(text):
            mention = self._listed(text, at) or self._single(text, at, is_known)
            if mention:
                found.append(mention)
            at = mention.end if mention else at + 1
        return found

    def is_name(self, word: str) -> bool:
        """Whether the word, rightly spelt in one of the languages, is the name of a medicine."""
        return (word,) in self._exact or (len(word) >= _REDUCED_FROM and reduced(word) in self._reduced)

    def is_taken(self, text: Sequence[str], mention: Mention) -> bool:
        """Whether the words in front of it say that it is taken: `I take my X`, `on X`."""
        before = self._in_front(text, mention.start)
        return before >= 0 and text[before] in self._frames.taking | self._frames.being_on

    def may_be_name(self, word: str) -> bool:
        """Whether a word of no list looks like a name wherever it stands."""
        return self._looks_like_name(word) and not _WORDLIKE.search(word)

    def _looks_like_name(self, word: str) -> bool:
        return len(word) >= _NAME_FROM and word.isalpha() and word not in self._not and not _INFLECTED.search(word)

    def _listed(self, text: Sequence[str], at: int) -> Mention | None:
        for parts in self._first.get(text[at], ()):
            if tuple(text[at : at + len(parts)]) == parts:
                return Mention(at, at + len(parts), *self._exact[parts])
        return None

    def _single(self, text: Sequence[str], at: int, is_known: Callable[[str], bool]) -> Mention | None:
        word = text[at]
        if word in self._not or not word.isalpha():
            return None
        known = is_known(word)
        if len(word) >= _REDUCED_FROM:
            spelling = reduced(word)
            name = self._reduced.get(spelling) if not known or spelling in self._generic else None
            if not (name or known) and len(word) >= _TYPO_FROM:
                near = {self._reduced[other] for other in self._spellings.near(spelling)}
                if len(near) == 1:
                    name = near.pop()
                elif near or (len(word) >= _ENDING_FROM and spelling.endswith(self._endings)):
                    return Mention(at, at + 1, word, "unknown")
            if name:
                return Mention(at, at + 1, name, "medicine")
        if not known and self._stands_as_medicine(text, at) and self._looks_like_name(word):
            return Mention(at, at + 1, word, "unknown")
        return None

    def _stands_as_medicine(self, text: Sequence[str], at: int) -> bool:
        """Whether the word stands where the name of a medicine does."""
        frames = self._frames
        if at + 1 < len(text) and text[at + 1] in frames.forms:
            return True
        before = at - 1
        if before >= 0 and text[before] in frames.owning:
            return not text[at].endswith("s")  # `my thighs`
        before = self._in_front(text, at)
        if before < 0:
            return False
        word = text[before]
        return word in frames.taking or word in frames.devices or (word in frames.forms_of and at - before > 1)

    def _in_front(self, text: Sequence[str], at: int) -> int:
        """The place in front of a name and of what may stand between; below 0 where nothing does."""
        before = at - 1
        while before >= 0 and at - before < _MOST_BETWEEN and text[before] in self._frames.between:
            before -= 1
        return before


def load_medicines(config: Path | None = None) -> Medicines:
    """Read `medicines.yml` of a config directory (None: the shipped one).

    Raises:
        UsageError: with file, line and mend.
    """
    return Medicines(load_yaml((config or data_dir("config")) / "medicines.yml", MedicineNames))
