"""The plain view: a copy of the text for matching, in lower-case ASCII.

What is folded, in this order: HTML entities; compatibility forms, accents, invisible characters, apostrophes, digits
and symbols (one table, filled as characters turn up); letters of other alphabets (lookalikes.py); capitals and control
characters; the dots of `s.o.s`; white space.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from carerails.text.edits import Edit, rewrite, translate
from carerails.text.lookalikes import READ_AS_LATIN

#: Characters whose reading is not the one that Unicode's decomposition gives: what they become, and which they are.
_READINGS = (
    ("'", "´ʹʻʼʽʾʿˈˊˋ‘’‚‛′‵ꞌ՚׳΄᾽᾿῾´"),
    ('"', "“”„‟″‶«»ˮ״〝〞"),
    ("-", "‐‑‒–—―−⁃˗─"),
    (" ", "ªº™℠¨¯¸˘˙˚˛˝\u2800"),  # `38º` is a temperature and `Tylenol™` a brand: not `38o`, not `tylenoltm`
    ("x", "×✕✖"),
    ("/", "÷∕⁄"),
    (">", "≥›"),
    ("<", "≤‹"),
    ("?", "؟"),
    (",", "،、"),
    (".", "。۔·•∙⋅・‧"),  # a bullet parts sentences, and dots spell words: `k·i·l·l`
    ("a", "ɑɐ"),
    ("e", "əɛ"),
    ("g", "ɡɢ"),
    ("i", "ıɩ"),
    ("j", "ȷ"),
    ("v", "ʋ"),
    ("", "\u115f\u1160\u3164\uffa0"),  # letters by category, invisible in fact
)
_SPELT = {"ß": "ss", "ẞ": "ss", "æ": "ae", "Æ": "ae", "œ": "oe", "Œ": "oe", "þ": "th", "Þ": "th", "ð": "d", "Ð": "d"}

#: `LATIN SMALL LETTER O WITH STROKE`, `LATIN LETTER SMALL CAPITAL K`: Unicode does not decompose these, their names do.
_NAMED = re.compile(r"LATIN (?:SMALL |CAPITAL )?LETTER (?:SMALL CAPITAL )?([A-Z])(?: WITH .*)?")
_NEGATIVE = re.compile(r"NEGATIVE (?:CIRCLED|SQUARED) LATIN CAPITAL LETTER ([A-Z])")


def _fold(char: str) -> str:
    """What one character becomes: ASCII in lower case, or one letter of another alphabet, left for READ_AS_LATIN."""
    if char.isascii():
        return char.lower()
    category = unicodedata.category(char)
    if category in ("Mn", "Me", "Mc", "Cf"):
        return ""
    if char.isspace():
        return " "
    if category == "Cc":
        return ""
    parts = unicodedata.normalize("NFKD", char)
    if parts != char:
        folded = "".join(map(FOLD.reading, parts))
        fraction = unicodedata.numeric(char, 0) % 1 != 0  # `2½` is `2 1/2`
        return " " * fraction + (folded if folded.isascii() else folded.strip()[:1])
    if category == "Nd":
        return str(unicodedata.decimal(char))
    name = unicodedata.name(char, "")
    if latin := _NAMED.fullmatch(name) or _NEGATIVE.fullmatch(name):
        return latin[1].lower()
    return char if category[0] == "L" else " "


def is_mark(char: str) -> bool:
    """Whether the character is an accent or the like, which belongs to the letter before it."""
    return unicodedata.category(char)[0] == "M"


class _Fold(dict[int, str]):
    """Code point -> reading; filled as characters turn up, up to a bound that no honest text reaches."""

    def __missing__(self, code: int) -> str:
        reading = _fold(chr(code))
        if len(self) < 50_000:
            self[code] = reading
        return reading

    def reading(self, char: str) -> str:
        return self[ord(char)]


FOLD = _Fold({ord(char): new for new, chars in _READINGS for char in chars})
FOLD.update({ord(char): new for char, new in _SPELT.items()})


@cache
def _entity_names() -> dict[str, str]:
    from html.entities import name2codepoint

    names = {name: chr(code) for name, code in name2codepoint.items()}
    return {name.lower(): char for name, char in names.items()} | names | {"apos": "'"}


def _entity(match: re.Match[str]) -> str:
    name = match[1]
    if name[0] != "#":
        return _entity_names().get(name) or _entity_names().get(name.lower(), match[0])
    code = int(name[2:], 16) if name[1] in "xX" else int(name[1:])
    return chr(code) if 0 < code < 0x110000 else " "


def _left_over(match: re.Match[str]) -> str:
    return match[0] if _entity(match) == match[0] else " "


def _one_space(match: re.Match[str]) -> str:
    return " " if match.start() and match.end() < len(match.string) else ""


_ENTITY = r"&(?:amp;)*(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,7});"
_CONTROLS = {code: " " if chr(code).isspace() else None for code in (*range(32), 127)}
_SMALL = {code: chr(code).lower() for code in range(128)} | {ord("`"): "'"} | _CONTROLS


def _characters(text: str) -> str:
    strange = [char for char in set(text) if char > "\x7f"]
    if len(strange) > 16:
        return _BEYOND_ASCII.apply(text)
    for char in strange:  # the few accents of a Spanish or Portuguese text: three times as fast
        text = text.replace(char, FOLD.reading(char))
    return text


def _small(text: str) -> str:
    text = text.lower()
    if "`" in text:
        text = text.replace("`", "'")
    return text if text.isprintable() else text.translate(_CONTROLS)


ENTITIES = rewrite(_ENTITY, _entity)
_BEYOND_ASCII = translate(r"[^\x00-\x7f]", FOLD)
CHARACTERS = Edit(_characters, _BEYOND_ASCII.pieces)
SMALL = Edit(_small, translate(r"[A-Z`\x00-\x1f\x7f]", _SMALL).pieces, shortens=True)
#: An entity that folding made (`＆amp;`) is blotted out, or folding twice would read it.
ENTITIES_LEFT = rewrite(_ENTITY, _left_over)
#: The dot between two single letters: `s.o.s`, `a.v.c.`, `p.m.`
DOTS = rewrite(r"\.(?<![a-z0-9_][a-z]\.)(?<=[a-z]\.)(?=[a-z](?![a-z0-9_]))", "")
#: Runs of blanks become one, and none is left at either end.
SPACES = Edit(
    lambda text: " ".join(text.split()),
    rewrite(r"^ +| +$| {2,}", _one_space).pieces,
    shortens=True,
)
_HIDDEN = "[\u200b-\u200d\u2060\ufeff]"
#: Invisible characters between letters, taken for the gap that a reader of the source sees: `want\u200bto`.
HIDDEN_GAPS = rewrite(rf"{_HIDDEN}(?<=\w.){_HIDDEN}*(?=\w)", " ")

#: From the original to the loose copy, which keeps what tells the gaps between spaced letters: dots and widths.
LOOSE: tuple[Edit, ...] = (ENTITIES, CHARACTERS, READ_AS_LATIN, SMALL, ENTITIES_LEFT)
#: From there to the plain view.
TIDY: tuple[Edit, ...] = (DOTS, SPACES)


def loosen(text: str) -> str:
    """What the edits of LOOSE make of the text; steps that cannot apply are skipped."""
    entities = "&" in text
    if entities:
        text = ENTITIES.apply(text)
    if not text.isascii():
        text = CHARACTERS.apply(text)
        if not text.isascii():
            text = READ_AS_LATIN.apply(text)
    text = SMALL.apply(text)
    if entities or "&" in text:
        text = ENTITIES_LEFT.apply(text)
    return text


def tidy(loose: str) -> str:
    """What the edits of TIDY make of a loose copy."""
    return SPACES.apply(DOTS.apply(loose) if "." in loose else loose)
