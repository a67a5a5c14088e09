"""Generates `rails/guards.co`: for each `if search($guards.KEY, $text)` of `check turn`, the regex that KEY stands for.

A guard finds something in every text that a rule behind its `if` can hit (`needs` and `clues` say why), and little in
others. It is what makes a turn cheap on a runtime that pays for every flow. That no pattern crosses a line is taken for
granted: a lint rule sees to it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from carerails.colang import Flow
from carerails.colang.rules import CHECK, GUARDS
from carerails.colang.tree import Attribute, Await, Call, Expression, If, Statement, calls, shape
from carerails.errors import UsageError
from carerails.guards.clues import Clues, Literals
from carerails.guards.needs import needed
from carerails.matching.literals import EDGE, cost, fewest
from carerails.policy import Policy

__all__ = ["STAMP", "guarded", "guards", "is_current", "render", "stamp", "write"]

#: Literals are cut to this many characters where that leaves them rare: guards are handed along every turn.
_LONG = 7
#: In a string of Colang a dollar may start a variable, and a backslash may not be the last character.
_ALONE = {"$": "[$]", "\\": r"[\\]"}
#: As a share of ordinary messages, what is rare enough.
_RARE = 3e-3

HEADER = """\
# Generated from the patterns {} by `carerails rails guards`. Do not edit: `carerails rails lint` compares.

flow guards -> $guards
  \"\"\"By `if` of `check turn`: a text in which this finds nothing cannot hit a rule behind it.\"\"\"
  return {"""

#: The hash of the patterns in that header.
STAMP = re.compile(r"\A# Generated from the patterns ([0-9a-f]{12}) ")


def render(policy: Policy) -> str:
    """The text of `guards.co`.

    Raises:
        UsageError: the policy was not loaded from a directory with a `flow check turn`.
    """
    rows = [f'"{key}": "{_quoted(regex)}"' for key, regex in guards(policy).items()]
    return HEADER.replace("{}", stamp(_flows(policy)), 1) + ",\n    ".join(rows) + "}\n"


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
    flows = _flows(policy)
    needs = {name: needed(flows[name], flows) for name in policy.rules}
    short = {name: _shortened(need) for name, need in needs.items() if need is not None}
    return {
        key: _regex(Clues.of(short[name] for name in names)) if short.keys() >= set(names) else ""
        for key, names in _guarded(flows[CHECK].body).items()
    }


def guarded(policy: Policy) -> dict[str, list[str]]:
    """The rules behind each key, in the order of `check turn`.

    Raises:
        UsageError: as `render`.
    """
    return _guarded(_flows(policy)[CHECK].body)


def stamp(flows: Mapping[str, Flow], forms: Mapping[str, str] | None = None) -> str:
    """A short hash of what guards are made from: what `check turn` calls, wherever that stands. Flows by name.

    Args:
        forms: `form` of flows by name, as far as it is known.
    """
    known = forms or {}
    ahead, reached = [CHECK], dict[str, str]()
    while ahead:
        name = ahead.pop()
        if name in flows and name not in reached:
            reached[name] = known.get(name) or form(flows[name])
            ahead += [call.flow for call in calls(flows[name].body)]
    return hashlib.sha256(repr(sorted(reached.items())).encode()).hexdigest()[:12]


def form(flow: Flow) -> str:
    """A hash of what a flow says, wherever it stands."""
    return hashlib.sha256(repr(shape(flow.body)).encode()).hexdigest()


def _flows(policy: Policy) -> dict[str, Flow]:
    flows = {flow.name: flow for flow in policy.flows}
    if CHECK not in flows:
        raise UsageError(f"no `flow {CHECK}` in a directory of rails", "load the policy from its .co files")
    return flows


def _guarded(body: Iterable[Statement]) -> dict[str, list[str]]:
    """Which flows are called behind each key, at any depth."""
    found: dict[str, list[str]] = {}
    for statement in body:
        if not isinstance(statement, If):
            continue
        for branch in statement.branches:
            key = _key(branch.condition)
            if key:
                found.setdefault(key, []).extend(_awaited(branch.body))
            for inner, names in _guarded(branch.body).items():
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


def _regex(clues: Clues) -> str:
    """The clues as a regex; pairs with the same second set share it."""
    by_second: dict[Literals, list[tuple[Literals, int]]] = {}
    for first, second, reach in clues.pairs:
        by_second.setdefault(second, []).append((first, reach))
    arms: list[str] = []
    for second, firsts in by_second.items():
        first = fewest(literal for literals, _ in firsts for literal in literals)
        reach = max(reach for _, reach in firsts)
        arms.append(f"{_group(first)}.{{0,{reach}}}?{_group(second)}")
    return "|".join([*([_factored(clues.literals)] if clues.literals else []), *sorted(arms)])


def _shortened(clues: Clues) -> Clues:
    """The clues with shorter literals, where those are as good."""
    pairs = [pair._replace(first=_short(pair.first), second=_short(pair.second)) for pair in clues.pairs]
    return Clues(_short(clues.literals), frozenset(pairs))


def _short(literals: Literals) -> Literals:
    return fewest(_beginning(literal) for literal in literals)


@lru_cache(maxsize=1 << 16)
def _beginning(literal: str) -> str:
    """The beginning of a literal, where it is as good: rare too."""
    for length in range(_LONG, len(literal)):
        if cost(frozenset({literal[:length]})) < _RARE:
            return literal[:length]
    return literal


def _group(literals: Literals) -> str:
    return f"(?:{_factored(literals)})"


def _factored(literals: Iterable[str]) -> str:
    """An alternation with common beginnings written once: `re` tries the arms one by one, at every character."""
    heads: dict[str, set[str]] = {}
    for literal in literals:
        heads.setdefault(literal[0], set()).add(literal[1:])
    return "|".join(_escaped(head) + _tails(tails) for head, tails in sorted(heads.items()))


def _tails(tails: set[str]) -> str:
    """What follows a common beginning; where nothing need follow, the longer tails are needless."""
    if "" in tails:
        return ""
    rest = _factored(tails)
    return rest if len({tail[0] for tail in tails}) == 1 else f"(?:{rest})"


def _escaped(char: str) -> str:
    return "\\b" if char == EDGE else char if char == " " else _ALONE.get(char) or re.escape(char)


def _quoted(regex: str) -> str:
    """As a string of Colang."""
    doubled = {"\\": "\\\\", "{": "{{", "}": "}}", '"': '\\"'}
    return "".join(doubled.get(char, char) for char in regex)
