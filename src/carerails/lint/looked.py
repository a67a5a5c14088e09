"""What each rule comes to: its regexes, and what it finds in the examples. Worked out where an edit can matter.

A rule is known again by the texts of the files that it and all that it calls stand in. So after an edit of one file the
rules that reach it are compiled and run, and of the others it is known from before, places included.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import cast

from carerails.colang.compiler import compile_flows
from carerails.colang.diagnostics import Report
from carerails.colang.folding import Pattern, Regex
from carerails.colang.parser import MAIN
from carerails.colang.rules import CHECK, GUARDS
from carerails.colang.tree import Assign, Await, Binary, Example, If, ListOf, Statement, Text, calls
from carerails.contracts import Turn
from carerails.errors import EngineError
from carerails.evals.edits import Edit, Rails, compile_touched, emptied
from carerails.lint.regexes import problems_of
from carerails.lint.shadows import shadowed
from carerails.matching import Problem
from carerails.policy import Policy
from carerails.text import prepare

_LONGEST = 100_000


@dataclass(frozen=True, slots=True)
class Looked:
    """One rule.

    Attributes:
        regexes: as the rule and what it calls use them; their numbers mean nothing.
        always: it hits a text in which none of its patterns matches.
        runs_always: as `Policy.runs_always`.
        fails: how it failed on a text; empty: it never did.
        hits: the texts that it hits, by key.
        stood: of each text the patterns that stand in it, whether or not the rule hits.
    """

    regexes: tuple[Regex, ...]
    always: bool
    runs_always: bool
    fails: str = ""
    hits: frozenset[str] = frozenset()
    stood: Mapping[str, frozenset[Pattern]] = field(default_factory=dict[str, frozenset[Pattern]])


@dataclass(frozen=True, slots=True)
class Known:
    """What was found out, by content: it never becomes wrong.

    Attributes:
        texts: as rules see them, by key; every rule was run on each.
        problems: of a pattern.
        shadows: of the patterns of a regex, by its key: those that decide nothing, each with the one that does instead.
        rules: by key.
    """

    texts: Mapping[str, str] = field(default_factory=dict[str, str])
    problems: Mapping[str, tuple[Problem, ...]] = field(default_factory=dict[str, "tuple[Problem, ...]"])
    shadows: Mapping[str, tuple[tuple[int, int], ...]] = field(default_factory=dict[str, "tuple[tuple[int, int], ...]"])
    rules: Mapping[str, Looked] = field(default_factory=dict[str, Looked])


def keys_of(rails: Rails) -> dict[str, str]:
    """The key of each rule."""
    graph = {name: [call.flow for call in calls(flow.body)] for name, flow in rails.flows.items()}
    texts = {name: hashlib.sha256(f"{name}\0{text}".encode()).digest() for name, text in rails.texts.items()}
    found: dict[str, str] = {}
    for rule in sorted(rails.rules):
        reached, ahead = set[str](), [rule]
        while ahead:
            name = ahead.pop()
            if name in graph and name not in reached:
                reached.add(name)
                ahead += graph[name]
        files = sorted({rails.flows[name].file for name in reached})
        found[rule] = hashlib.sha256(b"".join([rule.encode(), *map(texts.__getitem__, files)])).hexdigest()[:32]
    return found


def key_of(text: str) -> str:
    """The key of a text."""
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def seen(text: str) -> str:
    """A text as rules see it."""
    return prepare(Turn.of(text, locale=None), max_chars=_LONGEST).text


def source_key(regex: Regex) -> str:
    """The key of a regex, wherever its patterns stand."""
    return key_of("|".join([arm.regex for arm in regex.arms]))


def compiled(rails: Rails, rules: Collection[str]) -> Policy:
    """All rails, with the bodies of just these rules, and an order of checks that asks no other.

    Raises:
        CompileError: with all that is wrong, in the order of checks as it is written, too.
    """
    if rails.order is not None:
        _compile_order(rails)
        check = rails.flows[CHECK]
        asking = replace(check, body=tuple(_asking(check.body, rules)))
        parsed = {
            name: tuple(asking if flow is check else flow for flow in flows) for name, flows in rails.parsed.items()
        }
        rails = Rails(rails.texts, parsed)
    return compile_touched(rails, Edit((), frozenset(), frozenset(rules), frozenset(), whole=False))


def _asking(body: Iterable[Statement], rules: Collection[str]) -> Iterator[Statement]:
    """An order of checks (`Rails.order`) without what it says of other rules."""
    for statement in body:
        match statement:
            case Await(flow=name) if name not in rules:
                pass
            case Assign(value=Binary(right=ListOf(items=(ListOf(items=(Text(value=name), *_)),)))) if name not in rules:
                pass
            case If(branches=(branch,)):
                if inner := tuple(_asking(branch.body, rules)):
                    yield replace(statement, branches=(replace(branch, body=inner),))
            case _:
                yield statement


def _compile_order(rails: Rails) -> None:
    """Compile the order of checks as it is written.

    Raises:
        CompileError: with what is wrong in it.
    """
    report = Report()
    flows = {name: emptied(flow) for name, flow in rails.flows.items() if name != MAIN}
    flows |= {name: rails.flows[name] for name in (CHECK, GUARDS) if name in flows}
    given = {(CHECK, parameter): parameter for parameter in rails.flows[CHECK].parameters[1:]}
    compile_flows(flows, report, given=given)
    report.raise_if_any()


def look(policy: Policy, rules: Iterable[str], texts: Mapping[str, str]) -> dict[str, Looked]:
    """Run rules on texts.

    Args:
        policy: has their bodies, and of no other rule.
        rules: their names.
        texts: as rules see them, by key.
    """
    found = {name: _begun(policy, name) for name in rules}
    uses: defaultdict[int, list[tuple[str, Regex]]] = defaultdict(list)
    for name, one in found.items():
        for regex in one.regexes:
            uses[regex.number].append((name, regex))
    hits: defaultdict[str, set[str]] = defaultdict(set)
    stood: dict[str, dict[str, set[Pattern]]] = {name: {} for name in found}
    fails: dict[str, str] = {}
    for key, text in texts.items():
        if not text:
            continue
        try:
            said, scan = policy.checked(text)
            hit = [one.rule for one in said]
        except EngineError:
            scan = policy.scan(text)
            hit, failing = _one_by_one(policy, found, text)
            fails = failing | fails
        for name in hit:
            hits[name].add(key)
        for number in scan.candidates:
            arms = {arm for _, _, arm in scan.spans(number)} if number in uses else ()
            for name, regex in uses[number] if arms else ():
                stood[name].setdefault(key, set()).update(regex.arms[arm] for arm in arms)
    return {
        name: replace(
            one,
            fails=one.fails or fails.get(name, ""),
            hits=frozenset(hits[name]),
            stood={key: frozenset(arms) for key, arms in stood[name].items()},
        )
        for name, one in found.items()
    }


def _begun(policy: Policy, name: str) -> Looked:
    """A rule that was run on nothing yet."""
    hit, fails = _one_by_one(policy, [name], "")
    return Looked(policy.regexes(name), bool(hit), policy.runs_always(name), fails.get(name, ""))


def _one_by_one(policy: Policy, rules: Iterable[str], text: str) -> tuple[list[str], dict[str, str]]:
    """Rules that hit a text; and those that fail on it or give no list of strings, and how."""
    hit: list[str] = []
    fails: dict[str, str] = {}
    for name in rules:
        try:
            value: object = policy.run(name, text)
        except EngineError as error:
            fails[name] = error.detail
            continue
        if not isinstance(value, list) or not all(isinstance(term, str) for term in cast("list[object]", value)):
            fails[name] = "it does not return a list of what it found"
        elif value:
            hit.append(name)
    return hit, fails


def look_again(rails: Rails, known: Known, examples: Iterable[Example]) -> tuple[Policy, dict[str, Looked], Known]:
    """The rails compiled, with the bodies of the rules that were not known; every rule; and what is known from now on.

    Args:
        rails: with a `flow check turn`.
        known: from before.
        examples: that the rules are run on.

    Raises:
        CompileError: with all that is wrong.
    """
    said = {key_of(example.text): example.text for example in examples}
    texts = {key: known.texts.get(key) or seen(text) for key, text in said.items()}
    # Of an order that does more than ask and report, nothing can be known rule by rule.
    keys = keys_of(rails) if rails.order is not None else {}
    found = {rule: known.rules[key] for rule, key in keys.items() if key in known.rules}
    touched = sorted(rails.rules - found.keys())
    policy = compiled(rails, touched)
    new = {key: text for key, text in texts.items() if key not in known.texts}
    if new and found:
        for rule, one in look(compiled(rails, found), found, new).items():
            before = found[rule]
            found[rule] = replace(
                before,
                fails=before.fails or one.fails,
                hits=before.hits | one.hits,
                stood={**before.stood, **one.stood},
            )
    found |= look(policy, touched, texts)
    place = {rule: number for number, rule in enumerate(rails.order or ())}
    found = dict(sorted(found.items(), key=lambda item: (place.get(item[0], len(place)), item[0])))
    return policy, found, replace(judged(found, texts, known), rules={key: found[rule] for rule, key in keys.items()})


def judged(found: Mapping[str, Looked], texts: Mapping[str, str], known: Known) -> Known:
    """What is known of the patterns of rules; those that were not known are judged."""
    regexes = {source_key(regex): regex for one in found.values() for regex in one.regexes if not regex.partial}
    shadows = {
        key: known.shadows[key] if key in known.shadows else tuple(shadowed([arm.regex for arm in regex.arms]))
        for key, regex in regexes.items()
    }
    sources = sorted({arm.regex for one in found.values() for regex in one.regexes for arm in regex.arms})
    problems = {one: known.problems[one] if one in known.problems else problems_of(one) for one in sources}
    return Known(texts, problems, shadows)
