"""Which cases of the slices a pattern hits. Cases are read at the first question, and asked once for each pattern."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from threading import Lock

from carerails.contracts import LOCALES, Locale
from carerails.evals.cases import load_slice, slice_names
from carerails.text import prepare


@dataclass(frozen=True)
class Hit:
    """A case that a pattern hits, and what it matches there."""

    place: str
    locale: Locale
    term: str


@dataclass(frozen=True)
class Tried:
    """What became of a pattern: `asked` has how many cases there are in each locale."""

    asked: dict[Locale, int]
    hits: tuple[Hit, ...]

    def count(self, locale: Locale) -> int:
        """Cases of a locale that it hits."""
        return sum(hit.locale == locale for hit in self.hits)


class Slices:
    """Our cases as rules see them. May be used from any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.tried = lru_cache(maxsize=2_000)(self._tried)

    @cached_property
    def _texts(self) -> list[tuple[str, Locale, str]]:
        loaded = [piece for piece in map(load_slice, slice_names()) if not piece.spec.derive]
        return [
            (f"{piece.name}/{case.id}", case.locale, prepare(case.turn()).text)
            for piece in loaded
            for case in piece.cases
        ]

    def _tried(self, regex: str) -> Tried:
        """Try a pattern on every case.

        Raises:
            re.error: it is none.
        """
        pattern = re.compile(regex)
        with self._lock:
            texts = self._texts
        found = [
            Hit(place, locale, match.group())
            for place, locale, text in texts
            if (match := pattern.search(text)) and match.group()
        ]
        asked: dict[Locale, int] = {locale: sum(own == locale for _, own, _ in texts) for locale in LOCALES}
        return Tried(asked, tuple(found))
