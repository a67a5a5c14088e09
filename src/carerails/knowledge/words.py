"""Words of a text as retrieval sees them: folded and stemmed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import Annotated, Final, NamedTuple

from pydantic import StringConstraints

from carerails.contracts import Locale
from carerails.text import as_read

_WORD: Final = re.compile(r"[a-z0-9]+")
#: What a redactor leaves in place of personal data says nothing about medicines.
_REDACTED: Final = re.compile(r"<[A-Z][A-Z0-9_-]*>")

_SUFFIXES: Final[dict[Locale, str]] = {
    "en": "nesses ness ments ment ingly ings ing edly ied ies ed ers er est es ly s e y",
    "es-419": (
        "aciones iciones acion icion mente andolo andola andome iendolo iendola iendome iendo ando arlas arlos arla"
        " arlo arme arte arse erlas erlos erla erlo erme erse irla irlo irse aron ieron amos emos imos abas aban aba"
        " ados adas ado ada idos idas ido ida aste iste aria eria ar er ir ian ia io an en as es os is a e o i s"
    ),
    "pt-BR": (
        "acoes icoes acao icao mente ando endo indo aram eram iram amos emos imos avam ava ados adas ado ada idos idas"
        " ido ida asse esse aria eria ar er ir ou ei eu iu am em oes ais eis as es os ao a e o i s"
    ),
}
_FEWEST_LETTERS: Final = 3
#: A double letter at the end of a stem longer than this is halved.
_SURE_STEM: Final = 4


#: A word as it is written, apostrophes and all.
_WRITTEN: Final = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")


def words(text: str) -> tuple[str, ...]:
    """The folded words of a text: lower case, no accents, apostrophes closed up. Never raises on any `str`."""
    plain = as_read(_REDACTED.sub(" ", text))
    return tuple(_WORD.findall(plain.replace("'", "")))


def replaced(text: str, gone: Collection[str], by: str) -> str:
    """The text with another word for each run of words that fold to one of those."""
    marked = _WRITTEN.sub(lambda found: "\0" if "".join(words(found[0])) in gone else found[0], text)
    return re.sub(r"\0(?:[\s-]+\0)*", by, marked)


@lru_cache(maxsize=20_000)
def stem(word: str, locale: Locale) -> str:
    """The beginning that the forms of a word share: a light stemmer that only ever cuts, so a stem is a prefix."""
    for suffix in _SUFFIX_TABLE[locale]:
        if word.endswith(suffix) and len(word) - len(suffix) >= _FEWEST_LETTERS:
            word = word[: -len(suffix)]
            break
    return word[:-1] if len(word) > _SURE_STEM and word[-1] == word[-2] else word


_SUFFIX_TABLE: Final = {
    locale: tuple(sorted(suffixes.split(), key=len, reverse=True)) for locale, suffixes in _SUFFIXES.items()
}


class Hit(NamedTuple):
    """The words `[start, end)` are a phrase that stands for `label`."""

    start: int
    end: int
    label: str


class Phrases:
    """Finds many phrases at once. A word of a phrase that ends in `*` is a beginning."""

    def __init__(self, entries: Iterable[tuple[str, str]]) -> None:
        self._exact: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        self._begins: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for phrase, label in entries:
            first, *rest = phrase.split()
            table, key = (self._begins, first[:-1]) if first.endswith("*") else (self._exact, first)
            table.setdefault(key, []).append((tuple(rest), label))
        self._lengths = sorted({len(key) for key in self._begins})
        self._starting = lru_cache(maxsize=20_000)(self._look_up)

    def find(self, text: Sequence[str]) -> list[Hit]:
        """All hits, by place; they may overlap."""
        found: list[Hit] = []
        for at, word in enumerate(text):
            for rest, label in self._starting(word):
                end = at + 1 + len(rest)
                if end <= len(text) and all(map(_fits, rest, text[at + 1 : end])):
                    found.append(Hit(at, end, label))
        return found

    def _look_up(self, word: str) -> tuple[tuple[tuple[str, ...], str], ...]:
        """The phrases that begin with this word: what follows it, and the label."""
        found = list(self._exact.get(word, ()))
        for length in self._lengths:
            found += self._begins.get(word[:length], ()) if length <= len(word) else ()
        return tuple(found)


def _fits(pattern: str, word: str) -> bool:
    return word.startswith(pattern[:-1]) if pattern.endswith("*") else word == pattern


def split(value: object) -> object:
    """Words of a text that lists them between blanks; anything else as it is."""
    return value.split() if isinstance(value, str) else value


FoldedWord = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+$")]
