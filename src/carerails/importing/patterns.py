"""Brings a foreign regex into the subset that every engine reads alike, or says why it cannot be."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from carerails.importing.plan import folded
from carerails.matching import check_regex
from carerails.text import normalise

#: What an open end becomes: at most so many.
GAP = 40
#: Characters of a text that becomes a pattern.
LONGEST = 200
#: How many characters more than in the text may stand between two of its words.
SLACK = 12
_WORD = re.compile(r"[a-z]{3,}")
#: Fewer words than this do not tell one wish from another.
_FEWEST = 3
#: Words that say little: what is said without them is the same.
_LITTLE = (
    "a an the this that these those my your our his her their its i you we they he she it me us them is are was were",
    "be been am do does did can could would will should to of for with from about on in at and or but so if what which",
    "how when where why who please just some any there here have has had not tell give want need like know",
    "el la los las un una unos unas lo mi mis tu tus su sus yo nos les le te me se que como cual cuando donde quien",
    "por para con de del en y o pero si no es son era ser estar esta este eso esa hay puedo puedes puede quiero favor",
    "os as um uma uns umas meu minha seu sua eu voce nos eles ela ele isso isto do da dos das em no na com e ou mas se",
    "nao sao ser estou quero pode posso por pra",
)
_COMMON = frozenset(word for line in _LITTLE for word in line.split())
#: What a text may begin and end with on either side of a match.
_EDGES = re.compile(r"^(?:\^|\\A)?(?:\(\?:?\.\*\)|\.\*\??|\.\+\??)+|(?:\.\*\??|\.\+\??)+(?:\$|\\Z)?$")
_TOKENS = re.compile(
    r"(?P<class>\[\^?\]?(?:[^\]\\]|\\.)*\])|(?P<named>\(\?P<\w+>)|(?P<group>\((?!\?))|(?P<escape>\\.)"
    r"|(?P<count>\{(?P<low>\d+),\})|(?P<many>[*+])(?P<more>[?+]?)|(?P<plain>.)",
    re.DOTALL,
)
#: A dollar before a word would be a variable in a string of Colang, and no string may end in a backslash.
_ALONE = {"$": "[$]", "\\": r"[\\]"}
_ESCAPES = {r"\s": " ", **{f"\\{char}": alone for char, alone in _ALONE.items()}}


@dataclass(frozen=True, slots=True)
class Ported:
    """A regex in the subset, and what it no longer says; or `why` there is none."""

    regex: str = ""
    notes: tuple[str, ...] = ()
    why: str = ""


def port(pattern: str) -> Ported:
    """Bring a regex into the subset.

    Letters are lower case and without accents, as texts are; groups capture nothing; white space is one space; what had
    no upper bound has one. Whatever the subset still does not know (look-around, back-references, anchors, no literal)
    is a reason to leave it.
    """
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        return Ported(why=f"not a regular expression: {error}")
    notes: dict[str, None] = {}
    bare = _EDGES.sub("", re.sub(r"^\(\?i\)", "", pattern))
    if not bare:
        return Ported(why="it matches any text")
    regex = "".join(_token(found, notes) for found in _TOKENS.finditer(bare))
    problems = check_regex(regex)
    if problems:
        return Ported(why=f"{problems[0].what} ({problems[0].mend})")
    return Ported(regex, tuple(notes))


def of_text(text: str) -> Ported:
    """A regex for the very words of a text; closing punctuation left out."""
    views = normalise(text)
    words = views[0].text.strip(" .,;:!?\"'()[]…¿¡") if views else ""
    if not re.search(r"\w", words):
        return Ported(why="no words are left of it")
    if len(words) > LONGEST:
        return Ported(why=f"longer than {LONGEST} characters, which nobody says again word by word")
    regex = escaped(" ".join(words.split()))
    start, end = (r"\b" if re.match(r"\w", each) else "" for each in (words[0], words[-1]))
    problems = check_regex(start + regex + end)
    return Ported(why=f"{problems[0].what} ({problems[0].mend})") if problems else Ported(start + regex + end)


def loosely(text: str) -> str:
    """A regex for the words of a text that say something, in their order; empty where they are too few to tell.

    Capitals, accents, punctuation and what little words stand between do not matter, as far as the gaps reach.
    """
    views = normalise(text)
    said = views[0].text if views else ""
    words = [found for found in _WORD.finditer(said) if found[0] not in _COMMON]
    if len(words) < _FEWEST or len(said) > LONGEST:
        return ""
    regex = f"\\b{words[0][0]}\\b"
    for before, word in pairwise(words):
        regex += rf"[^.!?\n]{{1,{word.start() - before.end() + SLACK}}}\b{word[0]}\b"
    return regex if re.search(regex, said) and not check_regex(regex) else ""


def escaped(text: str) -> str:
    """A regex for a text as it stands; unlike `re.escape`, only what means something is escaped."""
    return "".join(_ALONE.get(char, f"\\{char}" if char in ".^*+?{}[]|()" else char) for char in text)


def _token(found: re.Match[str], notes: dict[str, None]) -> str:
    if found["named"] or found["group"]:
        return "(?:"
    if found["class"]:
        return _folded(found["class"], notes).replace(r"\s", " ")
    if found["escape"]:
        return _ESCAPES.get(found["escape"], found["escape"])
    if found["count"]:
        notes.setdefault(f"at most {GAP} where there was no limit")
        return f"{{{found['low']},{max(GAP, int(found['low']))}}}"
    if found["many"]:
        if found.string[: found.start()].endswith(r"\s"):
            return "?" if found["many"] == "*" else ""  # a text has one space where it had several
        notes.setdefault(f"at most {GAP} where there was no limit")
        return f"{{{0 if found['many'] == '*' else 1},{GAP}}}" + found["more"].replace("+", "")
    return _folded(found["plain"], notes)


def _folded(text: str, notes: dict[str, None]) -> str:
    """Lower case, without accents, as the normalised copy is; escapes in a class stay."""
    parts = re.split(r"(\\.)", text)
    kept = [part if part.startswith("\\") else folded(part) for part in parts]
    if "".join(kept) != text:
        notes.setdefault("in lower case without accents")
    return "".join(kept)
