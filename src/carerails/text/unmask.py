"""The de-obfuscated views: spaced letters joined, leet read, drawn-out words shortened.

Each works on the loose copy and is tried only where a cheap sign of it is seen, so an ordinary turn has one view.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from carerails.text.edits import Edit, Piece, only_if, rewrite, splice

_SINGLE = r"(?:[a-z0-9@$!|](?:'[a-z])?|')"  # `n't` counts as one letter
_GAP = r"[ ._*/~+-]"

#: Signs of what the edits below undo: without one of them no edit changes anything.
DRAWN = re.compile(r"([a-z])\1\1")
SIGNS = (
    re.compile(r"[0-9@$!|]"),
    DRAWN,
    re.compile(rf"{_GAP}[a-z'](?:'[a-z])?{_GAP}+[a-z'](?![a-z])"),
    re.compile(r"[_.*~+](?:(?<=_)|(?<=[a-z].)(?=[a-z]))"),
)

_RUN = re.compile(rf"(?<![a-z0-9'@$|]){_SINGLE}(?:{_GAP}{{1,8}}{_SINGLE}(?![a-z0-9'@$|])){{2,}}")
_GAPS = re.compile(rf"{_GAP}+")


def _gaps(text: str) -> Iterator[Piece]:
    """The gaps inside runs of single letters: the commonest is a letter gap and goes, another blank one parts words."""
    for run in _RUN.finditer(text):
        gaps = _GAPS.findall(run[0])
        if 2 * sum(map(str.isalpha, run[0])) < len(gaps) + 1:  # figures: `1 2 3 a`
            continue
        counts = Counter(gaps)
        inner = min(counts, key=lambda gap: (-counts[gap], gap.isspace(), len(gap)))
        for gap in _GAPS.finditer(run[0]):
            new = "" if gap[0] == inner else " " if gap[0].isspace() else gap[0]
            yield run.start() + gap.start(), run.start() + gap.end(), new


#: `k i l l  m y s e l f`, `k-i-l-l m-y-s-e-l-f` -> `kill myself`; with equal gaps the run is joined whole.
JOIN: Edit = only_if(rf"{_GAP}{_SINGLE}{_GAP}{{1,8}}{_SINGLE}(?![a-z0-9'@$|])", splice(_gaps))

_CHAIN = re.compile(r"[a-z']{1,24}(?:[.*~+_][a-z']{1,24}){2,}")
_LINK = re.compile(r"[.*~+_]")


def _links(text: str) -> Iterator[Piece]:
    for chain in _CHAIN.finditer(text):
        for link in _LINK.finditer(chain[0]):
            yield chain.start() + link.start(), chain.start() + link.end(), " "


#: `i.want.to.die` -> `i want to die`
UNCHAIN: Edit = only_if(r"[.*~+_](?<=[a-z'].)(?=[a-z'])", splice(_links))
#: An underscore is a word character to a pattern, so that `_help_me_` hides both words.
UNDERSCORES: Edit = rewrite("_", " ")

# A word is leet if a figure or sign stands between letters (`k1ll`), a single one before four letters (`5uicide`) or
# after two (`di3`). So `10mg`, `2x`, `b12` and `covid19` are none; `h1n1` and `a1c` are, and gain a harmless view.
_LEET = (
    r"(?<![a-z0-9@$!|])"
    r"(?:(?:[a-z]|[0-9$](?=[a-z]{4}|[a-z]+[0-9@$!|]))[a-z]*[0-9@$!|]{1,3}[a-z]"
    r"|[013457$][a-z]{4}"
    r"|(?:[a-z]{2,16}(?:[013457$]|11)|[a-z]{1,16}111)(?![a-z0-9@$!|]))"
    r"[a-z0-9@$|]*(?:![a-z0-9@$|]+)*"
)
_LETTER_OF = str.maketrans("0345789@$!|", "oeastbgas11")
_SURELY_I = re.compile(r"(?<=[b-df-hj-np-tv-z])1(?=[b-df-hj-np-tv-z])")
_SURELY_L = re.compile(r"(?<=i)1|1(?=i)")


def _leet(one: str) -> Edit:
    def read(match: re.Match[str]) -> str:
        word = match[0].translate(_LETTER_OF)
        if "1" in word:  # `ii` is no word's, nor is `l` between consonants: only what is left is in doubt
            word = word.replace("111", "ill").replace("11", "ll")
            word = _SURELY_L.sub("l", _SURELY_I.sub("i", word)).replace("1", one)
        return word

    return only_if(r"[0-9@$!|](?:(?=[a-z])|(?<=[a-z].))", rewrite(_LEET, read))


#: Leet, with a `1` in doubt read as `i` (`su1c1d3`) and as `l` (`he1p`).
LEET_I: Edit = _leet("i")
LEET_L: Edit = _leet("l")

_DRAWN = r"([a-z])\1{2,}"
#: What follows `ee` and `oo` in English words: `need`, `bleeding`, `sleepy`, and not `cheeest` or `quieeero`.
_AFTER_DOUBLE = re.compile(r"[dklmnpt](?:s?(?![a-z])|ing|e[dr](?![a-z])|y)")

_VOWELS = "aeiouy"


def _to_two(match: re.Match[str]) -> str:
    """Two where English, Spanish or Portuguese write two: after a vowel, few at a word's end, `ee` and `oo` inside."""
    text, (start, end), letter = match.string, match.span(), match[1]
    before = text[start - 1] if start else " "
    last = not text[end : end + 1].isalpha()
    if letter in "eo":
        double = before.isalpha() and _AFTER_DOUBLE.match(text, end)
    elif last:
        double = letter in "lsfz" and before in _VOWELS and text[start - 2 : start - 1] not in _VOWELS
    elif before in _VOWELS:
        double = letter in "bcdfglmnprstz"
    else:
        double = letter == "l" and not before.isalpha()
    return letter * (2 if double else 1)


#: `killlll` -> `kill`, and in the same text `myselffff` -> `myself`.
DRAWN_TO_TWO: Edit = rewrite(_DRAWN, _to_two)
#: `diiie` -> `die`: where the other is wrong.
DRAWN_TO_ONE: Edit = rewrite(_DRAWN, lambda match: match[1])
