"""How hard a text is to read: one published formula a language, each over the words and syllables of whole sentences.

- English: Flesch-Kincaid grade level (Kincaid, Fishburne, Rogers and Chissom 1975): school years in the United States.
- Spanish: perspicuity (Szigriszt-Pazos 1993), read on the INFLESZ scale (Barrio-Cantalejo and others 2008): below 55
  somewhat hard, 55 to 65 normal, above 65 rather easy.
- Portuguese: Flesch's reading ease adapted to Brazilian Portuguese (Martins and others 1996): 50 to 75 easy, which is
  the sixth to ninth school year, above 75 very easy.

A child of twelve is in the sixth or seventh year; `LIMITS` says which value that allows. Names of medicines are long
and cannot be avoided, so callers leave them out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from carerails.contracts import Locale

_WORDS: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")


class Limit(NamedTuple):
    """Which values a twelve-year-old can read: `at_most` for a grade, at least for an ease."""

    formula: str
    value: float
    at_most: bool

    def allows(self, score: float) -> bool:
        """Whether a text of this score is plain enough."""
        return score <= self.value if self.at_most else score >= self.value


LIMITS: Final[dict[Locale, Limit]] = {
    "en": Limit("Flesch-Kincaid grade", 8.0, at_most=True),
    "es-419": Limit("Szigriszt-Pazos perspicuity", 55.0, at_most=False),
    "pt-BR": Limit("Flesch ease for Portuguese", 50.0, at_most=False),
}


def score(sentences: Sequence[str], locale: Locale) -> float:
    """The formula of the locale over all sentences together.

    Raises:
        ValueError: there is no word.
    """
    words = [word for sentence in sentences for word in word_list(sentence)]
    if not words:
        raise ValueError("no words")
    per_sentence = len(words) / len(sentences)
    per_word = sum(map(_SYLLABLES[locale], words)) / len(words)
    if locale == "en":
        return 0.39 * per_sentence + 11.8 * per_word - 15.59
    if locale == "es-419":
        return 206.835 - 62.3 * per_word - per_sentence
    return 248.835 - 1.015 * per_sentence - 84.6 * per_word


def word_list(sentence: str) -> list[str]:
    """The words of a sentence, in lower case; numbers are none."""
    return _WORDS.findall(sentence.lower())


def _english(word: str) -> int:
    """Groups of vowels, less silent endings: within one syllable for nine in ten common words."""
    word = re.sub(r"['’].*", "", word)
    count = len(re.findall(r"[aeiouy]+", word))
    if re.search(r"[^aeiouyl]e$|[^aeiou]es$|[^aeioutd]ed$", word) and not re.search(r"(?:[sxz]|ch|sh|[cg])es$", word):
        count -= 1
    count += len(re.findall(r"i[ao](?!u)|[iu]um|eo(?!p)|ying", word)) - len(re.findall(r"[tcsg]i(?:o|a)", word))
    return max(count, 1)


def _iberian(word: str, strong: str, weak: str) -> int:
    """Groups of vowels, parted between two strong vowels and beside a stressed weak one."""
    word = re.sub(r"([qg])u(?=[eiéí])", r"\1", word)
    count = 0
    for group in re.findall(f"[{strong}{weak}iuü]+", word):
        count += 1
        for one, other in pairwise(group):
            if (one in strong and other in strong) or one in weak or other in weak:
                count += 1
    return max(count, 1)


def _spanish(word: str) -> int:
    return _iberian(re.sub(r"y$", "i", word), "aeoáéó", "íú")


def _portuguese(word: str) -> int:
    nasal = re.sub(r"ão|ãe|õe", "an", word)
    unmarked = re.search(r"[^aeiouáéíóúâêôãõqg][iu][ao]s?$", nasal) and not re.search(r"[áéíóúâêôã]", word)
    return _iberian(nasal, "aeoáéóâêôãõà", "íú") + bool(unmarked)  # `dia`, where Spanish writes `día`


_SYLLABLES: Final[dict[Locale, Callable[[str], int]]] = {
    "en": _english,
    "es-419": _spanish,
    "pt-BR": _portuguese,
}
