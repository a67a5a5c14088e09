"""What a finder is, and how its patterns are written.

Finders read a plain copy of the text that has the same length: accents, other widths and other scripts' digits folded
to ASCII, capitals kept. So patterns are written without accents, and places are those of the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Span = tuple[int, int]
Finds = Callable[[str], Iterator[Span]]


@dataclass(frozen=True, slots=True)
class Finder:
    """Finds one kind of personal data.

    Attributes:
        kind: what stands in its place: `PHONE` becomes `<PHONE>`.
        find: places in a plain text, half open, in code points.
        score: who keeps a place that two claim, from 0 to 1.
    """

    kind: str
    find: Finds
    score: float


def plain(text: str) -> str:
    """The copy that finders read, character by character."""
    return text if text.isascii() else "".join(map(_plain, text))


def _plain(char: str) -> str:
    if char.isascii():
        return char
    if char.isdecimal():
        return str(unicodedata.decimal(char))
    if char in "’‘ʼ′":
        return "'"
    if char in "‐‑‒–—−":
        return "-"
    base = unicodedata.normalize("NFKD", char)[0]
    return base if base.isascii() and base.isprintable() else char


def pattern(regex: str, check: Callable[[str], bool] | None = None, *, capitals: bool = False) -> Finds:
    """Finds the group `it`, or the whole match, where `check` agrees with its text.

    Args:
        regex: in verbose syntax, white space does not count.
        check: what no regex can say: a checksum, a range.
        capitals: whether capitals are told from small letters.
    """
    compiled = re.compile(regex, re.VERBOSE | re.MULTILINE | (0 if capitals else re.IGNORECASE))
    group = "it" if "it" in compiled.groupindex else 0

    def find(text: str) -> Iterator[Span]:
        for match in compiled.finditer(text):
            if match[group] and (check is None or check(match[group])):
                yield match.span(group)

    return find


def any_of(phrases: str) -> str:
    """A group of phrases that `|` parts; a space in one is any white space: `dob | date of birth`."""
    return "(?:" + "|".join(r"\s+".join(phrase.split()) for phrase in phrases.split("|")) + ")"


def up_to(count: int, phrases: str) -> str:
    """At most so many of these phrases in a row, white space around them."""
    return rf"(?: \s* {any_of(phrases)} ){{0,{count}}} \s*"
