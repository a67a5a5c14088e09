"""In which locale a sentence is written, by words that only one of them has: enough to see that one is out of place."""

from __future__ import annotations

import re
from collections.abc import Mapping

from carerails.contracts import Locale

#: Frequent words.
_WORDS: Mapping[Locale, str] = {
    "en": "the my your you and with this that is are was it of for can have what how i'm don't today",
    "es-419": "el los las y una con del al muy usted tu mi es lo hoy puedo tengo pero cuando qué hay",
    "pt-BR": "o os não um uma com do da ao muito você meu minha é hoje posso tenho mas quando em tá ou",
}
#: Each without what the others have, too.
_ONLY: Mapping[Locale, frozenset[str]] = {
    one: frozenset(words.split()).difference(*(other.split() for name, other in _WORDS.items() if name != one))
    for one, words in _WORDS.items()
}
#: So many words more than in its own locale, and none of that at all, make a sentence look misplaced.
_ENOUGH = 3


def reads_like(text: str, locale: str) -> Locale | None:
    """Another locale that a text plainly is in; None where it may be in its own."""
    words = set(re.findall(r"[^\W\d_]+(?:'[a-z]+)?", text.lower()))
    counts: dict[Locale, int] = {name: len(words & only) for name, only in _ONLY.items()}
    own = next((count for name, count in counts.items() if name == locale), 0)
    return next((name for name, count in counts.items() if name != locale and count >= _ENOUGH and not own), None)
