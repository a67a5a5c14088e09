"""`carerails posture check`: config, package docstring, README and rails say the same, and name only what is there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from carerails.config import YamlLoader, line_of
from carerails.contracts import LOCALES, TEMPLATE_OF
from carerails.errors import ToMend, UsageError, unknown
from carerails.lint.settings import WORDS
from carerails.lint.unwritten import unwritten
from carerails.policy import Policy
from carerails.posture.facts import left_out, read_case
from carerails.posture.sources import Never, load_categories, load_deferred, load_posture

#: The line after which each place tells the points.
OPENING = "The agent that uses it never"


@dataclass(frozen=True, slots=True)
class Places:
    """Where everything is. `told`: the files that tell the points, numbered, after a line that ends in `OPENING`."""

    rails: Path
    config: Path
    slices: Path
    told: tuple[Path, ...]


def check(places: Places) -> list[ToMend]:
    """All findings. Empty: the places are in step.

    Raises:
        UsageError: something cannot be read at all.
    """
    policy = Policy.load(places.rails)
    points = load_posture(places.config / "posture.yml").never
    found = [finding for path in places.told for finding in _told(path, points)]
    found += _points(points, policy, places)
    found += _categories(policy, places.config)
    found += _left_out(policy, places.config)
    for name in WORDS:
        for line, _ in unwritten((places.config / name).read_text(encoding="utf-8")):
            found.append(ToMend(name, line, "this is still to be written", "write it in this locale's own words"))
    return sorted(found, key=lambda finding: (finding.file, finding.line, finding.what))


def _told(path: Path, points: tuple[Never, ...]) -> Iterator[ToMend]:
    """The numbered points of a text are those of the config, word by word."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError):
        raise UsageError("cannot be read", "name it with --readme", str(path)) from None
    at = next((number for number, line in enumerate(lines, 1) if line.endswith(OPENING)), None)
    if at is None:
        yield ToMend(path.name, 1, f"does not say `{OPENING} ...`", "tell the points of config/posture.yml there")
        return
    for number, point in enumerate(points, 1):
        wanted = f"{number}. {point.does}{'.' if number == len(points) else ';'}"
        if lines[at + number - 1 : at + number] != [wanted]:
            yield ToMend(path.name, at + number, "is not what config/posture.yml says", f"write `{wanted}`")
    if lines[at + len(points) : at + len(points) + 1] not in ([], [""], ['"""']):
        yield ToMend(path.name, at + len(points) + 1, "more than config/posture.yml says", "remove it, or add it there")


def _points(points: tuple[Never, ...], policy: Policy, places: Places) -> Iterator[ToMend]:
    """Rules, templates and cases are there; a rule leads to a template of its point; a case speaks each locale."""
    node = _node(places.config / "posture.yml")
    for number, point in enumerate(points):

        def finding(key: str, what: str, mend: str, at: int = number) -> ToMend:
            return ToMend("posture.yml", line_of(node, ("never", at, key)), what, mend)

        for name in point.rules:
            rule = policy.rules.get(name)
            if rule is None:
                hint = unknown("rule", name, policy.rules)
                yield finding("rules", hint.what, hint.mend)
            elif (led := rule.meta.slug or TEMPLATE_OF.get(rule.meta.outcome)) not in point.templates:
                yield finding("templates", f"rule {name!r} leads to {led}, which is not told", f"add {led}")
        for slug in point.templates:
            if slug not in policy.templates:
                hint = unknown("template", slug, policy.templates)
                yield finding("templates", hint.what, hint.mend)
        spoken: set[str] = set()
        for name in point.cases:
            try:
                spoken.add(read_case(name, places.slices).locale)
            except UsageError as error:
                yield finding("cases", error.what, error.mend)
        if missing := [locale for locale in LOCALES if locale not in spoken]:
            yield finding("cases", f"no case in {' and '.join(missing)}", "name one a locale")


def _categories(policy: Policy, config: Path) -> Iterator[ToMend]:
    """The rails' categories and their words are the same set, and of the same kind."""
    words = load_categories(config)
    node = _node(config / "categories.yml")
    used = {rule.meta.category: rule for rule in policy.rules.values()}
    for category, rule in used.items():
        home = "red-flags" if rule.meta.kind == "red-flag" else "scope"
        if category not in (words.red_flags if home == "red-flags" else words.scope):
            yield ToMend(
                rule.file, rule.line, f"category {category!r} has no words", f"name it in categories.yml, {home}"
            )
    for home, named in (("red-flags", words.red_flags), ("scope", words.scope)):
        for category in named.keys() - used.keys():
            mend = "remove it, or call it as the rails do"
            yield ToMend("categories.yml", line_of(node, (home, category)), f"no rule has category {category!r}", mend)


def _left_out(policy: Policy, config: Path) -> Iterator[ToMend]:
    """What a docstring leaves out, and what is said of it in plain words, belong together."""
    plain = load_deferred(config)
    node = _node(config / "deferred.yml")
    for name, rule in policy.rules.items():
        says = left_out(rule)
        line = line_of(node, ("deferred", name))
        if says and name not in plain:
            yield ToMend(rule.file, rule.line, f"rule {name!r} leaves something out", "say it in deferred.yml")
        elif name in plain and says != plain[name].rails:
            mend = f"renew it in all locales: the docstring says `{says}`" if says else "remove it"
            yield ToMend("deferred.yml", line, f"rule {name!r} does not leave that out", mend)
    for name in plain.keys() - policy.rules.keys():
        hint = unknown("rule", name, policy.rules)
        yield ToMend("deferred.yml", line_of(node, ("deferred", name)), hint.what, hint.mend)


def _node(path: Path) -> Any:
    return yaml.compose(path.read_text(encoding="utf-8"), Loader=YamlLoader)
