"""A regex as a small typed tree: Python's own parse of it, reduced to what every backend reads alike.

Python's parser decides what a pattern means, so nothing here can read one differently from `re`. What is left out of
the tree (flags, groups that capture, look-around, `\\s`, anchors, ...) raises Unsupported: such a regex is run by `re`.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

_parser: Any = importlib.import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")

#: A class with more members than this is taken for "any character" when literals are looked for.
_SMALL_CLASS = 12

_TOKEN = re.compile(
    r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]"
    r"|\(\?(?:[:=!>]|<[=!]|P<\w*>|P=\w*\)|#[^)]*\)|[a-zA-Z]*-?[a-zA-Z]+[:)]|\(\w*\))?"
    r"|\{\d*(?:,\d*)?\}[?+]?|[*+?][?+]?|.",
    re.DOTALL,
)


class Unsupported(ValueError):
    """The regex uses something that only `re` is trusted with."""


@dataclass(frozen=True, slots=True)
class Chars:
    """One character. `members` are those it can be, None when they are many; `source` is RE2's spelling."""

    source: str
    members: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class Boundary:
    """`\\b`, or `\\B` when `inside`."""

    inside: bool


@dataclass(frozen=True, slots=True)
class Sequence:
    """Nodes one after the other."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """Alternatives, the first that leads to a match is taken."""

    branches: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """`low` to `high` times; `high` is None when there is no upper bound."""

    item: Node
    low: int
    high: int | None
    lazy: bool


Node = Chars | Boundary | Sequence | Choice | Repeat


class Parsed(NamedTuple):
    """A tree and the lengths, in characters, of the shortest and longest text that it can match."""

    node: Node
    shortest: int
    longest: int | None


def parse(regex: str) -> Parsed:
    """Read a regex.

    Raises:
        re.error: Python cannot compile it.
        Unsupported: it leaves the subset.
    """
    parsed: Any = _parser.parse(regex)
    if parsed.state.flags != re.UNICODE:
        raise Unsupported("flags")
    shortest, longest = parsed.getwidth()
    return Parsed(_sequence(parsed), int(shortest), None if longest >= _parser.MAXREPEAT else int(longest))


def tokens(regex: str) -> Iterator[tuple[int, str]]:
    """The regex cut into escapes, classes, group openings, quantifiers and single characters, with their offsets."""
    for match in _TOKEN.finditer(regex):
        yield match.start(), match.group()


def arms(regex: str) -> list[str]:
    """The top-level alternatives, in order: `a|b(?:c|d)` has two."""
    return [text for _, text in arms_at(regex)]


def arms_at(regex: str) -> list[tuple[int, str]]:
    """The top-level alternatives with their offsets."""
    depth = start = 0
    found: list[tuple[int, str]] = []
    for at, token in tokens(regex):
        if token[0] == "(" and token[-1] != ")":
            depth += 1
        elif token == ")":
            depth -= 1
        elif token == "|" and depth == 0:
            found.append((start, regex[start:at]))
            start = at + 1
    found.append((start, regex[start:]))
    return found


def plain_text(node: Node) -> str | None:
    """The one text that the node matches, everywhere; None when it is more than a literal."""
    items = node.items if isinstance(node, Sequence) else (node,)
    chars = [item.members for item in items if isinstance(item, Chars) and item.members and len(item.members) == 1]
    return "".join(next(iter(one)) for one in chars) if len(chars) == len(items) else None


def to_re2(node: Node) -> str:
    """The tree in RE2's syntax: written anew, so no difference between the two syntaxes can slip in."""
    match node:
        case Chars():
            return node.source
        case Boundary():
            return "\\B" if node.inside else "\\b"
        case Sequence():
            return "".join(to_re2(item) for item in node.items)
        case Choice():
            return "(?:" + "|".join(to_re2(branch) for branch in node.branches) + ")"
        case Repeat():
            high = "" if node.high is None else node.high
            return f"(?:{to_re2(node.item)}){{{node.low},{high}}}" + ("?" if node.lazy else "")


def _sequence(items: Any) -> Node:
    nodes = tuple(_node(str(op), value) for op, value in items)
    return nodes[0] if len(nodes) == 1 else Sequence(nodes)


def _node(op: str, value: Any) -> Node:
    match op:
        case "LITERAL":
            return Chars(_escape(value), frozenset(chr(value)))
        case "NOT_LITERAL":
            return Chars(f"[^{_escape(value)}]", None)
        case "ANY":
            return Chars(".", None)
        case "IN":
            return _chars(value)
        case "BRANCH":
            return Choice(tuple(_sequence(branch) for branch in value[1]))
        case "SUBPATTERN":
            group, add_flags, del_flags, body = value
            if group is not None or add_flags or del_flags:
                raise Unsupported("a capture group or flags")
            return _sequence(body)
        case "MAX_REPEAT" | "MIN_REPEAT":
            low, high, body = value
            bound = None if high == _parser.MAXREPEAT else int(high)
            return Repeat(_sequence(body), int(low), bound, lazy=op == "MIN_REPEAT")
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
    return char if char.isascii() and char.isalnum() else f"\\x{{{code:02x}}}"
