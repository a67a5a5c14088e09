"""What two states of the rails decide otherwise, grouped by the rule that made the difference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from carerails.contracts import LOCALES
from carerails.evals.diff import GRADES, Flip, Grade, flip
from carerails.evals.work import Item, Job, Worker


@dataclass(frozen=True)
class RailsDiff:
    """Flips between two states of the rails.

    Attributes:
        texts: how many were decided on both.
        flips: those that were decided otherwise. Safer and worse are by the gold label; `other` has none.
    """

    texts: int
    flips: tuple[Flip, ...]

    def count(self, grade: Grade) -> int:
        """How many flips are of a grade."""
        return sum(one.grade == grade for one in self.flips)

    def by_rule(self) -> list[tuple[str, Sequence[Flip]]]:
        """The flips of each rule, the rule with most that are worse first."""
        groups: dict[str, list[Flip]] = {}
        for one in self.flips:
            groups.setdefault(rule_of(one), []).append(one)
        ranked = {rule: sorted(flips, key=lambda one: GRADES.index(one.grade)) for rule, flips in groups.items()}
        return sorted(ranked.items(), key=lambda group: (-Counter(f.grade for f in group[1])["worse"], -len(group[1])))

    def to_json(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "texts": self.texts,
            "flips": len(self.flips),
            **{grade: self.count(grade) for grade in GRADES},
            "rules": [
                {
                    "rule": rule,
                    **{grade: sum(one.grade == grade for one in flips) for grade in GRADES},
                    "locales": {locale: sum(one.locale == locale for one in flips) for locale in LOCALES},
                    "flips": [one.model_dump() for one in flips],
                }
                for rule, flips in self.by_rule()
            ],
        }


def rule_of(one: Flip) -> str:
    """The rule that made the difference: the one that decides now, else the one that did."""
    if one.now.rule and one.now.rule != one.was.rule:
        return one.now.rule
    return one.was.rule or one.now.rule or "no rule"


def compare_rails(before: Path, after: Path, items: Iterable[Item], engine: str = "native") -> RailsDiff:
    """Decide the same cases on both.

    Raises:
        UsageError: rails that do not compile, or an engine that cannot be opened.
    """
    every = list(items)
    flips: list[Flip] = []
    one, other = Worker(Job(engine, before)), Worker(Job(engine, after))
    try:
        for was, now in zip(one.rows(every), other.rows(every), strict=True):
            if found := flip(was, now):
                flips.append(found)
    finally:
        one.close()
        other.close()
    return RailsDiff(len(every), tuple(flips))
