"""A comparison on the terminal: a table a slice, the rules that do not hold, the first disagreements."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from carerails.evals.comparison import Comparison
from carerails.evals.runs import Summary
from carerails.evals.stats import Rate
from carerails.evals.tally import Score, Verdict

if TYPE_CHECKING:
    from rich.table import Table

#: Column title and metric, in reading order; a slice shows those that it can compute.
COLUMNS: tuple[tuple[str, str], ...] = (
    ("recall", "recall"),
    ("precision", "precision"),
    ("false alarms", "false_alarm"),
    ("urgent", "urgent_recall"),
    ("check-in", "check_in_recall"),
    ("refused", "refused"),
    ("over-refusal", "over_refusal"),
    ("parallel", "parallel_agreement"),
    ("right", "right"),
    ("unsupported", "unsupported"),
)
SHOWN = 10
PIPE_WIDTH = 200


def show(comparison: Comparison) -> None:
    """Print to stdout; plain text in a pipe."""
    from rich.console import Console

    terminal = sys.stdout.isatty()
    console = Console(file=sys.stdout, highlight=False, markup=False, width=None if terminal else PIPE_WIDTH)
    mode = "behind the always-on gate" if comparison.gated else "bare"
    console.print(
        f"Engines {mode}; rates in per cent [95 % interval]; cost: a missed emergency weighs 20 false alarms\n"
    )
    for piece in comparison.slices:
        wholes = [score for score in comparison.scores if score.slice == piece.name and score.by == "all"]
        if wholes:
            console.print(_table(f"{piece.name}, {wholes[0].cases} cases", wholes))
    for line in (*_verdicts(comparison.verdicts), *_ratios(comparison), *_disagreements(comparison)):
        console.print(line, soft_wrap=True)


def show_run(summary: Summary) -> None:
    """Print one run to stdout, by slice and locale."""
    from rich.console import Console

    terminal = sys.stdout.isatty()
    console = Console(file=sys.stdout, highlight=False, markup=False, width=None if terminal else PIPE_WIDTH)
    mode = " behind the always-on gate" if summary.run.gated else ""
    console.print(
        f"{summary.run.engine.name}{mode}; rates in per cent [95 % interval]; "
        "cost: a missed emergency weighs 20 false alarms\n"
    )
    for piece in summary.run.slices:
        scores = [score for score in summary.scores if score.slice == piece.name and score.by in ("all", "locale")]
        if scores:
            console.print(_table(f"{piece.name}, {scores[0].cases} cases", scores, "part"))
    for line in _verdicts(summary.verdicts):
        console.print(line, soft_wrap=True)
    if summary.unstable:
        console.print(f"{summary.unstable} repeats decided otherwise than the first")


def _table(title: str, wholes: Sequence[Score], first: str = "engine") -> Table:
    from rich import box
    from rich.table import Table

    columns = [column for column in COLUMNS if any(column[1] in score.rates for score in wholes)]
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold", pad_edge=False)
    for name in (first, *(name for name, _ in columns), "cost", "failed", "p50 us", "p95 us"):
        table.add_column(name, justify="left" if name == first else "right", min_width=len(name))
    for score in wholes:
        table.add_row(
            score.engine if first == "engine" else score.part,
            *(percent(score.rates.get(metric)) for _, metric in columns),
            f"{score.cost.mean:.2f}",
            str(score.failed),
            *(f"{value:,.0f}" if value else "-" for value in (score.latency_us.p50, score.latency_us.p95)),
        )
    return table


def percent(rate: Rate | None) -> str:
    """A rate with its interval, in per cent."""
    if rate is None or rate.value is None or rate.low is None or rate.high is None:
        return "-"
    return f"{100 * rate.value:.1f} [{100 * rate.low:.0f}-{100 * rate.high:.0f}]"


def _verdicts(verdicts: Sequence[Verdict]) -> list[str]:
    broken = [verdict for verdict in verdicts if not verdict.passed]
    if verdicts and not broken:
        return [f"PASS  all {len(verdicts)} conditions of the slices hold"]
    return [f"FAIL  {verdict.say()}" for verdict in broken]


def _ratios(comparison: Comparison) -> list[str]:
    return [
        f"A check of {name} takes {ratio:.0f} times as long as one of {quickest} (medians)"
        for name, quickest, ratio in comparison.latency_ratio()
    ]


def _disagreements(comparison: Comparison) -> list[str]:
    if len(comparison.engines) < 2:
        return []
    lines = [f"{len(comparison.disagreements)} disagreements between engines"]
    for entry in comparison.disagreements[:SHOWN]:
        decisions = ", ".join(f"{engine}: {decision}" for engine, decision in entry.decisions.items())
        lines.append(f"  {entry.slice}/{entry.id}  {decisions}  {entry.text[:100]!r}")
    return lines
