"""Generates `rails/guards.co`: for each `if search($guards.KEY, $text)` of `check turn`, the regex that KEY stands for.

A guard is an alternation of literals, of which any text that a rule behind the `if` can hit holds at least one. It is
what makes a turn cheap on a runtime that pays for every flow. Soundness rests on two things: every arm of a rule has a
required literal (or its guard is always open), and a rule none of whose patterns matches hits nothing (a lint rule).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from carerails.colang import Report, Source, parse
from carerails.colang.rules import CHECK, GUARDS
from carerails.colang.tree import Attribute, Await, Call, Expression, If, Statement
from carerails.errors import UsageError
from carerails.matching.literals import EDGE, cost, fewest, required_clauses
from carerails.matching.tree import Unsupported, parse as parse_regex
from carerails.policy import Policy, Rule

#: Literals are cut to this many characters where that leaves them rare: guards are read and passed along every turn.
_LONG = 6
#: As a share of ordinary messages, what is rare enough.
_RARE = 1e-3
_WIDTH = 110

HEADER = """\
# Generated from the patterns by `carerails rails guards`. Do not edit: `make check` compares.

flow guards -> $guards
  \"\"\"By `if` of `check turn`: a text in which this finds nothing cannot hit a rule behind it.\"\"\"
"""


def render(policy: Policy) -> str:
    """The text of `guards.co`.

    Raises:
        UsageError: the policy was not loaded from a directory with a `flow check turn`.
    """
    rows = [f'"{key}": "{_quoted(regex)}"' for key, regex in guards(policy).items()]
    return f"{HEADER}  return {{{_ROW_END.join(rows)}}}\n"


_ROW_END = ",\n    "


def is_current(policy: Policy, text: str) -> bool:
    """Whether `text` is what `render` makes of the policy."""
    return render(policy) == text


def write(policy: Policy, path: Path) -> bool:
    """Write `guards.co`; False if it is what it should be already."""
    text = render(policy)
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return False
    path.write_text(text, encoding="utf-8")
    return True


def guards(policy: Policy) -> dict[str, str]:
    """The regex of every guard, by key, in the order of `check turn`. An empty one is always open."""
    found: dict[str, str] = {}
    for key, names in _guarded(policy).items():
        literals = [_literals(policy.rules[name]) for name in names if name in policy.rules]
        known = [each for each in literals if each is not None]
        found[key] = _factored(fewest(frozenset().union(*known))) if len(known) == len(literals) else ""
    return found


def _literals(rule: Rule) -> frozenset[str] | None:
    """Texts of which everything that the rule hits holds one; None when an arm has no required literal."""
    union: set[str] = set()
    for pattern in rule.patterns:
        try:
            clauses = required_clauses(parse_regex(pattern.regex))
        except Unsupported:
            return None
        if not clauses:
            return None
        union |= clauses[0]
    return fewest(_short(literal) for literal in union)


def _short(literal: str) -> str:
    """The beginning of a literal, where it is as good: rare too."""
    for length in range(_LONG, len(literal)):
        if cost(frozenset({literal[:length]})) < _RARE:
            return literal[:length]
    return literal


def _guarded(policy: Policy) -> dict[str, list[str]]:
    """Which rules stand behind each key, at any depth."""
    for path in policy.sources():
        source = Source(path.name, path.read_text(encoding="utf-8"))
        for flow in parse(source, Report()).flows if f"flow {CHECK}" in source.text else ():
            if flow.name == CHECK:
                return _keys(flow.body)
    raise UsageError(f"no `flow {CHECK}` in a directory of rails", "load the policy from its .co files")


def _keys(body: Iterable[Statement]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for statement in body:
        if isinstance(statement, If):
            for branch in statement.branches:
                key = _key(branch.condition)
                if key:
                    found.setdefault(key, []).extend(_awaited(branch.body))
                for inner, names in _keys(branch.body).items():
                    found.setdefault(inner, []).extend(names)
    return found


def _key(condition: Expression) -> str | None:
    """KEY of `search($guards.KEY, ...)`."""
    if isinstance(condition, Call) and condition.function == "search":
        pattern = condition.arguments[0]
        if isinstance(pattern, Attribute) and pattern.variable == GUARDS:
            return pattern.key
    return None


def _awaited(body: Iterable[Statement]) -> Iterator[str]:
    for statement in body:
        if isinstance(statement, Await):
            yield statement.flow
        elif isinstance(statement, If):
            for branch in statement.branches:
                yield from _awaited(branch.body)
            yield from _awaited(statement.otherwise)


def _factored(literals: Iterable[str]) -> str:
    """An alternation with common beginnings written once: `re` tries the arms one by one, at every character."""
    heads: dict[str, set[str]] = {}
    for literal in literals:
        heads.setdefault(literal[0], set()).add(literal[1:])
    arms = [_escaped(head) + _tails(tails) for head, tails in sorted(heads.items())]
    return "|".join(arms)


def _tails(tails: set[str]) -> str:
    """What follows a common beginning; a tail that is empty makes the others needless."""
    if "" in tails:
        return ""
    rest = _factored(tails)
    return rest if len({tail[0] for tail in tails}) == 1 else f"(?:{rest})"


def _escaped(char: str) -> str:
    return "\\b" if char == EDGE else char if char == " " else re.escape(char)


def _quoted(regex: str) -> str:
    """As a string of Colang."""
    doubled = {"\\": "\\\\", "{": "{{", "}": "}}", '"': '\\"'}
    return "".join(doubled.get(char, char) for char in regex)


Guards = Mapping[str, str]
