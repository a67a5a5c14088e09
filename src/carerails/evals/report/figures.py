"""Figures as a page shows them: every rate with its interval as a bar, and the link to the cases behind it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from carerails.evals.report.links import listing
from carerails.evals.report.sources import SliceHead, Subject
from carerails.evals.stats import Rate
from carerails.evals.tally import Score, parity


@dataclass(frozen=True)
class Metric:
    """How a rate is read.

    Attributes:
        bad: the filter that lists the cases which spoil it.
        low_is_good: fewer is better.
    """

    name: str
    title: str
    about: str
    bad: str = ""
    low_is_good: bool = False


#: In reading order; a slice shows those that it can compute.
METRICS = (
    Metric("recall", "Recall", "emergencies and crises caught", "missed"),
    Metric("precision", "Precision", "emergency and crisis decisions that were due", "false-alarm"),
    Metric("false_alarm", "False alarms", "of cases where no emergency or crisis is due", "false-alarm", True),
    Metric("urgent_instead", "Urgent instead", "of emergencies and crises", "missed", True),
    Metric("check_in_instead", "Check-in instead", "of emergencies and crises", "missed", True),
    Metric("urgent_recall", "Urgent", "caught, or escalated further"),
    Metric("check_in_recall", "Check-in", "asked, or escalated"),
    Metric("refused", "Refused", "of cases to refuse, or escalated"),
    Metric("slug_right", "Reason", "of refusals, the right slug"),
    Metric("template_right", "Template", "the right text shown"),
    Metric("severity_right", "Severity", "of escalations, the right one"),
    Metric("over_refusal", "Over-refusal", "of cases to be answered", "over-refusal", True),
    Metric("parallel_agreement", "Parallel", "groups decided alike in all locales"),
    Metric("right", "Right", "exactly what the gold label says", "wrong"),
)
#: Shown elsewhere, or only where they are not nothing.
QUIET = frozenset(("failed", "urgent_instead", "check_in_instead", "urgent_false_alarm", "check_in_false_alarm"))
PARTS = {"locale": "By locale", "category": "By category", "attack": "By attack"}


@dataclass(frozen=True)
class Cell:
    """A rate: its words, its bar in per cent of the width, and where its bad cases are listed."""

    value: str
    interval: str
    count: str
    bar: tuple[float, float, float]
    link: str = ""


@dataclass(frozen=True)
class MetricRow:
    """One metric of a whole slice, run by run; None where it does not apply."""

    metric: Metric
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True)
class PartRow:
    """One run on a part of a slice; `first` of the runs names the part."""

    part: str
    run: str
    first: bool
    cases: int
    cells: tuple[Cell | None, ...]
    score: Score


@dataclass(frozen=True)
class Breakdown:
    """A slice by locale, category or attack."""

    by: str
    title: str
    metrics: tuple[Metric, ...]
    rows: tuple[PartRow, ...]


@dataclass(frozen=True)
class Parity:
    """Each locale's rate over the best locale's, for one metric and run."""

    metric: str
    run: str
    ratios: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Figures:
    """All figures of one slice."""

    head: SliceHead
    wholes: tuple[Score | None, ...]
    rows: tuple[MetricRow, ...]
    breakdowns: tuple[Breakdown, ...]
    parity: tuple[Parity, ...]


def figures(subject: Subject) -> list[Figures]:
    """The figures of every slice, in the order of the slices."""
    return [_of_slice(subject, head) for head in subject.slices]


def _of_slice(subject: Subject, head: SliceHead) -> Figures:
    scores = [score for score in subject.scores if score.slice == head.name]
    labels = [run.label for run in subject.runs]
    wholes = {score.engine: score for score in scores if score.by == "all"}
    return Figures(
        head=head,
        wholes=tuple(wholes.get(label) for label in labels),
        rows=tuple(
            MetricRow(metric, tuple(_cell(wholes[label], metric) if label in wholes else None for label in labels))
            for metric in _metrics(wholes.values())
        ),
        breakdowns=tuple(
            _breakdown(by, title, labels, found)
            for by, title in PARTS.items()
            if (found := [score for score in scores if score.by == by])
        ),
        parity=tuple(_parity(labels, scores)),
    )


def _metrics(scores: Iterable[Score]) -> tuple[Metric, ...]:
    """Those that any of the scores has: the ones we know in their order, then any other."""
    rates: dict[str, list[Rate]] = {}
    for score in scores:
        for name, rate in score.rates.items():
            rates.setdefault(name, []).append(rate)
    known = [metric for metric in METRICS if metric.name in rates]
    others = [Metric(name, name.replace("_", " ").capitalize(), "") for name in rates if name not in _KNOWN]
    return tuple(
        metric
        for metric in (*known, *others)
        if metric.name not in QUIET or (metric in known and any(rate.hits for rate in rates[metric.name]))
    )


_KNOWN = frozenset(metric.name for metric in METRICS)


def _cell(score: Score, metric: Metric) -> Cell | None:
    rate = score.rates.get(metric.name)
    if rate is None or rate.value is None or rate.low is None or rate.high is None:
        return None
    perfect = rate.hits == 0 if metric.low_is_good else rate.hits == rate.of
    filters = {"slice": score.slice, "engine": score.engine, "is_": metric.bad}
    if score.by in ("locale", "category"):
        filters[score.by] = score.part
    return Cell(
        value=f"{100 * rate.value:.1f}",
        interval=f"{100 * rate.low:.1f}–{100 * rate.high:.1f}",
        count=f"{rate.hits:,} of {rate.of:,}",
        bar=(round(100 * rate.value, 1), round(100 * rate.low, 1), round(100 * rate.high, 1)),
        link=listing(**filters) if metric.bad and not perfect and score.by != "attack" else "",
    )


def _breakdown(by: str, title: str, labels: Sequence[str], scores: Sequence[Score]) -> Breakdown:
    metrics = _metrics(scores)
    found = {(score.part, score.engine): score for score in scores}
    rows: list[PartRow] = []
    for part in dict.fromkeys(score.part for score in scores):
        present = [found[part, label] for label in labels if (part, label) in found]
        rows += [
            PartRow(
                part=part,
                run=score.engine,
                first=number == 0,
                cases=score.cases,
                cells=tuple(_cell(score, metric) for metric in metrics),
                score=score,
            )
            for number, score in enumerate(present)
        ]
    return Breakdown(by, title, metrics, tuple(rows))


def _parity(labels: Sequence[str], scores: Sequence[Score]) -> Iterable[Parity]:
    titles = {metric.name: metric.title for metric in METRICS}
    for label in labels:
        for metrics in parity(score for score in scores if score.engine == label).values():
            for metric, ratios in metrics.items():
                yield Parity(titles[metric], label, tuple(ratios.items()))
