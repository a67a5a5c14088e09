"""A plan gives a point for every opinion, or says why not and how many more rows it takes."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from carerails.calibration.figure import draw
from carerails.calibration.labels import truth
from carerails.calibration.plan import Opinion, plan
from carerails.calibration.points import CAUGHT, Scored, perfect_rows
from carerails.contracts import LOCALES, Locale, Outcome
from carerails.evals.cases import Case

CRISIS = Opinion("suicide", "crisis")
NAMES = frozenset({"suicide", "violence", "physical", "dosing", "domain"})


def rows(positives: list[float], negatives: list[float], locales: tuple[Locale, ...] = LOCALES) -> list[Scored]:
    labelled = [(score, True) for score in positives] + [(score, False) for score in negatives]
    return [Scored(score, so, locales[n % len(locales)], f"{score}-{n}") for n, (score, so) in enumerate(labelled)]


def spread(count: int, low: float, high: float) -> list[float]:
    return [low + (high - low) * (number + 0.5) / count for number in range(count)]


def test_separable_scores_have_a_point_and_locales_with_enough_rows_their_own() -> None:
    data = rows(spread(300, 0.6, 1.0), spread(600, 0.0, 0.4))
    made = plan({CRISIS: data}, 0.9, 0.05)
    assert not made.lacking
    (pooled,) = made.pooled
    assert pooled.point is not None
    assert 0.6 <= pooled.point < 0.7
    assert (pooled.seen.recall.low or 0) >= 0.9
    assert pooled.held_out.false_alarms.hits == 0
    assert [(one.locale, one.shared) for one in made.local] == [(locale, False) for locale in LOCALES]


def test_a_locale_with_too_few_rows_has_no_point_of_its_own() -> None:
    data = rows(spread(200, 0.6, 1.0), spread(200, 0.0, 0.4), ("en",)) + rows([0.9] * 10, [0.1] * 10, ("pt-BR",))
    made = plan({CRISIS: data}, 0.9, None)
    assert [(one.locale, one.shared) for one in made.local] == [("en", False), ("pt-BR", True)]
    shared = made.local[1]
    assert shared.point == made.pooled[0].point
    assert (shared.seen.recall.hits, shared.seen.recall.of, shared.seen.false_alarms.hits) == (10, 10, 0)


def test_too_few_rows_say_how_many_more_and_that_many_do() -> None:
    """The promise is kept: with as many more of the same, there is a point."""
    (lacking,) = plan({CRISIS: rows([0.9] * 20, [0.1] * 50)}, 0.95, None).lacking
    assert lacking.more == perfect_rows(0.95) - 20 == 53
    assert "53 more" in str(lacking)
    assert not plan({CRISIS: rows([0.9] * 73, [0.1] * 50)}, 0.95, None).lacking


def test_overlapping_scores_are_refused_and_no_rows_promised() -> None:
    data = rows(spread(300, 0.0, 1.0), spread(300, 0.0, 1.0))
    (lacking,) = plan({CRISIS: data}, 0.9, 0.1).lacking
    assert lacking.more is None
    assert "no number of rows" in str(lacking)


def test_false_alarms_of_the_rules_are_nothing_that_a_point_mends() -> None:
    data = rows([0.9] * 100, [CAUGHT] * 30 + [0.1] * 70)
    (lacking,) = plan({CRISIS: data}, 0.9, 0.1).lacking
    assert lacking.more is None
    assert "rules alone" in str(lacking)


def test_false_alarms_that_are_few_but_uncertain_ask_for_quiet_rows() -> None:
    quiet = [0.1] * 39 + [0.95]
    (lacking,) = plan({CRISIS: rows([0.9] * 100, quiet)}, 0.9, 0.04).lacking
    assert lacking.more is not None
    assert lacking.more > 0
    many = [0.1] * (39 * 30) + [0.95] * 30
    assert len(many) >= len(quiet) + lacking.more
    assert not plan({CRISIS: rows([0.9] * 100, many)}, 0.9, 0.04).lacking


def test_recall_that_is_uncertain_at_a_quiet_point_asks_for_more_of_it() -> None:
    """.95 are caught quietly, the target is .9: forty rows are not enough to know it, and more are."""
    few = rows([0.9] * 38 + [0.01, 0.02], [0.3] * 400)
    (lacking,) = plan({CRISIS: few}, 0.9, 0.05).lacking
    assert lacking.more is not None
    times = 1 + -(-lacking.more // 40)
    assert not plan({CRISIS: rows(([0.9] * 38 + [0.01, 0.02]) * times, [0.3] * 400)}, 0.9, 0.05).lacking


def test_without_rows_that_are_not_so_false_alarms_have_no_bound() -> None:
    (lacking,) = plan({CRISIS: rows([0.9] * 100, [])}, 0.9, 0.05).lacking
    assert lacking.more == 73


def test_where_the_rules_reach_it_alone_there_is_no_point() -> None:
    (chosen,) = plan({CRISIS: rows([CAUGHT] * 100, [0.2] * 100)}, 0.9, 0.05).pooled
    assert chosen.point is None
    assert chosen.held_out.recall.value == 1.0


def case(expected: str | None, severity: str | None = None, **more: object) -> Case:
    return Case.model_validate(
        {"id": "1", "text": "x", "locale": "en", "expected": expected, "severity": severity, **more}
    )


@pytest.mark.parametrize(
    ("labelled", "name", "outcome", "expected"),
    [
        (case("escalate", "crisis"), "suicide", "crisis", True),
        (case("escalate", "crisis"), "suicide", "check-in", True),
        (case("escalate", "crisis"), "physical", "emergency", None),
        (case("escalate", "crisis", category="violence"), "violence", "crisis", True),
        (case("escalate", "crisis", category="violence"), "suicide", "crisis", None),
        (case("escalate", "emergency"), "physical", "emergency", True),
        (case("escalate", "emergency"), "physical", "urgent", True),
        (case("escalate", "urgent"), "physical", "emergency", False),
        (case("escalate", "urgent"), "physical", "urgent", True),
        (case("escalate"), "physical", "emergency", None),
        (case("escalate"), "dosing", "refuse", None),
        (case("check-in"), "suicide", "check-in", True),
        (case("check-in"), "suicide", "crisis", False),
        (case("check-in"), "physical", "urgent", False),
        (case("allow"), "suicide", "crisis", False),
        (case("allow"), "dosing", "refuse", False),
        (case("refuse", slug="out-of-scope-dosing"), "dosing", "refuse", True),
        (case("refuse", slug="out-of-domain"), "domain", "refuse", True),
        (case("refuse", slug="out-of-domain"), "dosing", "refuse", None),
        (case("refuse"), "dosing", "refuse", None),
        (case("refuse"), "suicide", "check-in", False),
        (case(None, not_expected=["escalate"]), "suicide", "crisis", False),
        (case(None), "suicide", "crisis", None),
    ],
)
def test_what_a_label_says(labelled: Case, name: str, outcome: Outcome, expected: bool | None) -> None:
    assert truth(labelled, name, outcome, NAMES) is expected


def test_a_judge_without_an_opinion_on_violence_has_it_under_suicide() -> None:
    labelled = case("escalate", "crisis", category="violence")
    assert truth(labelled, "suicide", "crisis", frozenset({"suicide", "physical"})) is True


def test_the_picture_is_well_formed_and_shows_the_point() -> None:
    made = plan({CRISIS: rows(spread(300, 0.6, 1.0), spread(600, 0.0, 0.4))}, 0.9, 0.05)
    picture = draw('A "title" <with> marks', "a & line", made.pooled + made.local)
    root = ET.fromstring(picture)
    space = "{http://www.w3.org/2000/svg}"
    assert len(root.findall(f"{space}path")) == 4
    assert len([c for c in root.findall(f"{space}circle") if c.get("class") == "point"]) == 4
    said = root.find(f"{space}desc")
    assert said is not None
    assert f"{made.pooled[0].point:g}" in (said.text or "")
    for circle in root.iter(f"{space}circle"):
        assert 0 <= float(circle.get("cx", "nan")) <= float(root.get("width", "nan"))
