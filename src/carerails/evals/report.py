"""A comparison as one HTML page that needs no network: figures, rules, disagreements, every wrong case."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from carerails.evals.comparison import Comparison, Disagreement
from carerails.evals.tally import Score, Verdict
from carerails.evals.terminal import COLUMNS, percent

#: Beyond this many disagreements the page says how many it leaves to results.jsonl.
SHOWN = 1000


def render(comparison: Comparison) -> str:
    """The page as text. All texts are escaped: a case cannot run a script."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["percent"] = percent  # pyright: ignore[reportArgumentType]
    source = files("carerails.evals").joinpath("report.html.j2").read_text(encoding="utf-8")
    return environment.from_string(source).render(
        comparison=comparison,
        scores=_by_slice(comparison),
        disagreements=[_row(entry) for entry in comparison.disagreements[:SHOWN]],
        left=max(0, len(comparison.disagreements) - SHOWN),
        ratios=comparison.latency_ratio(),
        conditions=_conditions(comparison),
    )


def _by_slice(comparison: Comparison) -> list[tuple[str, str, list[tuple[str, str]], list[Score]]]:
    """Name, subject, the columns that it fills, and its scores, engines side by side."""
    found: list[tuple[str, str, list[tuple[str, str]], list[Score]]] = []
    for piece in comparison.slices:
        rows = [score for score in comparison.scores if score.slice == piece.name and score.by != "category"]
        order = list(dict.fromkeys(score.part for score in rows))
        columns = [column for column in COLUMNS if any(column[1] in score.rates for score in rows)]
        found.append((piece.name, piece.spec.about, columns, sorted(rows, key=lambda score: order.index(score.part))))
    return found


def _conditions(comparison: Comparison) -> dict[tuple[str, str], dict[str, Verdict]]:
    """The verdict of every engine, by slice and condition."""
    found: dict[tuple[str, str], dict[str, Verdict]] = {}
    for verdict in comparison.verdicts:
        part = f" ({verdict.part})" if verdict.part != "all" else ""
        found.setdefault((verdict.slice + part, f"{verdict.metric} {verdict.bound}"), {})[verdict.engine] = verdict
    return found


def _row(entry: Disagreement) -> dict[str, Any]:
    return entry.model_dump(exclude={"slice", "id"}) | {"place": f"{entry.slice}/{entry.id}"}
