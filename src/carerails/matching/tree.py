"""A regex as a small typed tree, of no more than what every backend reads alike.

Groups and alternatives are cut here; everything between them is read by Python's own parser, so nothing can be read
differently from `re`. What is left out of the tree (flags, groups that capture, look-around, `\\s`, anchors) raises
Unsupported: such a regex is run by `re`. Rules share vocabularies, so each part is read once and shared.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

_parser: Any = importlib.import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")

#: A class with more members than this is taken for "any character" when literals are looked for.
_SMALL_CLASS = 12
_CACHE = 1 << 16

_CLASS = r"\[\^?\]?(?:\\.|[^\]\\])*\]"
_TOKEN = re.compile(
    rf"\\.|{_CLASS}"
    r"|\(\?(?:[:=!>]|<[=!]|P<\w*>|P=\w*\)|#[^)]*\)|[a-zA-Z]*-?[a-zA-Z]+[:)]|\(\w*\))?"
    r"|\{\d*(?:,\d*)?\}[?+]?|[*+?][?+]?|[^\\[({|)}*+?]+|.",
    re.DOTALL,
)
#: Groups, alternatives, and what stands between them in one piece.
_JOINT = re.compile(rf"(?:[^\\[(|)]+|\\.|{_CLASS})+|\(\?:|\(\?#[^)]*\)|.", re.DOTALL)
_QUANTIFIER = re.compile(r"\{\d*(?:,\d*)?\}[?+]?|[*+?][?+]?")
#: Parts that mean the same alone and beside each other: plain characters, or one with its quantifier.
_ATOM = re.compile(
    rf"(?:[\w ',-]+|(?:[^\\[*+?{{]|\\[bBdDwW\W]|{_CLASS})(?:(?:\{{\d+(?:,\d*)?\}}|[*+?])\??)?)(?![*+?{{])", re.DOTALL
)
_PLAIN = re.compile(r"[\w ',-]+")


class Unsupported(ValueError):
    """The regex uses something that only `re` is trusted with."""


# Nodes compare and hash by identity: they are shared, and the same part is worked on once.


@dataclass(frozen=True, eq=False)
class Text:
    """Exactly these characters."""

    text: str


@dataclass(frozen=True, eq=False)
class Chars:
    """One character. `members` are those it can be, None when they are many; `source` is RE2's spelling."""

    source: str
    members: frozenset[str] | None


@dataclass(frozen=True, eq=False)
class Boundary:
    """`\\b`, or `\\B` when `inside`."""

    inside: bool


@dataclass(frozen=True, eq=False)
class Sequence:
    """Nodes one after the other."""

    items: tuple[Node, ...]


@dataclass(frozen=True, eq=False)
class Choice:
    """Alternatives, the first that leads to a match is taken."""

    branches: tuple[Node, ...]


@dataclass(frozen=True, eq=False)
class Repeat:
    """`low` to `high` times; `high` is None when there is no upper bound."""

    item: Node
    low: int
    high: int | None
    lazy: bool


Node = Text | Chars | Boundary | Sequence | Choice | Repeat


def read_by_re(regex: str) -> None:
    """Have `re` read it, which is a tenth of the work of compiling it.

    Raises:
        re.error: it is no regular expression.
    """
    _parser.parse(regex)


def tokens(regex: str) -> Iterator[tuple[int, str]]:
    """The regex cut into escapes, classes, group openings, quantifiers, and runs of other characters, with offsets."""
    for match in _TOKEN.finditer(regex):
        yield match.start(), match.group()


def arms(regex: str) -> list[str]:
    """The top-level alternatives, in order: `a|b(?:c|d)` has two."""
    return [text for _, text in arms_at(regex)]


def arms_at(regex: str) -> list[tuple[int, str]]:
    """The top-level alternatives with their offsets."""
    depth = start = end = 0
    found: list[tuple[int, str]] = []
    for token in _JOINT.findall(regex) if "|" in regex else ():
        end += len(token)
        if token in {"(?:", "("}:
            depth += 1
        elif token == ")":
            depth -= 1
        elif token == "|" and depth == 0:
            found.append((start, regex[start : end - 1]))
            start = end
    found.append((start, regex[start:]))
    return found


def closing(regex: str, start: int) -> int:
    """Where the group that opens at `start` closes."""
    depth, at = 0, start
    for token in _JOINT.findall(regex[start:]):
        depth += (token in {"(?:", "("}) - (token == ")")
        if depth == 0:
            break
        at += len(token)
    return at


@lru_cache(maxsize=_CACHE)
def parse(regex: str) -> Node:
    """Read a regex.

    Raises:
        re.error: Python cannot compile it.
        Unsupported: it leaves the subset.
    """
    outer: list[tuple[list[Node], list[Node]]] = []  # what stands before each open group
    branches: list[Node] = []
    items: list[Node] = []
    closed = False  # the last token closed a group, so that this one may quantify it
    for token in _JOINT.findall(regex):
        if token == "|":
            branches.append(_one(_sequence, items))
            items = []
        elif token == "(?:":
            outer.append((branches, items))
            branches, items = [], []
        elif token == ")" and outer:
            group = _one(_choice, [*branches, _one(_sequence, items)])
            branches, items = outer.pop()
            items.append(group)
        elif token[0] == "(":
            raise Unsupported(token)
        else:
            quantifier = closed and _QUANTIFIER.match(token)
            if quantifier and (counts := _counts(quantifier.group())):
                items[-1] = _repeat(items[-1], *counts)
                items += _plain(token[quantifier.end() :])
            else:
                items += _plain(token)
        closed = token == ")"
    if outer:
        raise re.error("missing ), unterminated subpattern", regex, len(regex))
    return _one(_choice, [*branches, _one(_sequence, items)])


@lru_cache(maxsize=_CACHE)
def lengths(node: Node) -> tuple[int, int | None]:
    """Characters of the shortest and of the longest text that the node matches; None without a bound."""
    match node:
        case Text():
            return len(node.text), len(node.text)
        case Chars():
            return 1, 1
        case Boundary():
            return 0, 0
        case Sequence() | Choice():
            parts = node.items if isinstance(node, Sequence) else node.branches
            pairs = [lengths(part) for part in parts]
            low, high = (sum, sum) if isinstance(node, Sequence) else (min, max)
            bounded = [longest for _, longest in pairs if longest is not None]
            return low(pair[0] for pair in pairs), high(bounded) if len(bounded) == len(pairs) else None
        case Repeat():
            low, high = lengths(node.item)
            return low * node.low, None if high is None or node.high is None else high * node.high


def to_re2(node: Node) -> str:
    """The tree in RE2's syntax: written anew, so no difference between the two syntaxes can slip in.

    Raises:
        Unsupported: something is repeated that may be empty, where RE2 stops earlier than `re`.
    """
    match node:
        case Text():
            return "".join(_escape(ord(char)) for char in node.text)
        case Chars():
            return node.source
        case Boundary():
            return "\\B" if node.inside else "\\b"
        case Sequence():
            return "".join(to_re2(item) for item in node.items)
        case Choice():
            return "(?:" + "|".join(to_re2(branch) for branch in node.branches) + ")"
        case Repeat():
            if node.high != 1 and lengths(node.item)[0] == 0:
                raise Unsupported("a repeat of what may be empty")
            high = "" if node.high is None else node.high
            return f"(?:{to_re2(node.item)}){{{node.low},{high}}}" + ("?" if node.lazy else "")


def _one(several: Callable[[tuple[Node, ...]], Node], nodes: list[Node]) -> Node:
    return nodes[0] if len(nodes) == 1 else several(tuple(nodes))


# Equal parts are one node, wherever they stand.
_sequence = lru_cache(maxsize=_CACHE)(Sequence)
_choice = lru_cache(maxsize=_CACHE)(Choice)
_repeat = lru_cache(maxsize=_CACHE)(Repeat)
_text = lru_cache(maxsize=_CACHE)(Text)


@lru_cache(maxsize=_CACHE)
def _counts(token: str) -> tuple[int, int | None, bool] | None:
    """What a quantifier says: fewest, most, lazy. None for anything else."""
    if token[0] not in "*+?{" or token == "{":
        return None
    parsed = list(_parser.parse("x" + token))
    if len(parsed) > 1:  # `{}` is two plain characters
        return None
    op, value = parsed[0]
    if str(op) not in ("MAX_REPEAT", "MIN_REPEAT"):
        raise Unsupported(str(op))
    high = None if value[1] == _parser.MAXREPEAT else int(value[1])
    return int(value[0]), high, str(op) == "MIN_REPEAT"


@lru_cache(maxsize=_CACHE)
def _plain(source: str) -> tuple[Node, ...]:
    """A piece without groups and alternatives, as Python's parser reads it."""
    if _PLAIN.fullmatch(source):
        return (_text(source),)
    atoms = _ATOM.findall(source)
    if "".join(atoms) != source:
        atoms = [source]
    nodes: list[Node] = []
    for node in (node for atom in atoms for node in _atom(atom)):
        if isinstance(node, Text) and nodes and isinstance(nodes[-1], Text):
            nodes[-1] = _text(nodes[-1].text + node.text)
        else:
            nodes.append(node)
    return tuple(nodes)


@lru_cache(maxsize=_CACHE)
def _atom(source: str) -> tuple[Node, ...]:
    if _PLAIN.fullmatch(source):
        return (_text(source),)
    return tuple(_read(_parser.parse(source)))


def _read(parsed: Any) -> list[Node]:
    return [_text(chr(value)) if str(op) == "LITERAL" else _node(str(op), value) for op, value in parsed]


def _node(op: str, value: Any) -> Node:
    match op:
        case "NOT_LITERAL":
            return Chars(f"[^{_escape(value)}]", None)
        case "ANY":
            return Chars(".", None)
        case "IN":
            return _chars(value)
        case "MAX_REPEAT" | "MIN_REPEAT":
            low, high, body = value
            (item,) = _read(body)
            return Repeat(item, int(low), None if high == _parser.MAXREPEAT else int(high), op == "MIN_REPEAT")
        case "AT" if str(value) in ("AT_BOUNDARY", "AT_NON_BOUNDARY"):
            return Boundary(inside=str(value) == "AT_NON_BOUNDARY")
        case _:
            raise Unsupported(op if op != "AT" else str(value))


def _chars(items: Any) -> Chars:
    source = ""
    members: set[str] | None = set()
    for kind, value in items:
        match str(kind):
            case "NEGATE":
                source, members = "^", None
            case "LITERAL":
                source += _escape(value)
                if members is not None:
                    members.add(chr(value))
            case "RANGE":
                low, high = value
                source += f"{_escape(low)}-{_escape(high)}"
                if high - low >= _SMALL_CLASS:
                    members = None
                elif members is not None:
                    members.update(map(chr, range(low, high + 1)))
            case "CATEGORY" if str(value) in _CATEGORIES:
                source += _CATEGORIES[str(value)]
                members = None
            case _:
                raise Unsupported(str(value))
    return Chars(f"[{source}]", frozenset(members) if members and len(members) <= _SMALL_CLASS else None)


#: The categories that mean the same everywhere on ASCII text; `\s` does not (U+001C to U+001F).
_CATEGORIES = {
    "CATEGORY_DIGIT": "\\d",
    "CATEGORY_NOT_DIGIT": "\\D",
    "CATEGORY_WORD": "\\w",
    "CATEGORY_NOT_WORD": "\\W",
}


def _escape(code: int) -> str:
    char = chr(code)
    return char if char.isascii() and (char.isalnum() or char in " ',") else f"\\x{{{code:02x}}}"
