"""The slice of replies: its rule holds on every engine, and engines agree on every case, in every word of evidence."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from carerails.contracts import LOCALES, Failure, Inspection, Objection
from carerails.evals.reply_cases import load_reply_slice
from carerails.evals.reply_runner import ReplyPlayer, as_row
from carerails.evals.rows import Row
from carerails.evals.tally import judge, tally
from tests.output.kit import cards, rails

SLICE = load_reply_slice("output")


@cache
def rows(engine: str) -> tuple[Row, ...]:
    with ReplyPlayer(engine) as player:
        return tuple(player.play("output", case) for case in SLICE.cases)


@pytest.mark.parametrize("engine", ["native", "nemo"])
def test_its_rule_holds(engine: str):
    verdicts = judge(SLICE.spec.rule, tally(rows(engine)).scores(engine), SLICE.spec.each_locale)
    assert [verdict.say() for verdict in verdicts if not verdict.passed] == []


def test_engines_agree_on_every_case():
    shown = [
        [(row.id, row.outcome, row.record["inspection"]["objections"]) for row in rows(e)] for e in ("native", "nemo")
    ]
    assert shown[0] == shown[1]


def test_it_is_as_large_in_each_locale_and_has_near_misses_of_most_reasons():
    assert len(SLICE.cases) >= 300
    by_locale = Counter(case.locale for case in SLICE.cases)
    assert min(by_locale[locale] for locale in LOCALES) >= 100
    passes = Counter(case.locale for case in SLICE.cases if case.expected == "pass")
    assert min(passes[locale] for locale in LOCALES) >= 35


def test_every_rule_of_the_rails_has_a_case_in_every_locale():
    met = {
        (row.locale, objection["rule"])
        for row in rows("native")
        for objection in row.record["inspection"]["objections"]
    }
    missing = [(locale, rule) for rule in rails().rules for locale in LOCALES if (locale, rule) not in met]
    assert missing == []


def test_cards_exist():
    known = {card.id for card in cards().cards}
    assert {card for case in SLICE.cases for card in case.cards} <= known


def test_a_check_that_failed_is_no_merit():
    """A failure is never a pass: neither of the reply nor of the guard."""
    stop = next(case for case in SLICE.cases if case.expected == "stop")
    leave = next(case for case in SLICE.cases if case.expected == "pass")
    failed = Inspection(failures=(Failure(seam="output", kind="timeout"),))
    for case in (stop, leave):
        row = as_row("output", case, failed, "e", 1.0)
        assert (row.failed, row.holds("right"), bool(row.cost)) == (True, False, True)
    right = as_row("output", stop, Inspection(objections=(Objection(check="c", reason=str(stop.reason)),)), "e", 1.0)
    assert (right.holds("stopped"), right.holds("reason_right"), right.cost) == (True, True, 0)
    missed = as_row("output", stop, Inspection(), "e", 1.0)
    assert (missed.holds("stopped"), missed.cost) == (False, 20)
