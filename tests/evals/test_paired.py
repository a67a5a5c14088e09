"""Pairs and their statistics, against published figures, exact enumeration and simulation."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest

from carerails.errors import UsageError
from carerails.evals.drift import (
    ALPHA,
    SIZE,
    WHOLE,
    Drift,
    Drifts,
    flips_needed,
    hit,
    holm,
    paired_interval,
    sign_flip_test,
    sign_test,
)
from carerails.evals.paired import Pairing, by_case, worst
from carerails.evals.rows import Row
from tests.evals.gate_kit import question, red_flag, right, row

FLAG, ASK = red_flag(), question()


def test_pairs_are_of_the_same_case_and_the_rest_is_named():
    others = [question(f"q{n}") for n in range(12)]
    changed = ASK.model_copy(update={"text": "how do I keep it?"})
    pairing = Pairing(by_case([right(FLAG), right(ASK), *map(right, others)]))
    pairs = list(pairing.pairs([row(FLAG, "urgent"), right(changed), right(question("new"))]))
    assert [(was.outcome, now.outcome) for was, now in pairs] == [("emergency", "urgent")]
    changes = pairing.changes()
    assert (changes.gained.count, changes.lost.count, changes.changed.count) == (1, 12, 1)
    assert (changes.gained.named, changes.changed.named) == (("s/new",), ("s/ask",))
    assert len(changes.lost.named) == 10
    assert str(changes.lost).endswith("s/q9 and 2 more")


def test_of_repeats_the_worst_counts():
    rows = [row(FLAG, "emergency"), row(FLAG, "urgent", repeat=1), row(FLAG, "emergency", repeat=2), right(ASK)]
    assert [(found.id, found.outcome) for found in worst(rows)] == [("flag", "urgent"), ("ask", "allow")]
    failed = [row(FLAG, "emergency"), row(FLAG, "emergency", failed=True, repeat=1)]
    assert [found.failed for found in worst(failed)] == [True]


def test_a_case_that_stands_twice_is_an_error():
    with pytest.raises(UsageError, match="s/flag stands twice"):
        by_case(worst([right(FLAG), right(ASK), right(FLAG)]))


def test_mcnemar_against_the_binomial_by_hand():
    assert sign_test(0, 0) == 1
    assert sign_test(9, 0) == pytest.approx(2**-9)
    assert sign_test(3, 1) == pytest.approx((4 + 1) / 16)
    assert sign_test(1, 3) == pytest.approx(15 / 16)


def test_the_sign_flip_test_against_every_assignment_of_signs():
    chance = random.Random(3)
    for _ in range(20):
        differences = [chance.choice((-20, -1, 1, 20)) for _ in range(chance.randint(1, 9))]
        as_high = sum(
            sum(sign * abs(d) for sign, d in zip(signs, differences, strict=True)) >= sum(differences)
            for signs in itertools.product((-1, 1), repeat=len(differences))
        )
        assert sign_flip_test(Counter(differences)) == pytest.approx(as_high / 2 ** len(differences))
    assert sign_flip_test({0: 50}) == 1


def test_where_flips_are_too_many_to_enumerate_the_normal_agrees_with_the_exact_test():
    exact = sign_flip_test({1: 1050, -1: 950, 20: 1010, -20: 980})
    near = sign_flip_test({1: 1150, -1: 1050, 20: 1110, -20: 1080})
    assert exact == pytest.approx(0.22, abs=0.03)
    assert near == pytest.approx(exact, abs=0.03)


def test_holm_on_an_example_by_hand():
    # Sorted .01 .02 .03 .04 times 4, 3, 2, 1 is .04 .06 .06 .04; no one may be below the one before it.
    assert holm([0.04, 0.01, 0.03, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm([0.9, 0.8]) == [1, 1]


def test_the_interval_on_a_published_example():
    # Approval of a prime minister, Agresti, Categorical Data Analysis, 10.1: 1,600 asked twice, 150 and 86 changed
    # their minds; the change is -.04 with an interval of (-.06, -.02).
    low, high = paired_interval(1600, 86, 150)
    assert (round(low, 2), round(high, 2)) == (-0.06, -0.02)


@pytest.mark.parametrize(("pairs", "up", "down"), [(60, 0.05, 0.05), (300, 0.03, 0.01), (700, 0.02, 0.0)])
def test_the_interval_covers_the_truth_19_times_of_20(pairs: int, up: float, down: float):
    chance = random.Random(11)
    covered = 0
    for _ in range(1000):
        moves = Counter(chance.choices((1, -1, 0), (up, down, 1 - up - down), k=pairs))
        low, high = paired_interval(pairs, moves[1], moves[-1])
        covered += low <= up - down <= high
    assert covered >= 930


def rows_of(count: int, spoilt: int, outcome: str = "refuse") -> list[Row]:
    return [
        row(question(f"q{n}"), outcome if n < spoilt else "allow")  # pyright: ignore[reportArgumentType]
        for n in range(count)
    ]


def drifts_of(before: list[Row], after: list[Row]) -> dict[tuple[str, str], Drift]:
    drifts = Drifts()
    for was, now in zip(before, after, strict=True):
        drifts.add(was, now)
    return {(drift.metric, drift.part): drift for drift in drifts.tested()}


def test_a_drift_is_called_from_exactly_the_flips_that_its_family_needs():
    family = sum(part == WHOLE for _, part in drifts_of(rows_of(700, 0), rows_of(700, 0)))
    needed = flips_needed(family)
    for flips, way in ((needed - 1, ""), (needed, "worse")):
        found = drifts_of(rows_of(700, 0), rows_of(700, flips))
        assert found["over_refusal", WHOLE].way == way
        assert found["cost", WHOLE].way == way
    mirrored = drifts_of(rows_of(700, needed), rows_of(700, 0))
    assert mirrored["over_refusal", WHOLE].way == "better"
    assert mirrored["over_refusal", WHOLE].difference == pytest.approx(-needed / 700, abs=1e-6)
    assert mirrored["right", WHOLE].difference == pytest.approx(needed / 700, abs=1e-6)


def test_a_drift_below_half_a_point_is_none_however_sure():
    found = drifts_of(rows_of(5000, 0), rows_of(5000, 24))["over_refusal", WHOLE]
    assert (found.p < ALPHA, found.difference < SIZE, found.way) == (True, True, "")
    assert drifts_of(rows_of(5000, 0), rows_of(5000, 25))["over_refusal", WHOLE].way == "worse"


def test_a_drift_in_one_locale_is_called_there():
    spanish = [question(f"q{n}", locale="es-419") for n in range(100)]
    before, after = [row(case, "allow") for case in spanish], [row(case, "refuse") for case in spanish[:20]]
    found = drifts_of(before, after + before[20:])
    assert found["over_refusal", "es-419"].way == "worse"
    assert ("over_refusal", "en") not in found


def test_conversations_count_as_hits_only_whole_and_as_harm_from_one_step_on():
    mixed = right(ASK).model_copy(update={"metrics": {"right": (2, 3), "over_refusal": (1, 3), "answered": (3, 3)}})
    assert [hit(mixed, metric) for metric in ("right", "over_refusal", "answered", "recall")] == [
        False,
        True,
        True,
        None,
    ]
