"""A run as a table: one line a row, one column a fact, two columns a metric."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from carerails.errors import UsageError
from carerails.evals.rows import Row
from carerails.evals.runs import RunFolder, Summary

Kind = Literal["text", "texts", "whole", "number", "truth"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column, and its value for a row; None where there is none."""

    name: str
    kind: Kind
    of: Callable[[Row], Any]


FACTS: tuple[Column, ...] = (
    Column("slice", "text", lambda row: row.slice),
    Column("id", "text", lambda row: row.id),
    Column("repeat", "whole", lambda row: row.repeat),
    Column("engine", "text", lambda row: row.engine),
    Column("locale", "text", lambda row: row.locale),
    Column("category", "text", lambda row: row.category),
    Column("group", "text", lambda row: row.group),
    Column("gold", "text", lambda row: row.gold or None),
    Column("text", "text", lambda row: row.text),
    Column("outcome", "text", lambda row: row.outcome),
    Column("slug", "text", lambda row: row.slug),
    Column("failed", "truth", lambda row: row.failed),
    Column("right", "truth", lambda row: row.holds("right")),
    Column("cost", "whole", lambda row: row.cost),
    Column("rule", "text", lambda row: row.rule),
    Column("file", "text", lambda row: row.file),
    Column("line", "whole", lambda row: row.line),
    Column("matched_terms", "texts", lambda row: list(row.record.get("matched_terms") or ())),
    Column("latency_us", "number", lambda row: row.latency_us),
    Column("hash", "text", lambda row: row.hash),
)
#: The whole decision, for columns that are not here.
RECORD = Column("record", "text", lambda row: json.dumps(row.record, ensure_ascii=False))


def columns(folder: RunFolder, summary: Summary) -> tuple[Column, ...]:
    """The columns of a run. All rows are read for it, so that a broken one is found before anything is written.

    Raises:
        UsageError: a broken row, or not as many rows as the summary counts.
    """
    metrics: dict[str, None] = {}
    count = 0
    for count, row in enumerate(folder.rows(), 1):  # noqa: B007  wanted after the loop
        metrics.update(dict.fromkeys(row.metrics))
    if count != summary.rows:
        raise UsageError(f"{count} rows, but its summary counts {summary.rows}", "run again", str(folder.results))
    return (*FACTS, *(column for metric in metrics for column in _of_metric(metric)))


def _of_metric(metric: str) -> Iterator[Column]:
    yield Column(f"{metric}_hits", "whole", lambda row: row.metrics.get(metric, (None, None))[0])
    yield Column(f"{metric}_of", "whole", lambda row: row.metrics.get(metric, (None, None))[1])
