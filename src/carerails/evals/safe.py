"""Texts of cases as harmless text: on a terminal, in XML, in Markdown and in workflow commands."""

from __future__ import annotations

import re
import unicodedata

#: Control characters, lone surrogates, unassigned ones and line separators; and what turns the reading direction.
_KINDS = frozenset(("Cc", "Cs", "Cn", "Zl", "Zp"))
_TURNS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")


def visible(text: str, most: int | None = None) -> str:
    """The text on one line; what cannot be seen, or would act, is written as an escape.

    `##[` is parted, because GitHub's runner takes it for a command wherever it stands in a line.
    """
    cut = text if most is None or len(text) <= most else text[: most - 1] + "…"
    return "".join(map(_escaped, cut)).replace("##[", "# #[")


def quoted(text: str, most: int = 200) -> str:
    """The visible text in quotation marks; nothing of nothing."""
    return f'"{visible(text, most)}"' if text else ""


def markdown(text: str, most: int | None = None) -> str:
    """The visible text as Markdown that means nothing: a character reference is never structure (CommonMark 2.5)."""
    return _PUNCTUATION.sub(lambda found: f"&#{ord(found[0])};", visible(text, most))


def _escaped(char: str) -> str:
    if unicodedata.category(char) not in _KINDS and char not in _TURNS:
        return char
    return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(char) or f"\\u{ord(char):04x}"
