"""What a picture shows: precision against recall at every point, and how often what has a score is so."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from carerails.calibration.points import Scored
from carerails.evals.stats import Rate, rate

BINS = 10


class CurvePoint(NamedTuple):
    """Recall and precision from this score on."""

    score: float
    recall: float
    precision: float


class Bin(NamedTuple):
    """Rows of like score: their mean score, and the share of them that is so."""

    score: float
    share: Rate


def precision_recall(rows: Sequence[Scored]) -> list[CurvePoint]:
    """One point a distinct score, from the highest down; nothing without positives."""
    positives = sum(row.positive for row in rows)
    if not positives:
        return []
    curve: list[CurvePoint] = []
    hits = said = 0
    for score, same in groupby(sorted(rows, key=lambda row: -row.score), key=lambda row: row.score):
        for row in same:
            hits, said = hits + row.positive, said + 1
        curve.append(CurvePoint(score, hits / positives, hits / said))
    return curve


def average_precision(curve: Sequence[CurvePoint]) -> float | None:
    """The area under the steps of the curve; None of nothing."""
    if not curve:
        return None
    before = 0.0
    area = 0.0
    for point in curve:
        area += (point.recall - before) * point.precision
        before = point.recall
    return area


def reliability(rows: Sequence[Scored]) -> list[Bin]:
    """Bins of equal width; an empty one, and rows that no judge was asked about, are left out."""
    bins: list[list[Scored]] = [[] for _ in range(BINS)]
    for row in rows:
        if not math.isinf(row.score):
            bins[min(BINS - 1, int(row.score * BINS))].append(row)
    return [
        Bin(sum(row.score for row in same) / len(same), rate(sum(row.positive for row in same), len(same)))
        for same in bins
        if same
    ]


def brier(rows: Sequence[Scored]) -> float | None:
    """Mean squared distance of score and truth (Brier 1950), of rows that the judge was asked about."""
    asked = [row for row in rows if not math.isinf(row.score)]
    return sum((row.score - row.positive) ** 2 for row in asked) / len(asked) if asked else None
