"""Guessing the locale of a text; it chooses templates only."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from carerails.contracts import Locale

if TYPE_CHECKING:
    from collections.abc import Callable

_LOCALES: Final[dict[str, Locale]] = {"en": "en", "es": "es-419", "pt": "pt-BR"}
_FEWEST_WORDS: Final = 3
_ENOUGH: Final = 1_000  # characters: more add time and no certainty


@cache
def _classifier() -> Callable[[str], tuple[str, float]]:
    langid: Any = import_module("py3langid")  # untyped, and its model takes a third of a second to load
    langid.set_languages(list(_LOCALES))
    return langid.classify


def detect_locale(text: str) -> Locale:
    """The likeliest of the three locales; `en` for a text of one or two words, where a guess is a coin's throw."""
    text = text[:_ENOUGH].encode("utf-8", "ignore").decode()
    if len(text.split()) < _FEWEST_WORDS:
        return "en"
    return _LOCALES.get(_classifier()(text)[0], "en")
