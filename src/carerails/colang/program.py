"""A compiled policy as plain data, to be kept from one command to the next: what a decision needs, no syntax trees."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass
from typing import Any

from carerails.colang.closures import Frame, Run, Scans
from carerails.colang.code import Code, link
from carerails.colang.folding import Pattern, Regex
from carerails.colang.rules import Rule, RuleMeta, Template


@dataclass(frozen=True, slots=True)
class LinkedFlow:
    """A flow that can run.

    Attributes:
        size: of a frame.
        code: what `body` is made of.
        body: gives the flow's value in a tuple of one.
        regexes: what it searches for, itself or through the flows that it calls.
    """

    parameters: tuple[str, ...]
    size: int
    code: Code
    body: Run
    regexes: tuple[Regex, ...]

    def __call__(self, scans: Scans, arguments: Iterable[Any]) -> Any:
        """Run it.

        Raises:
            EngineError: an operation does not fit its values; says where, never what they are.
        """
        frame: Frame = [scans, *arguments]
        frame.extend([None] * (self.size - len(frame)))
        return self.body(frame)[0]


@dataclass(frozen=True, slots=True)
class Program:
    """A compiled policy.

    Attributes:
        regexes: all distinct ones, by number.
        flows: by name, each behind those that it calls.
        rules: by the name of their flow.
        judged: the rules on a judge's opinions, by the name of their flow.
        templates: by slug.
        given: the values of `check turn`'s parameters but the text.
        digest: hash of every flow, positions included.
    """

    regexes: tuple[str, ...]
    flows: Mapping[str, LinkedFlow]
    rules: Mapping[str, Rule]
    judged: Mapping[str, Rule]
    templates: Mapping[str, Template]
    given: tuple[Any, ...]
    digest: str

    def to_json(self) -> str:
        """All of it, without what it shares with itself."""
        uses: dict[Regex, int] = {}
        flows = {
            name: (flow.parameters, flow.size, flow.code, [uses.setdefault(use, len(uses)) for use in flow.regexes])
            for name, flow in self.flows.items()
        }
        places: dict[tuple[str, int], int] = {}
        shown = [
            (
                use.number,
                use.function,
                use.partial,
                [len(arm.regex) for arm in use.arms],
                [places.setdefault((arm.file, arm.line), len(places)) for arm in use.arms],
            )
            for use in uses
        ]
        rules, judged = (
            [(rule.name, astuple(rule.meta), rule.file, rule.line, rule.doc) for rule in some.values()]
            for some in (self.rules, self.judged)
        )
        templates = [astuple(template) for template in self.templates.values()]
        parts = (self.regexes, list(places), shown, flows, rules, judged, templates, self.given, self.digest)
        return json.dumps(parts, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str | bytes) -> Program:
        """What `to_json` wrote.

        Raises:
            ValueError, TypeError, LookupError: it did not.
        """
        regexes, places, shown, flows, rules, judged, templates, given, digest = json.loads(text)
        uses: list[Regex] = [_use(regexes, places, *use) for use in shown]
        linked: dict[str, LinkedFlow] = {}
        for name, (parameters, size, code, numbers) in flows.items():
            asked = tuple(map(uses.__getitem__, numbers))
            linked[name] = LinkedFlow(tuple(parameters), size, code, link(code, linked), asked)
        return cls(
            tuple(regexes),
            linked,
            _rules(rules, linked),
            _rules(judged, linked),
            {template[0]: Template(*template) for template in templates},
            tuple(given),
            digest,
        )


def _rules(rows: Iterable[Any], flows: Mapping[str, LinkedFlow]) -> dict[str, Rule]:
    return {
        name: Rule(name, RuleMeta(*meta), file, line, doc, patterns_of(flows[name].regexes))
        for name, meta, file, line, doc in rows
    }


def patterns_of(regexes: Iterable[Regex]) -> tuple[Pattern, ...]:
    """All arms, in order."""
    return tuple(dict.fromkeys(arm for regex in regexes for arm in regex.arms))


def _use(
    regexes: list[str], places: list[Any], number: int, function: str, partial: bool, lengths: list[int], at: list[int]
) -> Regex:
    arms: list[Pattern] = []
    start = 0
    for length, place in zip(lengths, at, strict=True):
        arms.append(Pattern(regexes[number][start : start + length], *places[place]))
        start += length + 1
    return Regex(number, function, tuple(arms), partial)
