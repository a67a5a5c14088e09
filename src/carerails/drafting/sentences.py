"""Sentences of a reply, each with whether a marker stands beside it.

The rule, in full:
- A line break ends a sentence, so each item of a list is one; the bullet or number before it is no part of it.
- `.`, `!`, `?` and `…` end a sentence before white space, a marker or the end of the line; quotes and brackets that
  close belong to it. A full stop without a space, as in `cool.Keep`, ends one before a capital letter.
- A stop ends none before a quote that closes and a small letter (`asking "why?" helps`).
- A full stop ends none after a title or an abbreviation that always goes on (`Dr.`, `e.g.`, `p. ej.`); after one that
  may close a sentence (`mg.`, `a.m.`, `etc.`, `...`) only when a capital follows. Decimals have no space after the dot.
- Markers on the same line right after the end belong to the sentence that ended; a line of nothing but markers belongs
  to the sentence before it.
Where the rule is in doubt it splits: a fragment without a marker is looked at by a person, a claim that hides behind
its neighbour's marker is not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from carerails.drafting.markers import markers
from carerails.text.fold import FOLD

#: Stands for a marker while sentences are split. They come from private use, where no text has letters.
_GOOD, _BAD = "\ue000", "\ue001"
_PRIVATE = {ord(_GOOD): " ", ord(_BAD): " "}

_QUOTES = "\"'”’»"
_BULLET = re.compile(r"\s*(?:(?:[-*+•–—·▪◦‣]|\(?(?:\d{1,2}|[a-z])[.)])\s+)?")
_END = re.compile(rf"([.!?…]+)[\"'”’»)\]*_]*(?=[\s{_GOOD}{_BAD}]|$)|(?<=[a-zà-ÿ]{{2}})([.!?])(?=[A-ZÀ-Þ¿¡])")
_AFTER = re.compile(rf"\s*([{_GOOD}{_BAD}](?:\s*[{_GOOD}{_BAD}])*)")
_LAST_WORD = re.compile(r"(?:[^\W\d_]\. ?)*[^\W\d_]+\.$")

#: Never the last word of a sentence; titles count only with their capital.
_TITLES = frozenset({"Dr", "Dra", "Drs", "Sr", "Sra", "Srta", "Mr", "Mrs", "Ms", "Prof", "Profa", "Lic", "Enf"})
_GOES_ON = frozenset({"e.g", "i.e", "p. ej", "p.ej", "ej", "p. ex", "p.ex", "ex", "vs", "approx", "aprox", "cf"})
#: May be the last word of a sentence, as may single letters (`vitamin D.`, `9 a. m.`, `U.S.`).
_INITIALS = re.compile(r"[^\W\d_](?:\.[^\W\d_])*")
_UNITS = {"mg", "ml", "mcg", "kg", "hr", "hrs", "min", "mins", "a.m", "p.m", "am", "pm", "tab", "tabs", "caps", "comp"}
_MAY_CLOSE = frozenset(_UNITS | {"max", "etc", "no", "nro", "num", "ud", "uds", "vd", "st", "inc", "tel", "pag"})


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence, without markers and bullets; `cited` when a well-formed marker stands beside it."""

    text: str
    cited: bool


def sentences(text: str) -> list[Sentence]:
    """Split a reply into sentences; what has neither letter nor digit is none."""
    found: list[Sentence] = []
    for line in _with_stand_ins(text).splitlines():
        for piece in _pieces(line[_bullet(line) :]):
            words = re.sub(rf"[{_GOOD}{_BAD}]", " ", piece)
            words = re.sub(r"\s+", " ", words).strip()
            words = re.sub(r" (?=[.,;:!?…])", "", words)
            marked = _GOOD in piece
            if any(char.isalnum() for char in words):
                found.append(Sentence(words, marked))
            elif marked and found:
                found[-1] = Sentence(found[-1].text, True)
    return found


def _bullet(line: str) -> int:
    match = _BULLET.match(line)
    return match.end() if match else 0


def _with_stand_ins(text: str) -> str:
    out: list[str] = []
    at = 0
    for marker in markers(text):
        out += [text[at : marker.start].translate(_PRIVATE), _BAD if marker.id is None else _GOOD]
        at = marker.end
    return "".join([*out, text[at:].translate(_PRIVATE)])


def _pieces(line: str) -> list[str]:
    pieces: list[str] = []
    start = 0
    for end in _END.finditer(line):
        if end.start() < start or not _ends(line[: end.end()], line[end.end() :], end[1] or end[2]):
            continue
        after = _AFTER.match(line, end.end())
        stop = after.end() if after else end.end()
        pieces.append(line[start:stop])
        start = stop
    return [*pieces, line[start:]]


def _ends(before: str, after: str, stop: str) -> bool:
    """Whether a stop between `before` (with it) and `after` ends the sentence."""
    rest = after.strip(f" \t\xa0{_GOOD}{_BAD}\"'“”‘’«»()[]*_¿¡")
    if not rest:
        return True
    if before[-1] in _QUOTES and rest[0].islower():
        return False
    if stop in ("...", "…"):
        return not rest[0].islower()
    word = _LAST_WORD.search(before[-24:]) if stop == "." else None
    if word is None:
        return True
    last = word[0][:-1]
    tail = last.split()[-1]
    if tail in _TITLES or last.translate(FOLD) in _GOES_ON:
        return False
    may_close = _INITIALS.fullmatch(tail) or tail.translate(FOLD) in _MAY_CLOSE
    return not (may_close and (rest[0].islower() or rest[0].isdigit()))
