"""What two sides decide otherwise, case by case: each flip with its text, both decisions, and the rules behind them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal

from carerails.contracts import Frozen
from carerails.evals.drift import hit
from carerails.evals.paired import Changes, Pairing, Side, by_case, worst
from carerails.evals.rows import Row

Grade = Literal["safer", "worse", "other"]
GRADES: tuple[Grade, ...] = ("worse", "safer", "other")
Kind = Literal[
    "caught",
    "missed",
    "failed",
    "false alarm",
    "false alarm gone",
    "over-refusal",
    "over-refusal gone",
    "wrong",
    "right",
    "other",
]


class Decided(Frozen):
    """One side of a flip: the decision, and the rule with its place in the rails."""

    said: str
    rule: str | None = None
    file: str | None = None
    line: int | None = None

    @classmethod
    def of(cls, row: Row) -> Decided:
        """What came of a row."""
        return cls(said=row.say(), rule=row.rule, file=row.file, line=row.line)

    def __str__(self) -> str:
        place = f" ({self.file}:{self.line})" if self.file else ""
        return f"{self.said} by {self.rule}{place}" if self.rule else self.said


class Flip(Frozen):
    """A case that is decided otherwise, as the decision table sees it."""

    slice: str
    id: str
    locale: str
    category: str | None
    gold: str
    text: str
    grade: Grade
    kind: Kind
    was: Decided
    now: Decided


def _caught(row: Row) -> int:
    """Emergencies and crises that were caught; a conversation may hold several."""
    return row.metrics.get("recall", (0, 0))[0]


def _more(metric: str) -> Callable[[Row, Row], bool]:
    return lambda was, now: hit(was, metric) is False and hit(now, metric) is True


def _fewer(metric: str) -> Callable[[Row, Row], bool]:
    return lambda was, now: hit(was, metric) is True and hit(now, metric) is False


#: What a flip is, the gravest first: the first that applies names it.
KINDS: tuple[tuple[Kind, Grade, Callable[[Row, Row], bool]], ...] = (
    ("missed", "worse", lambda was, now: _caught(was) > _caught(now)),
    ("caught", "safer", lambda was, now: _caught(was) < _caught(now)),
    ("failed", "worse", lambda was, now: now.failed and not was.failed),
    ("false alarm", "worse", _more("false_alarm")),
    ("false alarm gone", "safer", _fewer("false_alarm")),
    ("over-refusal", "worse", _more("over_refusal")),
    ("over-refusal gone", "safer", _fewer("over_refusal")),
    ("wrong", "worse", _fewer("right")),
    ("right", "safer", _more("right")),
)


def flip(was: Row, now: Row) -> Flip | None:
    """What changed; None where the decision and its score are the same."""
    if was.say() == now.say() and was.metrics == now.metrics and was.cost == now.cost:
        return None
    kind, grade = _named(was, now)
    return Flip(
        slice=now.slice,
        id=now.id,
        locale=now.locale,
        category=now.category,
        gold=now.gold,
        text=now.text or was.text,
        grade=grade,
        kind=kind,
        was=Decided.of(was),
        now=Decided.of(now),
    )


def _named(was: Row, now: Row) -> tuple[Kind, Grade]:
    for kind, grade, applies in KINDS:
        if applies(was, now):
            return kind, grade
    return "other", "other"


class Diff(Frozen):
    """All flips between two sides."""

    before: str
    after: str
    pairs: int
    flips: tuple[Flip, ...]
    cases: Changes

    def count(self, of: Callable[[Flip], str]) -> dict[str, Counter[str]]:
        """Flips by a property of theirs, each with its grades."""
        found: dict[str, Counter[str]] = {}
        for one in self.flips:
            found.setdefault(of(one), Counter())[one.grade] += 1
        return found

    def graded(self, grade: Grade) -> Sequence[Flip]:
        """The flips of one grade, by kind."""
        order = [kind for kind, _, _ in KINDS]
        chosen = [one for one in self.flips if one.grade == grade]
        return sorted(chosen, key=lambda one: order.index(one.kind) if one.kind in order else len(order))


def diff(before: Side, after: Side) -> Diff:
    """Every flip; the rows of `before` are indexed, those of `after` go by one at a time.

    Raises:
        UsageError: a broken row.
    """
    pairing = Pairing(by_case(worst(before.rows())))
    pairs = 0
    flips: list[Flip] = []
    for was, now in pairing.pairs(worst(after.rows())):
        pairs += 1
        if found := flip(was, now):
            flips.append(found)
    return Diff(before=before.where, after=after.where, pairs=pairs, flips=tuple(flips), cases=pairing.changes())
