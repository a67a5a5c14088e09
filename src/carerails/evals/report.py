"""A comparison as one HTML page that needs no network: figures, rules, disagreements, every wrong case."""

from __future__ import annotations

from importlib.resources import files

from carerails.evals.comparison import Comparison, Disagreement
from carerails.evals.scoring import Score
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
        columns=COLUMNS,
        scores=_by_slice(comparison),
        disagreements=[_row(entry) for entry in comparison.disagreements[:SHOWN]],
        left=max(0, len(comparison.disagreements) - SHOWN),
        ratios=comparison.latency_ratio(),
    )


def _by_slice(comparison: Comparison) -> list[tuple[str, str, list[Score]]]:
    return [
        (piece.name, piece.spec.about, [score for score in comparison.scores if score.slice == piece.name])
        for piece in comparison.slices
    ]


def _row(entry: Disagreement) -> dict[str, object]:
    case = entry.case
    gold = " ".join(word for word in (case.expected, case.severity, case.slug) if word)
    return {
        "place": f"{entry.slice}/{case.id}",
        "locale": case.locale,
        "gold": gold or "-",
        "text": case.said(),
        "decisions": entry.decisions,
        "rules": entry.rules,
    }
