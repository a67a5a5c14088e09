"""A comparison on the terminal: one table of figures, the rules that do not hold, the first disagreements."""

from __future__ import annotations

import sys
from collections.abc import Callable

from carerails.evals.comparison import Comparison
from carerails.evals.stats import Rate

#: Column title and metric, in reading order; a column without a figure in any row is not shown.
COLUMNS: tuple[tuple[str, str], ...] = (
    ("recall", "recall"),
    ("precision", "precision"),
    ("false alarms", "false_alarm"),
    ("urgent recall", "urgent_recall"),
    ("check-in recall", "check_in_recall"),
    ("refused", "refused"),
    ("over-refusal", "over_refusal"),
    ("parallel", "parallel_agreement"),
    ("right", "right"),
)
SHOWN = 10


def show(comparison: Comparison) -> None:
    """Print to stdout; plain text in a pipe, colours on a terminal."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    console = Console(file=sys.stdout, highlight=False, markup=False, width=None if sys.stdout.isatty() else 170)
    wholes = [score for score in comparison.scores if score.part == "all"]
    columns = [column for column in COLUMNS if any(column[1] in score.rates for score in wholes)]
    mode = " behind the always-on gate" if comparison.gated else ""
    table = Table(box=box.SIMPLE_HEAD, title=f"Engines{mode}, 95 % intervals", title_justify="left")
    for title in ("slice", "engine", "cases", *(title for title, _ in columns), "cost", "failed", "p50 us", "p95 us"):
        table.add_column(title, justify="left" if title in ("slice", "engine") else "right", no_wrap=True)
    last = ""
    for score in sorted(wholes, key=lambda score: [piece.name for piece in comparison.slices].index(score.slice)):
        table.add_row(
            "" if score.slice == last else score.slice,
            score.engine,
            str(score.cases),
            *(percent(score.rates.get(metric)) for _, metric in columns),
            f"{score.cost.mean:.2f}",
            str(score.failed),
            *(f"{value:,.0f}" if value else "-" for value in (score.latency_us.p50, score.latency_us.p95)),
        )
        last = score.slice
    console.print(table)
    _show_verdicts(comparison, console.print)
    for name, quickest, ratio in comparison.latency_ratio():
        console.print(f"{name} takes {ratio:.0f} times as long as {quickest} (median of a check)")
    _show_disagreements(comparison, console.print)


def percent(rate: Rate | None) -> str:
    """A rate with its interval, in per cent."""
    if rate is None or rate.value is None or rate.low is None or rate.high is None:
        return "-"
    return f"{100 * rate.value:.1f} [{100 * rate.low:.0f}-{100 * rate.high:.0f}]"


def _show_verdicts(comparison: Comparison, write: Callable[[str], None]) -> None:
    for verdict in comparison.verdicts:
        if not verdict.passed:
            place = f"{verdict.slice} ({verdict.part})" if verdict.part != "all" else verdict.slice
            write(f"FAIL  {place}, {verdict.engine}: {verdict.metric} {verdict.value:g}, must be {verdict.bound}")
    if comparison.verdicts and all(verdict.passed for verdict in comparison.verdicts):
        write(f"PASS  all {len(comparison.verdicts)} conditions of the slices hold")


def _show_disagreements(comparison: Comparison, write: Callable[[str], None]) -> None:
    if len(comparison.engines) < 2:
        return
    write(f"{len(comparison.disagreements)} disagreements between engines")
    for entry in comparison.disagreements[:SHOWN]:
        decisions = ", ".join(f"{engine}: {decision}" for engine, decision in entry.decisions.items())
        write(f"  {entry.slice}/{entry.case.id}  {decisions}  {entry.case.said()[:120]!r}")
