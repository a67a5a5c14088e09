"""`rails lint`: everything that is wrong with a directory of rails, in one list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from carerails.colang.diagnostics import CompileError, Diagnostic, Report, nearest
from carerails.colang.rules import CHECK, IN_SCOPE, SLUGS, TURN_KINDS
from carerails.colang.tree import Assign, Await, Flow, If, ListOf, Statement, Text
from carerails.contracts import LOCALES
from carerails.matching import check_regex

if TYPE_CHECKING:
    from carerails.policy import Policy

#: Fewest examples of a category in each locale.
ENOUGH_EXAMPLES = 12


def lint(rails: Path) -> list[Diagnostic]:
    """All findings, by file and line. Empty: the rails may run.

    Raises:
        UsageError: there is nothing to load.
    """
    # The policy is built on this package, so it cannot be imported by it at load.
    from carerails.policy import Policy, read_rails

    report = Report()
    flows, _ = read_rails(rails, report)
    if report.found:
        return list(report.sorted())
    try:
        policy = Policy.load(rails)
        _order(policy, flows, report)
    except CompileError as error:
        # The rules may be in order all the same: only the order of checks, or its guards, may be out of date.
        report.found += error.diagnostics
        try:
            policy = Policy.load(rails, check=False)
        except CompileError:
            return list(report.sorted())
    _regexes(policy, report)
    _examples(policy, report)
    _templates(policy, report)
    return list(report.sorted())


def _regexes(policy: Policy, report: Report) -> None:
    """Every arm must be safe and fast on every engine; a rule must not hit where no pattern of it does."""
    for rule in policy.rules.values():
        for regex in policy.regexes(rule.name):
            for pattern in regex.arms:
                for problem in check_regex(pattern.regex):
                    if problem.code == "no-literal" and regex.partial:
                        continue
                    what = f"{problem.what}, at {problem.offset} of `{_short(pattern.regex)}`"
                    report.add("regex", pattern.file, pattern.line, 1, [what], [problem.mend])
        if policy.run(rule.name, ""):
            report.add("hits-nothing", rule.file, rule.line, 1, [rule.name])


def _order(policy: Policy, flows: Iterable[Flow], report: Report) -> None:
    """`check turn` calls every rule once, and reports it under its own name."""
    check = next(flow for flow in flows if flow.name == CHECK)
    calls = Counter(_reported(check.body))
    for rule in policy.rules.values():
        if calls[rule.name] != 1:
            report.add("rule-order", rule.file, rule.line, 1, [rule.name, calls[rule.name]])


def _reported(body: Iterable[Statement]) -> Iterable[str]:
    """Names of the rules whose `await` is followed by a hit of that name with its terms."""
    called: Await | None = None
    for statement in body:
        if isinstance(statement, Await):
            called = statement
        elif isinstance(statement, Assign) and called:
            for node in _lists(statement.value):
                head, terms = node.items[0], node.items[1]
                if isinstance(head, Text) and head.value == called.flow and getattr(terms, "name", "") == called.name:
                    yield called.flow
        elif isinstance(statement, If):
            for branch in statement.branches:
                yield from _reported(branch.body)
            yield from _reported(statement.otherwise)


def _lists(node: Any) -> Iterable[ListOf]:
    """Every list of two in an expression."""
    if isinstance(node, ListOf):
        if len(node.items) == 2:
            yield node
        for item in node.items:
            yield from _lists(item)
    for side in ("left", "right"):
        if hasattr(node, side):
            yield from _lists(getattr(node, side))


def _examples(policy: Policy, report: Report) -> None:
    """Every category has enough examples in each locale, and no example belongs to a category that is none."""
    homes = {rule.meta.category: rule for rule in reversed(list(policy.rules.values())) if rule.meta.kind in TURN_KINDS}
    counts = Counter((example.category, example.locale) for example in policy.examples)
    for category, rule in homes.items():
        for locale in LOCALES:
            count = counts[category, locale]
            if count < ENOUGH_EXAMPLES:
                report.add("few-examples", rule.file, rule.line, 1, [category, count, locale], [ENOUGH_EXAMPLES])
    strays = {example.category: example for example in reversed(policy.examples)}
    for category, example in strays.items():
        if category not in homes and category != IN_SCOPE:
            near = nearest(category, homes)
            report.add("unknown-category", example.file, example.line, 1, [category], [near])


def _templates(policy: Policy, report: Report) -> None:
    """A policy that decides turns has every template; one of another stage has nobody to talk to."""
    if policy.rules and not any(rule.meta.kind in TURN_KINDS for rule in policy.rules.values()):
        return
    for slug in SLUGS:
        if slug not in policy.templates:
            report.add("missing-template", "templates", 1, 1, [slug])


def _short(regex: str) -> str:
    return regex if len(regex) <= 60 else regex[:57] + "..."
