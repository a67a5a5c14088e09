"""The gate: a missed emergency fails, a drift fails, noise does not; and what cannot be judged is never green."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import pytest

from carerails.evals.cases import Bounds
from carerails.evals.drift import ALPHA, SIZE, flips_needed
from carerails.evals.findings import Report
from carerails.evals.gate import gate
from carerails.evals.rows import Row
from carerails.evals.runs import Shard, SliceRun
from tests.evals.gate_kit import (
    ENGINE,
    noisy,
    own_rows,
    own_slices,
    planted,
    question,
    red_flag,
    right,
    row,
    side,
    wrong,
)

GOOD = [good for good, _ in own_rows()]
FLAG = red_flag()
RULE = ("red flag stroke", "red_flags/stroke.co", 12)
#: Enough pairs for the gate to see a drift of two points.
MANY = [right(question(f"q{n}")) for n in range(800)]


def report(before: Sequence[Row], after: Sequence[Row], slices: Sequence[SliceRun] = (), **options: bool) -> Report:
    return gate(side(before, slices), side(after, slices), **options)[0]  # pyright: ignore[reportArgumentType]


def words(found: Report) -> list[str]:
    return [finding.verdict for finding in found.findings]


def test_a_single_missed_emergency_among_all_cases_fails_and_is_named():
    before = [*MANY, row(FLAG, "emergency", rule=RULE)]
    found = report(before, [*MANY, row(FLAG, "urgent")])
    assert (found.verdict, found.exit_code) == ("regression", 1)
    [missed] = found.missed
    assert (missed.id, missed.locale, missed.category, missed.text) == ("flag", "en", "stroke", FLAG.text)
    assert str(missed.was) == "emergency by red flag stroke (red_flags/stroke.co:12)"
    assert missed.now.said == "urgent"
    assert not found.drifted


def test_a_missed_emergency_is_not_outweighed_by_others_that_are_caught():
    flags = [red_flag(f"f{n}") for n in range(21)]
    before = [*MANY, right(flags[0]), *(row(flag, "allow") for flag in flags[1:])]
    found = report(before, [*MANY, row(flags[0], "allow"), *map(right, flags[1:])])
    assert found.verdict == "regression"
    assert [drift.metric for drift in found.improved if drift.part == "all"] == ["recall", "right", "cost"]
    assert len(found.missed) == 1


def test_a_two_point_drift_of_over_refusals_on_our_own_slices_fails():
    found = report(GOOD, planted(lambda good: "over_refusal" in good.metrics, 0.02))
    assert (found.verdict, found.exit_code) == ("regression", 1)
    whole = {drift.metric: drift for drift in found.drifted if drift.part == "all"}
    assert whole["over_refusal"].difference == pytest.approx(0.02, abs=0.001)
    assert whole["over_refusal"].low > 0
    assert not found.missed


@pytest.mark.slow
def test_200_unchanged_runs_raise_no_alarm():
    assert report(GOOD, list(GOOD), own_slices()).verdict == "pass"
    assert {report(GOOD, list(GOOD)).verdict for _ in range(200)} == {"pass"}


@pytest.mark.slow
def test_200_runs_of_an_engine_that_flips_one_case_in_a_hundred_raise_no_alarm():
    flips = 0
    for seed in range(200):
        before, after = noisy(seed)
        found = report(before, after)
        assert found.exit_code == 0, found.findings
        flips += len(found.flips)
    assert 0.008 < flips / 200 / len(GOOD) < 0.012


def test_how_often_noise_raises_an_alarm():
    """Exact, over every number of flips and every way they fall: the figure in docs/gate.md."""
    from scipy.stats import binom  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

    def alarm(pairs: int, family: int) -> float:
        total = 0.0
        for flips in range(ceil(pairs * 0.06) + 30):
            for worse in range(flips + 1):
                chance = float(binom.sf(worse - 1, flips, 0.5))  # pyright: ignore
                if chance * family <= ALPHA and (2 * worse - flips) / pairs >= SIZE:
                    total += float(binom.pmf(flips, pairs, 0.01)) * chance  # pyright: ignore
                    break
        return total

    metrics = ("recall", "false_alarm", "over_refusal", "refused", "right")
    sizes = [sum(metric in good.metrics for good in GOOD) for metric in metrics]
    whole = sum(alarm(size, 6) for size in [*sizes, len(GOOD)])  # cost is tested on all pairs
    locales = 3 * sum(alarm(size // 3, 18) for size in [*sizes, len(GOOD)])
    assert 0 < whole + locales < 1 / 3000


def test_noise_on_a_small_set_is_no_drift_either():
    assert flips_needed(6) == 13
    found = report(
        [*MANY, right(FLAG)], [*(row(question(f"q{n}"), "refuse") for n in range(12)), *MANY[12:], right(FLAG)]
    )
    assert (found.verdict, found.graded()) == ("pass", {"safer": 0, "worse": 12, "other": 0})
    assert max(drift.visible for drift in found.drifts if drift.metric == "over_refusal" and drift.part == "all") == (
        pytest.approx(13 / 800, abs=0.0001)
    )


def test_what_improved_is_said_with_its_size():
    found = report([wrong(question(f"q{n}")) for n in range(20)] + MANY[20:] + [right(FLAG)], [*MANY, right(FLAG)])
    assert (found.verdict, found.exit_code) == ("improvement", 0)
    assert "over_refusal (all) -2.5 points [-3.6, -1.4]" in found.findings[0].why
    caught = report([*MANY, row(FLAG, "allow")], [*MANY, right(FLAG)])
    assert (caught.verdict, caught.findings[0].why) == (
        "improvement",
        "1 emergency or crisis caught that the baseline missed",
    )


def ruled(piece: str, cases: int, **rule: Bounds) -> list[SliceRun]:
    return [SliceRun(name=piece, about="", cases=cases, digest="d", rule=rule)]


def test_a_rule_that_held_and_does_not_is_a_regression_though_too_small_for_a_drift():
    rule = ruled("s", 801, over_refusal=Bounds(max=0.01))
    after = [*(row(question(f"q{n}"), "refuse") for n in range(9)), *MANY[9:], right(FLAG)]
    found = report([*MANY, right(FLAG)], after, rule)
    assert found.verdict == "regression"
    assert [(broken.metric, broken.was, broken.now) for broken in found.rules] == [("over_refusal", 0, 0.0112)]
    assert report(after, after, rule).verdict == "pass"  # it held on neither: nothing got worse


def test_a_rule_that_is_loosened_with_the_change_hides_nothing():
    strict, loose = (ruled("s", 801, over_refusal=Bounds(max=bound)) for bound in (0.01, 0.5))
    after = [*(row(question(f"q{n}"), "refuse") for n in range(9)), *MANY[9:], right(FLAG)]
    found, _ = gate(side([*MANY, right(FLAG)], strict), side(after, loose))
    assert found.verdict == "regression"


def test_attacked_copies_of_a_case_are_guarded_one_by_one_but_are_no_drift():
    copies = [red_flag(f"f{n}") for n in range(40)]
    attacked = [
        SliceRun(name="s", about="", cases=40, digest="d", attacked=True),
        SliceRun(name="t", about="", cases=801, digest="d"),
    ]
    rest = [row(question(f"q{n}"), "allow", piece="t") for n in range(800)] + [row(FLAG, "emergency", piece="t")]
    milder = [row(copy, "crisis") for copy in copies]  # caught, with another severity
    assert report([*map(right, copies), *rest], [*milder, *rest], attacked).verdict == "pass"
    lost = [row(copies[0], "urgent"), *map(right, copies[1:])]
    assert report([*map(right, copies), *rest], [*lost, *rest], attacked).verdict == "regression"


def test_failed_checks_are_never_green():
    before, after = [*MANY, right(FLAG)], [row(question("q0"), "refuse", failed=True), *MANY[1:], right(FLAG)]
    found = report(before, after)
    assert (found.verdict, found.exit_code) == ("engine-failure", 4)
    assert [(check.id, str(check)) for check in found.failed] == [("q0", "detection timeout")]
    lifted = report(before, after, allow_failures=True)
    assert lifted.exit_code == 0
    assert lifted.failed == found.failed


def test_a_failed_check_on_an_emergency_is_a_miss_whatever_is_allowed():
    found = report([*MANY, right(FLAG)], [*MANY, row(FLAG, "emergency", failed=True)], allow_failures=True)
    assert found.verdict == "regression"


def test_a_failed_check_of_a_new_case_or_of_one_repeat_counts_too():
    new = report([*MANY, right(FLAG)], [*MANY, right(FLAG), row(question("new"), "refuse", failed=True)])
    assert new.verdict == "engine-failure"
    twice = [*MANY, right(FLAG), row(FLAG, "emergency", failed=True, repeat=1)]
    assert report([*MANY, right(FLAG)], twice).verdict == "engine-failure"


def test_where_several_apply_the_gravest_names_the_report_and_all_are_told():
    after = [row(question("q0"), "refuse", failed=True), *MANY[2:], row(FLAG, "allow"), right(question("new"))]
    found = report([*MANY, right(FLAG)], after)
    assert words(found) == ["engine-failure", "regression", "stale-baseline"]
    assert found.exit_code == 4
    lifted = report([*MANY, right(FLAG)], after, allow_failures=True)
    assert (words(lifted), lifted.exit_code) == (["regression", "stale-baseline"], 1)


def test_a_stale_baseline_says_which_cases_were_gained_lost_and_changed():
    changed = right(question("q0", "another text"))
    found = report(
        [*MANY, right(FLAG)], [changed, *MANY[2:], right(FLAG), *(right(question(f"n{n}")) for n in range(12))]
    )
    assert (found.verdict, found.exit_code) == ("stale-baseline", 3)
    why = found.findings[0].why
    assert "gained 12 cases (s/n0, " in why
    assert "s/n9 and 2 more)" in why
    assert "lost 1 case (s/q1)" in why
    assert "changed 1 case (s/q0)" in why


def test_too_few_pairs_and_no_emergency_are_insufficient_data():
    found = report([*MANY[:50], right(FLAG)], [*MANY[:50], right(FLAG)])
    assert (words(found), found.exit_code) == (["insufficient-data"], 3)
    assert (
        found.findings[0].why
        == "51 labelled pairs: a drift of 2 points shows from 650 on (fewer pairs show --detect 26)"
    )
    enough, _ = gate(side([*MANY[:50], right(FLAG)]), side([*MANY[:50], right(FLAG)]), detect=0.26)
    assert enough.verdict == "pass"
    calm = report(MANY, MANY)
    assert (words(calm), calm.exit_code) == (["insufficient-data"], 3)
    assert "must escalate" in calm.findings[0].why


def test_what_is_not_comparable():
    rows = [*MANY, right(FLAG)]
    other = ENGINE.model_copy(update={"name": "other"})
    for after, said in (
        (side(rows, engine=other), "of scripted, the current run of other"),
        (side(rows, gated=True), "behind the always-on gate"),
        (side(rows, shard=Shard(number=1, of=2)), "shard 1/2"),
        (side([right(question("new"))]), "no case in common"),
        (side(rows, repeat=2), "not complete: 801 of 1602 rows"),
    ):
        found, _ = gate(side(rows), after)
        assert (found.verdict, found.exit_code) == ("not-comparable", 3)
        assert said in found.findings[0].why
    across, _ = gate(side(rows), side(rows, engine=other), across_engines=True)
    assert across.verdict == "pass"


def test_flips_of_an_unchanged_engine_are_put_down_to_noise():
    after = [row(question("q0"), "refuse"), *MANY[1:], right(FLAG)]
    assert "come of noise" in report([*MANY, right(FLAG)], after).notes[0]
    changed, _ = gate(
        side([*MANY, right(FLAG)], packages={"pydantic": "1"}),
        side(after, engine=ENGINE.model_copy(update={"fingerprint": "f2"}), packages={"pydantic": "2"}),
    )
    assert changed.notes == ("pydantic was 1, is 2",)


def test_the_rules_behind_a_drift_are_blamed_most_first():
    strict, vague = ("scope dosing", "scope/dosing.co", 3), ("scope topics", "scope/topics.co", 9)
    refused = [row(question(f"q{n}"), "refuse", rule=vague if n % 4 else strict) for n in range(20)]
    found = report([*MANY, right(FLAG)], [*refused, *MANY[20:], right(FLAG)])
    assert [(decided.rule, kind, count) for decided, kind, count in found.blamed()] == [
        ("scope topics", "over-refusal", 15),
        ("scope dosing", "over-refusal", 5),
    ]
