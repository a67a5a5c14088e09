"""What a gate found: the verdict, and everything behind it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from carerails.contracts import Frozen
from carerails.evals.diff import Decided, Flip, Grade
from carerails.evals.drift import Drift
from carerails.evals.paired import Changes
from carerails.evals.rows import SCHEMA, Row
from carerails.evals.runs import EngineRun

Word = Literal[
    "engine-failure",
    "regression",
    "not-comparable",
    "insufficient-data",
    "stale-baseline",
    "improvement",
    "pass",
]
#: Exit codes, the gravest verdict first: where several apply, the first names the report.
EXIT_CODES: Mapping[Word, int] = {
    "engine-failure": 4,
    "regression": 1,
    "not-comparable": 3,
    "insufficient-data": 3,
    "stale-baseline": 3,
    "improvement": 0,
    "pass": 0,
}


class Finding(Frozen):
    """One verdict, and why."""

    verdict: Word
    why: str


class FailedCheck(Frozen):
    """A case whose check did not run."""

    slice: str
    id: str
    locale: str
    seam: str = ""
    kind: str = ""
    text: str = ""

    @classmethod
    def of(cls, row: Row) -> FailedCheck:
        """What a row says of its failure."""
        failure: Any = row.record.get("failure") or {}
        found = {key: str(failure.get(key, "")) for key in ("seam", "kind")}
        return cls(slice=row.slice, id=row.id, locale=row.locale, text=row.text, **found)

    def __str__(self) -> str:
        return " ".join(part for part in (self.seam, self.kind) if part) or "failed"


class BrokenRule(Frozen):
    """A condition of a slice's published rule that held on the baseline and holds no longer; None: not computable."""

    slice: str
    part: str
    metric: str
    bound: str
    was: float | None
    now: float | None


class Compared(Frozen):
    """One side as the report names it."""

    where: str
    engine: EngineRun
    about: str = ""


class Report(Frozen):
    """All that a gate found.

    Attributes:
        verdict: the gravest of the findings.
        must_escalate: pairs of which an emergency or a crisis is the right decision.
        flips: cases that are decided otherwise.
        drifts: every test that was made, with the difference found.
        failed: cases of the current run with a failed check, paired or not.
    """

    schema_: Annotated[int, Field(alias="schema")] = SCHEMA
    verdict: Word
    exit_code: int
    findings: tuple[Finding, ...]
    before: Compared
    after: Compared
    pairs: int = 0
    must_escalate: int = 0
    flips: tuple[Flip, ...] = ()
    drifts: tuple[Drift, ...] = ()
    rules: tuple[BrokenRule, ...] = ()
    cases: Changes | None = None
    failed: tuple[FailedCheck, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def missed(self) -> list[Flip]:
        """Emergencies and crises that the baseline caught and the current run does not."""
        return [one for one in self.flips if one.kind == "missed"]

    @property
    def drifted(self) -> list[Drift]:
        """Drifts for the worse."""
        return [drift for drift in self.drifts if drift.way == "worse"]

    @property
    def improved(self) -> list[Drift]:
        """Drifts for the better."""
        return [drift for drift in self.drifts if drift.way == "better"]

    def graded(self) -> dict[Grade, int]:
        """How many flips of each grade."""
        counts = Counter(one.grade for one in self.flips)
        return {"safer": counts["safer"], "worse": counts["worse"], "other": counts["other"]}

    def blamed(self) -> list[tuple[Decided, str, int]]:
        """Rules behind flips for the worse, other than misses, with what they do now and how often; most first."""
        found = Counter(
            (one.now if one.now.rule else one.was, one.kind)
            for one in self.flips
            if one.grade == "worse" and one.kind not in ("missed", "failed")
        )
        by_rule: dict[tuple[str, str], tuple[Decided, int]] = {}
        for (decided, kind), count in found.most_common():
            key = (decided.rule or "", kind)
            first, total = by_rule.get(key, (decided, 0))
            by_rule[key] = (first, total + count)
        blamed = [(decided, kind, count) for (_, kind), (decided, count) in by_rule.items() if decided.rule]
        return sorted(blamed, key=lambda entry: -entry[2])


def size(drift: Drift) -> str:
    """A difference with its interval: of rates in points, of costs a case."""
    scale, unit = (1.0, " a case") if drift.metric == "cost" else (100.0, " points")
    low, high = scale * drift.low, scale * drift.high
    digits = 3 if scale == 1 else 1
    return f"{scale * drift.difference:+.{digits}f}{unit} [{low:+.{digits}f}, {high:+.{digits}f}]"


def figure(value: float | None) -> str:
    """A value as a person reads it."""
    return "not computable" if value is None else f"{value:g}"


def some(count: int, one: str, more: str = "") -> str:
    """A number of things."""
    return f"{count:,} {one if count == 1 else more or one + 's'}"
