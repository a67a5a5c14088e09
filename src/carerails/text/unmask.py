"""The de-obfuscated views: spaced letters joined, leet read, drawn-out words shortened.

Each works on the loose copy and is tried only where a cheap sign of it is seen, so an ordinary turn has one view.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from carerails.text.edits import Edit, Piece, rewrite, splice

_SINGLE = r"[a-z0-9@$!|']"
_GAP = r"[ ._*/~+-]"

#: Signs of what the edits below undo. Each is a necessary condition, never more.
SPACED_SIGN = re.compile(rf"{_GAP}{_SINGLE}{_GAP}+{_SINGLE}(?![a-z0-9])")
LEET_SIGN = re.compile(r"[0-9@$!|]")
DRAWN_SIGN = re.compile(r"([a-z])\1\1")

_RUN = re.compile(rf"(?<![a-z0-9'@$|]){_SINGLE}(?:{_GAP}{{1,8}}{_SINGLE}(?![a-z0-9'@$|])){{2,}}")
_GAPS = re.compile(rf"{_GAP}+")


def _gaps(text: str) -> Iterator[Piece]:
    """The gaps inside runs of single letters: the commonest is a letter gap and goes, another blank one parts words."""
    for run in _RUN.finditer(text):
        letters = sum(c.isalpha() for c in run[0])
        gaps = list(_GAPS.finditer(run[0]))
        if letters < 2 or 2 * letters < len(gaps) + 1:
            continue
        counts = Counter(gap[0] for gap in gaps)
        inner = min(counts, key=lambda gap: (-counts[gap], len(gap)))
        for gap in gaps:
            new = "" if gap[0] == inner else " " if gap[0].isspace() else gap[0]
            yield run.start() + gap.start(), run.start() + gap.end(), new


#: `k i l l  m y s e l f`, `k-i-l-l m-y-s-e-l-f` -> `kill myself`; with equal gaps the run is joined whole.
JOIN: Edit = splice(_gaps)

# A token is leet if a digit or sign stands between letters (`k1ll`), or a single one before four letters (`5uicide`) or
# after two (`di3`). So `10mg`, `2x`, `b12`, `500 mcg` and `covid19` are none; `h1n1` and `a1c` are, and gain a harmless view.
_LEET = (
    r"(?<![a-z0-9@$!|])"
    r"(?:(?:[a-z]|[0-9$](?=[a-z]{4}|[a-z]+[0-9@$!|]))[a-z]*[0-9@$!|]{1,3}[a-z]|[013457$][a-z]{4}|[a-z]{2,16}[013457](?![a-z0-9@$!|]))"
    r"[a-z0-9@$|]*(?:![a-z0-9@$|]+)*"
)
_AS = str.maketrans("0345789@$", "oeastbga" + "s")
_ONE = str.maketrans("!|", "11")


def _leet(one: str) -> Edit:
    def read(match: re.Match[str]) -> str:
        word = match[0].translate(_ONE).translate(_AS)
        # `ii` is no word's: two are `ll` (`ki11`), three `ill` (`k111`).
        return word.replace("111", "ill").replace("11", "ll").replace("1", one)

    return rewrite(_LEET, read)


#: Leet with `1` read as `i` (`su1c1d3`), and as `l` (`he1p`).
LEET_I: Edit = _leet("i")
LEET_L: Edit = _leet("l")

#: `diiie` -> `die`: three or more of a letter are one.
DRAWN_TO_ONE: Edit = rewrite(r"([a-z])\1{2,}", lambda m: m[1])


def _to_two(match: re.Match[str]) -> str:
    """Two where English, Spanish or Portuguese write two: after a vowel, few at a word's end, `ee` and `oo` inside."""
    text, (start, end), letter = match.string, match.span(), match[1]
    before = text[start - 1] if start else " "
    last = not text[end : end + 1].isalpha()
    if letter in "eo":
        double = not last and before.isalpha()
    elif before in "aeiouy":
        double = letter in ("lsfz" if last else "bcdfglmnprstz")
    else:
        double = letter == "l" and not before.isalpha() and not last
    return letter * (2 if double else 1)


#: `killlll` -> `kill`, and in the same text `myselffff` -> `myself`.
DRAWN_TO_TWO: Edit = rewrite(r"([a-z])\1{2,}", _to_two)
