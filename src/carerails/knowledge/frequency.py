"""How common words are, so that those of the language are told from names, and telling ones from mere chatter."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from importlib import import_module
from typing import Any, Final

from carerails.contracts import LOCALES, Locale

_LANGUAGES: Final[dict[Locale, str]] = {"en": "en", "es-419": "es", "pt-BR": "pt"}
#: Zipf frequency (log10 of uses in a thousand million words) from which on a word belongs to a language.
_ORDINARY: Final = 1.7
#: Zipf frequencies at which a word tells nothing, and all that a word can tell: `have` is 6.6, `stomach` 4.5.
_EMPTY: Final = 6.2
_TELLING: Final = 4.2


class Frequency:
    """Zipf frequencies of folded words in every locale. Immutable once built."""

    def __init__(self) -> None:
        self._zipf = {locale: _table(language) for locale, language in _LANGUAGES.items()}

    def is_ordinary(self, word: str) -> bool:
        """Whether any of the languages uses the word; people mix them."""
        return len(word) < 2 or word.isdigit() or any(word in self._zipf[locale] for locale in LOCALES)

    def telling(self, word: str, locale: Locale) -> float:
        """How much the word says of what a text is about, 0 to 1: the rarer the more."""
        if len(word) < 2 or word.isdigit():
            return 0.0
        zipf = self._zipf[locale].get(word, 0.0)
        return min(1.0, max(0.0, (_EMPTY - zipf) / (_EMPTY - _TELLING)))


def _table(language: str) -> dict[str, float]:
    """Folded words and the frequency of their commonest spelling."""
    library: Any = import_module("wordfreq")  # takes a tenth of a second, and nothing else needs it
    table: dict[str, float] = {}
    for centibels, found in enumerate(library.get_frequency_list(language)):
        zipf = 9.0 - centibels / 100
        if zipf < _ORDINARY:
            break
        for word in found:
            table.setdefault(word if word.isascii() else _folded(word), zipf)
    return table


def _folded(word: str) -> str:
    return unicodedata.normalize("NFD", word).encode("ascii", "ignore").decode()


@lru_cache(maxsize=1)
def frequency() -> Frequency:
    """The one table, built when first asked for: it is the same for all."""
    return Frequency()
