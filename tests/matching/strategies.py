"""Random regexes of the subset, and texts made of what they match: by plain chance, so that thousands are cheap."""

from __future__ import annotations

import re
from functools import lru_cache
from random import Random

from hypothesis import Phase, settings
from hypothesis import strategies as st

from carerails.matching.tree import Boundary, Chars, Choice, Node, Repeat, Sequence, Text, Unsupported, arms, parse

WORDS = ("pain", "chest", "che", "st p", "take", "pills", "kill", "me", "dor", "matar", "a", "ab", "aba", "t p", "o")
ATOMS = (
    "[ab]",
    "[a-d]",
    "[^.!?\\n]",
    ".",
    "\\w",
    "\\d",
    "'",
    "-",
    "\\.",
    "[a\\-z]",
    "[']",
    "[^a]",
    "\\W",
    "\\b",
    "\\B",
)
COUNTS = ("?", "{0,3}", "{1,2}", "{2}", "{0,12}", "??", "{0,4}?", "{1,20}")
ASCII = [chr(code) for code in range(128)]

#: A seed cannot be made simpler, so a failing one is reported as it is.
BY_CHANCE = settings(deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])

seeds = st.integers(0, 2**48).map(Random)
"""A source of chance for the functions below."""


def regex(chance: Random, most_arms: int = 6) -> str:
    """An alternation of the subset, each arm with at least one plain letter in it."""
    return "|".join(_arm(chance) for _ in range(chance.randint(1, most_arms)))


def _arm(chance: Random) -> str:
    before, after = ("".join(_piece(chance) for _ in range(chance.randint(0, 4))) for _ in range(2))
    return before + chance.choice(WORDS) + after


def _piece(chance: Random, depth: int = 0) -> str:
    count = chance.choice(COUNTS if depth == 0 else COUNTS[:1])  # nested counts would keep `re` busy for ever
    match chance.randrange(7 if depth < 2 else 5):
        case 0:
            return chance.choice(WORDS)
        case 1:
            return " "
        case 2 | 3:
            atom = chance.choice(ATOMS)
            return atom if chance.random() < 0.5 or atom in ("\\b", "\\B") else atom + count
        case 4:
            return chance.choice(("\\b", " ?", *((".{0,40}", "[^.!?\\n]{0,30}") if depth == 0 else ())))
        case _:
            branches = ["".join(_piece(chance, depth + 1) for _ in range(chance.randint(1, 2))) for _ in range(2)]
            return f"(?:{'|'.join(branches)}){chance.choice(('', '', '?', '{0,2}', '{2}', '??'))}"


def text_of(chance: Random, pattern: str) -> str:
    """A text that one arm of the pattern matches, but for word boundaries."""
    try:
        return _text(chance, parse(chance.choice(arms(pattern))))
    except Unsupported:
        return ""


def _text(chance: Random, node: Node) -> str:
    match node:
        case Chars():
            return chance.choice(_members(node.source))
        case Text():
            return node.text
        case Boundary():
            return ""
        case Sequence():
            return "".join(_text(chance, item) for item in node.items)
        case Choice():
            return _text(chance, chance.choice(node.branches))
        case Repeat():
            high = node.low + 3 if node.high is None else node.high
            return "".join(_text(chance, node.item) for _ in range(chance.randint(node.low, high)))


@lru_cache(maxsize=4096)
def _members(source: str) -> list[str]:
    """The characters that a class in RE2's spelling matches, letters twice: noise is not to prevail."""
    found = [char for char in ASCII if re.fullmatch(re.sub(r"\\x\{(..)\}", r"\\x\1", source), char)]
    return found + [char for char in found if char.isalnum() or char == " "] * 2


def case(chance: Random) -> tuple[list[str], str]:
    """Some regexes, and an ASCII text of their matches, their words and noise."""
    chosen = [regex(chance) for _ in range(chance.randint(1, 4))]
    parts: list[str] = []
    for _ in range(chance.randint(0, 14)):
        match chance.randrange(5):
            case 0 | 1 | 2:
                parts.append(text_of(chance, chance.choice(chosen)))
            case 3:
                parts.append(chance.choice(WORDS))
            case _:
                parts.append(chance.choice((" ", " ", "\n", ".", "x", chance.choice(ASCII))))
    text = "".join(parts)
    if chance.random() < 0.4:
        filler = chance.choice(("x" * 450, "pain " * 90, " ." * 300))
        text = chance.choice((filler + text, text + filler, text + filler + text))
    return chosen, text
