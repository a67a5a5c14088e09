"""Operating points: from which score on an opinion holds, chosen on labelled scores, with confidence limits.

A score is from 0 to 1; `CAUGHT` stands for one that needs no judge, because the rules decide so already. All limits are
those of `carerails.evals.stats.rate`: 95 %, two-sided (Wilson 1927).
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from statistics import NormalDist
from typing import NamedTuple

from carerails.contracts import Frozen, Locale
from carerails.evals.stats import Rate, rate

CAUGHT = math.inf
FOLDS = 5
#: Points are written with so many decimals, rounded down, so that the score they come from still reaches them.
DECIMALS = 4


class Scored(NamedTuple):
    """One row: its score, whether the opinion should hold, and what it is.

    Attributes:
        key: rows of one key say the same (in other locales), and are never parted between choosing and measuring.
    """

    score: float
    positive: bool
    locale: Locale
    key: str


class Measured(Frozen):
    """What comes of a point: of the positives, how many reach it; of the negatives too; and of all that do, the due."""

    recall: Rate
    false_alarms: Rate
    precision: Rate


def measure(rows: Iterable[Scored], point: float) -> Measured:
    """Rates at one point."""
    return _rates((row.positive, row.score >= point) for row in rows)


def _rates(found: Iterable[tuple[bool, bool]]) -> Measured:
    """Of pairs: is it so, and was it said."""
    counts = {(positive, said): 0 for positive in (True, False) for said in (True, False)}
    for pair in found:
        counts[pair] += 1
    hits, misses, alarms, quiet = counts.values()
    return Measured(
        recall=rate(hits, hits + misses),
        false_alarms=rate(alarms, alarms + quiet),
        precision=rate(hits, hits + alarms),
    )


def fewest_hits(of: int, target: float) -> int | None:
    """How many of `of` positives must be caught, for the lower limit of recall to reach the target; None: not even all.

    >>> fewest_hits(100, 0.9), fewest_hits(20, 0.9)
    (96, None)
    """
    if not _reaches(of, of, target):
        return None
    low, high = math.ceil(target * of), of
    while low < high:  # the lower limit grows with the hits
        middle = (low + high) // 2
        low, high = (low, middle) if _reaches(middle, of, target) else (middle + 1, high)
    return low


def _reaches(hits: int, of: int, target: float) -> bool:
    low = rate(hits, of).low
    return low is not None and low >= target - 1e-12


def perfect_rows(target: float) -> int:
    """The fewest rows, all of them right, whose lower limit reaches the target.

    >>> perfect_rows(0.95), perfect_rows(0.8)
    (73, 16)
    """
    z = NormalDist().inv_cdf(0.975)
    return math.ceil(z * z * target / (1 - target) - 1e-9)


def choose(rows: Iterable[Scored], target: float) -> float | None:
    """The highest point at which the lower limit of recall reaches the target.

    It is `CAUGHT` where the rules alone reach it, and None where the positives are too few, however low the point.
    """
    scores = [row.score for row in rows if row.positive]
    needed = fewest_hits(len(scores), target)
    return None if needed is None else _reached_by(scores, needed)


def _reached_by(scores: Iterable[float], count: int) -> float:
    """The highest point that so many of the scores reach."""
    return rounded(sorted(scores, reverse=True)[count - 1])


def rounded(score: float) -> float:
    """A score as a point is written."""
    return score if math.isinf(score) else math.floor(score * 10**DECIMALS) / 10**DECIMALS


def held_out(rows: Sequence[Scored], target: float, folds: int = FOLDS) -> Measured:
    """Rates on rows that had no part in the choice.

    Each fold is measured at the point that catches as large a share of the other folds' positives as `choose` catches
    of all; where there are too few for the target, all of them.
    """
    positives = sum(row.positive for row in rows)
    needed = fewest_hits(positives, target) or positives
    fold_of = _folds(rows, folds)
    found: list[tuple[bool, bool]] = []
    for fold in range(folds):
        others = [row.score for row in rows if row.positive and fold_of[row.key] != fold]
        point = _reached_by(others, math.ceil(needed * len(others) / positives)) if others else CAUGHT
        found += [(row.positive, row.score >= point) for row in rows if fold_of[row.key] == fold]
    return _rates(found)


def _folds(rows: Sequence[Scored], folds: int) -> dict[str, int]:
    """Which fold each key is in: the same for the same keys, and as many positives in each."""
    positive = {row.key for row in rows if row.positive}
    ordered = sorted(
        {row.key for row in rows}, key=lambda key: (key in positive, hashlib.sha256(key.encode()).digest())
    )
    return {key: number % folds for number, key in enumerate(ordered)}
