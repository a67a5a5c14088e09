"""The lint rules of a regex: what keeps it fast and alike on every engine, and what it would silently never match."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from carerails.matching.literals import EDGE, required_clauses
from carerails.matching.tree import (
    Choice,
    Node,
    Repeat,
    Sequence,
    Text,
    Unsupported,
    arms_at,
    lengths,
    parse,
    read_by_re,
    tokens,
)

#: A guard needs at least this many characters.
SHORTEST_LITERAL = 3
#: A digit class: such an arm compares numbers.
_DIGITS = re.compile(r"\\d|\[\d")
#: The most that a repeat within a repeat may multiply to.
MOST_NESTED = 99


class Problem(NamedTuple):
    """One thing that is wrong. `offset` counts characters of the regex from 0."""

    offset: int
    code: str
    what: str
    mend: str


class _Token(NamedTuple):
    code: str
    wrong: Callable[[str], object]
    what: str
    mend: str


def _is(pattern: str) -> Callable[[str], object]:
    return re.compile(pattern, re.DOTALL).fullmatch


#: What is wrong with single tokens, `{}` being the token: a class is one token, a run of plain characters another.
_TOKENS = (
    _Token("look-around", _is(r"\(\?<?[=!]"), "look-around `{}`", "write the neighbours into the pattern"),
    _Token("capture-group", _is(r"\(|\(\?P<.*"), "a group that captures", "write `(?:`"),
    _Token("backreference", _is(r"\\[1-9]|\(\?P=.*|\(\?\(.*"), "a backreference `{}`", "list the alternatives"),
    _Token("inline-flags", _is(r"\(\?[a-zA-Z-]+[:)]"), "inline flags `{}`", "texts are in lower case already"),
    _Token(
        "atomic", _is(r"\(\?>|[*+?}].*\+|\{.*\}\+"), "`{}` is not known everywhere", "write `(?:` and a plain count"
    ),
    _Token("comment", _is(r"\(\?#.*"), "a comment", "write it above the statement"),
    _Token("unbounded", _is(r"[*+]\??|\{\d*,\}\??"), "`{}` has no upper bound", "count: `{{0,40}}` for a gap"),
    _Token("open-count", _is(r"\{,\d+\}\??"), "`{}` is plain text on other engines", "write the 0: `{{0,...}}`"),
    _Token("anchor", _is(r"\\[AZzG]"), "anchor `{}`", "views are joined: write `\\b`"),
    _Token("white-space", _is(r"\\[sS]"), "`{}` differs between engines and crosses lines", "write a space, or ` ?`"),
    _Token("escape", _is(r"\\[^bBwWdDnt\W]"), "escape `{}`", "write the character itself"),
    _Token("line-end", _is(r"\\[nt]"), "`{}` outside a class", "no view contains one: write a space"),
)


@lru_cache(maxsize=1 << 14)
def _broken(token: str) -> tuple[_Token, ...]:
    return tuple(rule for rule in _TOKENS if rule.wrong(token))


_CAPITAL = re.compile(r"[A-Z]")
_FOREIGN = re.compile(r"[^\x20-\x7e]")


def check_regex(regex: str) -> list[Problem]:
    """All that is wrong with a regex, by place. Empty: it is in the subset."""
    try:
        read_by_re(regex)
    except (re.error, OverflowError, RecursionError) as error:
        at = getattr(error, "pos", None) or 0
        return [Problem(at, "invalid", f"not a regular expression: {error}", "correct it")]
    problems = list(_of_tokens(regex))
    seen: dict[str, int] = {}
    for at, arm in arms_at(regex):
        if arm in seen:
            problems.append(Problem(at, "duplicate", f"the same as at {seen[arm]}: never reached", "remove one"))
        seen.setdefault(arm, at)
        try:
            node = parse(arm)
        except Unsupported:
            if not problems:
                problems.append(Problem(at, "unsupported", "it leaves the subset", "see docs/matching.md"))
            continue
        problems += [Problem(at, *finding) for finding in _of_arm(arm, node)]
    return sorted(set(problems))


def _of_tokens(regex: str) -> Iterator[Problem]:
    for at, token in tokens(regex):
        if token[0] == "[" and len(token) > 1:
            yield from _of_class(at, token)
            continue
        for rule in _broken(token):
            yield Problem(at, rule.code, rule.what.format(token), rule.mend)
        if token[0] not in "\\({":
            yield from _of_characters(at, token)
            for mark in "^$":
                if mark in token:
                    yield Problem(at + token.index(mark), "anchor", f"anchor `{mark}`", "views are joined: write `\\b`")


def _of_class(at: int, token: str) -> Iterator[Problem]:
    """A class: no capitals, nothing foreign, and a negated one names `\\n`, since no gap may cross it."""
    body = re.sub(r"\\.", "", token)
    yield from _of_characters(at, body)
    if re.search(r"\\[sS]", token):
        yield Problem(at, "white-space", "`\\s` in a class differs between engines", "write a space")
    if (token[1] == "^" and "\\n" not in token) or re.search(r"\\[WD]", token):
        yield Problem(
            at, "newline", f"`{token}` crosses from one view into the next", "write `\\n` into the class: `[^.\\n]`"
        )


def _of_characters(at: int, run: str) -> Iterator[Problem]:
    capital, foreign = _CAPITAL.search(run), _FOREIGN.search(run)
    if capital:
        yield Problem(at + capital.start(), "capital", f"`{capital.group()}` never matches", "texts are in lower case")
    if foreign:
        what = f"U+{ord(foreign.group()):04X} never matches"
        yield Problem(
            at + foreign.start(), "foreign", what, "texts are plain ASCII: accents are folded, other signs spaces"
        )


def _of_arm(arm: str, node: Node) -> Iterator[tuple[str, str, str]]:
    if lengths(node)[0] == 0:
        yield "empty", "it matches the empty text", "make something of it required"
        return
    # An arm that compares numbers asks for digits besides, which are no literal.
    least = 1 if _DIGITS.search(arm) else SHORTEST_LITERAL
    if not _spells(node, least) and not any(
        all(len(literal.replace(EDGE, "")) >= least for literal in clause)
        for clause in required_clauses(node)
        if clause
    ):
        what = f"no required text of {SHORTEST_LITERAL} characters"
        yield "no-literal", what, "write a word that every match contains, the rarer the better"
    if _multiplies(node, 1):
        yield "nested", "a repeat within a repeat", "write it out, or with one count"


def _spells(node: Node, least: int) -> bool:
    """Whether each match plainly has a text of so many characters: a quick look, which may miss one."""
    match node:
        case Text():
            return len(node.text) >= least
        case Sequence():
            return any(_spells(item, least) for item in node.items)
        case Choice():
            return all(_spells(branch, least) for branch in node.branches)
        case Repeat():
            return node.low > 0 and _spells(node.item, least)
        case _:
            return False


def _multiplies(node: Node, times: int) -> bool:
    """Whether repeats of varying count within repeats multiply to too many ways to match."""
    match node:
        case Repeat():
            high = node.high if node.high is not None else MOST_NESTED + 1
            if times > 1 and high > 1 and high != node.low and times * high > MOST_NESTED:
                return True
            return _multiplies(node.item, max(times, times * high))
        case Sequence():
            return any(_multiplies(item, times) for item in node.items)
        case Choice():
            return any(_multiplies(branch, times) for branch in node.branches)
        case _:
            return False
