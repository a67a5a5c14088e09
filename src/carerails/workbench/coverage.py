"""Which patterns, statements and templates texts exercise, by locale; and what nothing exercises."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from carerails.colang.folding import Pattern
from carerails.colang.parser import MAIN
from carerails.colang.rules import CHECK, GUARDS
from carerails.config import Settings
from carerails.contracts import LOCALES, Findings, Turn
from carerails.lint.arms import Arms
from carerails.lint.templates import RENDER
from carerails.policy import Policy
from carerails.resolve import resolve
from carerails.text import prepare

#: Flows whose statements say nothing of the policy: they call one rule, or one template, after another.
_ORDER = frozenset([MAIN, CHECK, GUARDS, RENDER])

#: How many texts of each locale exercise a thing.
Hits = Counter[str]
#: What a pattern is exercised by, the best of them; and how many patterns are by what.
Life = Literal["texts", "examples", "nothing"]
Lives = Counter[Life]


@dataclass
class Coverage:
    """What texts exercise.

    Attributes:
        texts: how many were run, by locale.
        patterns: every pattern of a rule, and the texts that it matches in.
        statements: every statement of a rule or a word list, by file and line, and the texts on which it runs.
        templates: every template by slug, and the texts that it answers.
        owners: the rules of each pattern.
        exampled: the patterns that stand in an example of the rails.
    """

    texts: Hits = field(default_factory=Counter[str])
    patterns: dict[Pattern, Hits] = field(default_factory=dict[Pattern, Hits])
    statements: dict[tuple[str, int], Hits] = field(default_factory=dict[tuple[str, int], Hits])
    templates: dict[str, Hits] = field(default_factory=dict[str, Hits])
    owners: Mapping[Pattern, tuple[str, ...]] = field(default_factory=dict[Pattern, tuple[str, ...]])
    exampled: set[Pattern] = field(default_factory=set[Pattern])

    @property
    def dead(self) -> list[Pattern]:
        """Patterns that no text exercises, by place."""
        return sorted((arm for arm, hits in self.patterns.items() if not hits), key=lambda a: (a.file, a.line, a.regex))

    def rows(self) -> list[tuple[str, list[tuple[int, int]]]]:
        """For a table: what, and of the whole and then of each locale how many of how many are exercised."""
        return [
            (what, [_share(things.values(), locale) for locale in ("", *LOCALES)])
            for what, things in (
                ("patterns", self.patterns),
                ("statements", self.statements),
                ("templates", self.templates),
            )
        ]

    def by_file(self) -> dict[str, Lives]:
        """Of each file, what its patterns are exercised by."""
        return self._counted(lambda arm: (arm.file,))

    def by_rule(self) -> dict[str, Lives]:
        """Of each rule, what its patterns are exercised by; a pattern of several rules counts for each."""
        return self._counted(lambda arm: self.owners[arm])

    def life(self, arm: Pattern) -> Life:
        """What a pattern is exercised by: texts, else only examples, else nothing."""
        return "texts" if self.patterns[arm] else "examples" if arm in self.exampled else "nothing"

    def _counted(self, homes: Callable[[Pattern], Iterable[str]]) -> dict[str, Lives]:
        found: defaultdict[str, Lives] = defaultdict(Counter)
        for arm in self.patterns:
            for home in homes(arm):
                found[home][self.life(arm)] += 1
        return dict(sorted(found.items()))

    def to_json(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "texts": dict(self.texts),
            "summary": {what: dict(zip(("all", *LOCALES), counts, strict=True)) for what, counts in self.rows()},
            "patterns": [
                {
                    "file": arm.file,
                    "line": arm.line,
                    "pattern": arm.regex,
                    "rules": self.owners[arm],
                    "texts": dict(hits),
                }
                for arm, hits in self.patterns.items()
            ],
            "statements": [
                {"file": file, "line": line, "texts": dict(hits)} for (file, line), hits in self.statements.items()
            ],
            "templates": {slug: dict(hits) for slug, hits in self.templates.items()},
            "dead": [
                {"file": arm.file, "line": arm.line, "pattern": arm.regex, "hit_by": self.life(arm)}
                for arm in self.dead
            ],
            "rules": {rule: dict(lives) for rule, lives in self.by_rule().items()},
        }


def _share(hits: Iterable[Hits], locale: str) -> tuple[int, int]:
    every = list(hits)
    return sum(bool(one[locale]) if locale else bool(one) for one in every), len(every)


def cover(policy: Policy, turns: Iterable[Turn], settings: Settings) -> Coverage:
    """Run the rules on turns.

    Args:
        policy: compiled from a directory.
        turns: each with its locale.
        settings: profile and numbers, which choose the template.
    """
    running: set[str] = set()
    told = policy.traced(running.add)
    arms = Arms(policy)
    found = Coverage(owners=arms.owners)
    found.patterns = {arm: Counter() for arm in arms.owners}
    found.statements = {place: Counter() for each in told.places() if (place := _place(each))}
    found.templates = {slug: Counter() for slug in policy.templates}
    for example in policy.examples:
        said = prepare(Turn.of(example.text, locale=None)).text
        found.exampled |= arms.within(said) if said else set()
    for turn in turns:
        prepared = prepare(turn, max_chars=settings.profile.max_chars)
        locale = prepared.locale
        found.texts[locale] += 1
        running.clear()
        hits = told.check(prepared.text) if prepared.text else ()
        decision = resolve(Findings(hits=hits), prepared, turn.country, policy, settings, "native")
        for each in running:
            if place := _place(each):
                found.statements[place][locale] += 1
        for arm in arms.within(prepared.text) if prepared.text else ():
            found.patterns[arm][locale] += 1
        for slug in {decision.template_slug, decision.slug} & found.templates.keys():
            if slug:
                found.templates[slug][locale] += 1
    return found


def _place(told: str) -> tuple[str, int] | None:
    """File and line of `file:line, flow name`; None for a flow that is only an order."""
    where, _, flow = told.partition(", flow ")
    file, _, line = where.rpartition(":")
    return None if flow in _ORDER else (file, int(line))
