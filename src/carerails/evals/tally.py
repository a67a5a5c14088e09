"""Tallies: rows added up, one at a time or whole tallies at once, so that a run of any length needs little memory."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from carerails.contracts import LOCALES, Frozen
from carerails.evals.cases import Bounds
from carerails.evals.rows import Row
from carerails.evals.stats import Rate, f_beta, mean_interval, percentile, rate


class Latency(Frozen):
    """Microseconds a check; None where nothing was timed."""

    p50: float | None
    p95: float | None


class Cost(Frozen):
    """Mean weighted cost a labelled case, with its 95 % bootstrap interval."""

    mean: float
    low: float
    high: float


class Score(Frozen):
    """An engine on a slice, or on a part of it.

    Attributes:
        by: what the part is of: all of it, one locale, one category of the gold label, or one attack.
        f2: of precision and recall, recall weighing twice (F-beta with beta 2); None where either is missing.
    """

    engine: str
    slice: str
    part: str
    by: str = "all"
    cases: int
    failed: int
    rates: Mapping[str, Rate]
    f2: float | None = None
    cost: Cost
    latency_us: Latency


@dataclass
class Tally:
    """What is known of a number of rows."""

    cases: int = 0
    failed: int = 0
    counts: dict[str, list[int]] = field(default_factory=dict[str, "list[int]"])
    costs: Counter[int] = field(default_factory=Counter[int])
    times: array[float] = field(default_factory=lambda: array("f"))
    groups: dict[str, set[str]] = field(default_factory=dict[str, "set[str]"])

    def add(self, row: Row, grouped: bool = False) -> None:
        """Count one row; `grouped` counts whether the parallel cases of a group are decided alike."""
        self.cases += 1
        self.failed += row.failed
        for metric, (hits, of) in row.metrics.items():
            total = self.counts.setdefault(metric, [0, 0])
            total[0] += hits
            total[1] += of
        if row.cost is not None:
            self.costs[row.cost] += 1
        if row.latency_us is not None:
            self.times.append(row.latency_us)
        if grouped and row.group:
            self.groups.setdefault(row.group, set()).add(row.outcome)

    def merge(self, other: Tally) -> None:
        """Count all that another tally has counted."""
        self.cases += other.cases
        self.failed += other.failed
        for metric, (hits, of) in other.counts.items():
            total = self.counts.setdefault(metric, [0, 0])
            total[0] += hits
            total[1] += of
        self.costs += other.costs
        self.times.extend(other.times)
        for group, outcomes in other.groups.items():
            self.groups.setdefault(group, set()).update(outcomes)

    def score(self, engine: str, piece: str, part: str, by: str = "all") -> Score:
        """All metrics that apply."""
        counts = {metric: (hits, of) for metric, (hits, of) in self.counts.items()}
        if not {"recall", "false_alarm"} <= counts.keys():
            counts.pop(
                "precision", None
            )  # without both sides it says how the data were chosen, not how they were judged
        if self.groups:
            same = sum(len(outcomes) == 1 for outcomes in self.groups.values())
            counts["parallel_agreement"] = (same, len(self.groups))
        mean, low, high = mean_interval(self.costs)
        rates = {metric: rate(*pair) for metric, pair in counts.items()}
        return Score(
            engine=engine,
            slice=piece,
            part=part,
            by=by,
            cases=self.cases,
            failed=self.failed,
            rates=rates,
            f2=f_beta(rates.get("precision"), rates.get("recall"), beta=2),
            cost=Cost(mean=mean, low=low, high=high),
            latency_us=Latency(p50=percentile(self.times, 0.5), p95=percentile(self.times, 0.95)),
        )


#: What a part is of, and which part a row belongs to.
PARTS: Mapping[str, Callable[[Row], str | None]] = {
    "all": lambda row: "all",
    "locale": lambda row: row.locale,
    "category": lambda row: row.category,
    "attack": lambda row: row.group,
}


@dataclass
class Tallies:
    """One engine's rows by slice and part.

    Attributes:
        attacked: the slices whose groups are attacks.
        unstable: repeats that decide otherwise than the first. The repeats of a case are added one after the other.
    """

    attacked: frozenset[str] = frozenset()
    unstable: int = 0
    parts: dict[tuple[str, str, str], Tally] = field(default_factory=dict[tuple[str, str, str], Tally])
    _first: str = ""

    def add(self, row: Row) -> None:
        """Count a row in each part that it belongs to."""
        if row.repeat == 0:
            self._first = row.say()
        else:
            self.unstable += row.say() != self._first
        for by, part_of in PARTS.items():
            part = part_of(row)
            if part is not None and (by != "attack" or row.slice in self.attacked):
                grouped = by == "all" and row.slice not in self.attacked
                self.parts.setdefault((row.slice, by, part), Tally()).add(row, grouped)

    def merge(self, other: Tallies) -> None:
        """Count all that another one has counted."""
        self.unstable += other.unstable
        for key, tally in other.parts.items():
            self.parts.setdefault(key, Tally()).merge(tally)

    @property
    def failed(self) -> int:
        """Rows with a failed check."""
        return sum(tally.failed for (_, by, _), tally in self.parts.items() if by == "all")

    @property
    def rows(self) -> int:
        """Rows counted."""
        return sum(tally.cases for (_, by, _), tally in self.parts.items() if by == "all")

    def scores(self, engine: str) -> list[Score]:
        """Scores of every part, a slice whole first, then its locales, attacks and categories."""
        order = {locale: number for number, locale in enumerate(LOCALES)}
        rank = ("all", "locale", "attack", "category")
        slices = list(dict.fromkeys(piece for piece, _, _ in self.parts))
        keys = sorted(
            self.parts,
            key=lambda key: (
                slices.index(key[0]),
                rank.index(key[1]),
                order.get(key[2], 0),
                key[1] == "category" and key[2],
            ),
        )
        return [self.parts[piece, by, part].score(engine, piece, part, by) for piece, by, part in keys]


def tally(rows: Iterable[Row], attacked: Iterable[str] = ()) -> Tallies:
    """All rows counted."""
    tallies = Tallies(frozenset(attacked))
    for row in rows:
        tallies.add(row)
    return tallies


class Verdict(Frozen):
    """One condition of a slice's pass rule, and whether it holds. `value` is None where it cannot be computed."""

    engine: str
    slice: str
    part: str
    metric: str
    value: float | None
    bound: str
    passed: bool

    def say(self) -> str:
        """The condition and the value in a few words."""
        part = f" ({self.part})" if self.part != "all" else ""
        value = "cannot be computed" if self.value is None else f"{self.value:g}"
        return f"{self.slice}{part}, {self.engine}: {self.metric} {value}, must be {self.bound}"


def judge_rates(
    engine: str, name: str, parts: Mapping[str, tuple[Mapping[str, Bounds], Mapping[str, Rate]]]
) -> list[Verdict]:
    """The published rule of a slice that is scored by rates: by part, its bounds and what was reached.

    A metric that could not be computed fails.
    """
    return [
        Verdict(
            engine=engine,
            slice=name,
            part=part,
            metric=metric,
            value=None if value is None else round(value, 4),
            bound=str(bounds),
            passed=bounds.hold(value),
        )
        for part, (rule, rates) in parts.items()
        for metric, bounds in rule.items()
        for value in [rates[metric].value if metric in rates else None]
    ]


def judge(
    rule: Mapping[str, Bounds], scores: Sequence[Score], each_locale: Mapping[str, Bounds] | None = None
) -> list[Verdict]:
    """A slice's published rule applied to the scores of one engine on it.

    `recall_drop` compares each attack of a derived slice with the unattacked cases; every other metric is of the whole
    slice, or, in `each_locale`, of every locale by itself. A metric that could not be computed fails.
    """
    whole = next(score for score in scores if score.by == "all")
    found = [
        (part, metric, bounds, value)
        for metric, bounds in rule.items()
        for part, value in (_drops(scores) if metric == "recall_drop" else [("all", _value(whole, metric))])
    ]
    by_locale = {score.part: score for score in scores if score.by == "locale"}
    found += [
        (locale, metric, bounds, _value(by_locale.get(locale), metric))
        for locale in LOCALES
        for metric, bounds in (each_locale or {}).items()
    ]
    return [
        Verdict(
            engine=whole.engine,
            slice=whole.slice,
            part=part,
            metric=metric,
            value=None if value is None else round(value, 4),
            bound=str(bounds),
            passed=bounds.hold(value),
        )
        for part, metric, bounds, value in found
    ]


def _value(score: Score | None, metric: str) -> float | None:
    found = score.rates.get(metric) if score else None
    return found.value if found else None


def _drops(scores: Sequence[Score]) -> list[tuple[str, float | None]]:
    recalls = {score.part: _value(score, "recall") for score in scores if score.by == "attack"}
    plain = recalls.pop("none", None)
    return [
        (attack, None if plain is None or recall is None else max(0.0, plain - recall))
        for attack, recall in recalls.items()
    ]


def parity(scores: Iterable[Score]) -> dict[str, dict[str, dict[str, float]]]:
    """By slice and metric, each locale's rate over the best locale's: 1 is parity (higher is better metrics only)."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    by_slice: dict[str, list[Score]] = {}
    for score in scores:
        if score.by == "locale":
            by_slice.setdefault(score.slice, []).append(score)
    for piece, locales in by_slice.items():
        for metric in ("recall", "precision", "refused", "right"):
            values = {score.part: value for score in locales if (value := _value(score, metric)) is not None}
            best = max(values.values(), default=0.0)
            if len(values) > 1 and best > 0:
                found.setdefault(piece, {})[metric] = {locale: round(v / best, 4) for locale, v in values.items()}
    return found
