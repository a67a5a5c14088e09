"""Operating points on scores whose answer can be worked out by hand, and what holds for any scores."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carerails.calibration.curves import average_precision, brier, precision_recall, reliability
from carerails.calibration.points import CAUGHT, Scored, choose, fewest_hits, held_out, measure, perfect_rows
from carerails.evals.stats import rate


def rows(positives: list[float], negatives: list[float] | None = None) -> list[Scored]:
    labelled = [(score, True) for score in positives] + [(score, False) for score in negatives or []]
    return [Scored(score, positive, "en", str(number)) for number, (score, positive) in enumerate(labelled)]


def spread(count: int, low: float = 0.0, high: float = 1.0) -> list[float]:
    """Evenly spread scores, the middle of each of `count` steps."""
    return [low + (high - low) * (number + 0.5) / count for number in range(count)]


@pytest.mark.parametrize("target", [0.5, 0.8, 0.9, 0.95, 0.99])
def test_the_fewest_perfect_rows_are_the_fewest(target: float) -> None:
    enough = perfect_rows(target)
    assert (rate(enough, enough).low or 0) >= target
    assert (rate(enough - 1, enough - 1).low or 0) < target
    assert fewest_hits(enough, target) == enough
    assert fewest_hits(enough - 1, target) is None


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 3000), st.floats(0.05, 0.99))
def test_the_fewest_hits_are_the_fewest(of: int, target: float) -> None:
    hits = fewest_hits(of, target)
    if hits is None:
        assert (rate(of, of).low or 0) < target
        return
    assert (rate(hits, of).low or 0) >= target - 1e-9
    assert hits == 0 or (rate(hits - 1, of).low or 0) < target


def test_a_clean_gap_is_used() -> None:
    """All 200 positives lie above .8: the point is the score of the last one that is needed, and nobody else has it."""
    data = rows(spread(200, 0.8, 1.0), spread(200, 0.0, 0.5))
    point = choose(data, 0.9)
    assert point is not None
    assert point >= 0.8
    found = measure(data, point)
    assert found.recall.hits == fewest_hits(200, 0.9)
    assert (found.false_alarms.hits, found.precision.value) == (0, 1.0)
    assert held_out(data, 0.9).false_alarms.hits == 0


def test_what_the_rules_catch_needs_no_judge() -> None:
    data = rows([CAUGHT] * 98 + [0.1, 0.2])
    assert choose(data, 0.9) == CAUGHT
    assert choose(data, 0.945) == 0.2  # 99 of 100 have a lower limit of .9455
    assert measure(data, 0.2).recall.hits == 99


def test_too_few_rows_choose_nothing() -> None:
    assert choose(rows([1.0] * 34), 0.9) is None
    assert choose(rows([1.0] * 35), 0.9) == 1.0
    assert choose([], 0.9) is None


def test_a_point_is_rounded_down_lest_its_own_row_falls_below() -> None:
    data = rows([0.123456] * 100)
    point = choose(data, 0.9)
    assert point is not None
    assert point == 0.1234
    assert measure(data, point).recall.value == 1.0


def test_held_out_is_worse_than_seen_where_the_point_is_fitted_to_noise() -> None:
    """Positives and negatives alike: whatever catches .9 of the ones catches about .9 of the others."""
    data = rows(spread(300), spread(300))
    held = held_out(data, 0.9)
    assert held.false_alarms.value == pytest.approx(held.recall.value, abs=0.03)
    assert (held.recall.value or 0) > 0.9


def test_rows_of_one_key_stay_together() -> None:
    """Three copies a key: were they parted, the point would know the held-out scores exactly."""
    singles = [Scored(score, True, "en", str(number)) for number, score in enumerate(spread(40))]
    data = [row for row in singles for _ in range(3)] + rows([], [0.0] * 10)
    from carerails.calibration.points import _folds  # pyright: ignore[reportPrivateUsage]

    folds = _folds(data, 5)
    sizes = [sum(folds[row.key] == fold for row in data if row.positive) for fold in range(5)]
    assert sizes == [24] * 5


SCORES = st.lists(st.one_of(st.floats(0, 1), st.just(CAUGHT)), min_size=1, max_size=80)


@settings(max_examples=200, deadline=None)
@given(SCORES, SCORES, st.floats(0.05, 0.95))
def test_for_any_scores(positives: list[float], negatives: list[float], target: float) -> None:
    data = rows(positives, negatives)
    point = choose(data, target)
    if point is None:
        assert len(positives) < perfect_rows(target)
    else:
        assert (measure(data, point).recall.low or 0) >= target - 1e-9
        higher = math.inf if math.isinf(point) else (round(point * 10_000) + 1) / 10_000
        if not math.isinf(point):
            assert (measure(data, higher).recall.low or 0) < target  # no higher one would do
    held = held_out(data, target)
    assert (held.recall.of, held.false_alarms.of) == (len(positives), len(negatives))
    curve = precision_recall(data)
    assert [p.score for p in curve] == sorted({*positives, *negatives}, reverse=True)
    assert curve[-1].recall == 1.0
    assert all(before.recall <= after.recall for before, after in pairwise(curve))
    for each in curve:
        found = measure(data, each.score)
        assert (found.recall.value, found.precision.value) == (
            pytest.approx(each.recall),
            pytest.approx(each.precision),
        )
    asked = [row for row in data if not math.isinf(row.score)]
    assert sum(each.share.of for each in reliability(data)) == len(asked)


def test_average_precision_by_hand() -> None:
    """Right, wrong, right: precision 1 at the first hit and 2/3 at the second."""
    data = rows([0.9, 0.7], [0.8])
    assert average_precision(precision_recall(data)) == pytest.approx((1 + 2 / 3) / 2)
    assert average_precision([]) is None


def test_reliability_and_brier_by_hand() -> None:
    data = rows([0.9, 0.92, CAUGHT], [0.94, 0.05])
    low, high = reliability(data)
    assert (low.score, low.share.hits, low.share.of) == (0.05, 0, 1)
    assert (high.score, high.share.hits, high.share.of) == (pytest.approx(0.92), 2, 3)
    assert brier(data) == pytest.approx((0.01 + 0.0064 + 0.8836 + 0.0025) / 4)
    assert brier(rows([CAUGHT])) is None
