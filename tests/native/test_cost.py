"""What a message costs that nothing is in, on which no rule of ours may run; and no rule may fail on a long one."""

from __future__ import annotations

import pytest

from carerails.contracts import Turn
from carerails.evals.cases import load_slice
from carerails.policy import Policy
from carerails.resources import data_dir
from carerails.text.prepare import prepare


@pytest.mark.parametrize("text", ["", "zzz", "zzz zzz\n" * 30])
@pytest.mark.parametrize("rails", ["", "output"])
def test_no_rule_runs_on_a_text_that_has_nothing_of_it(rails: str, text: str):
    """A rule that looks at the length of a text, or at a copy, before it has found anything runs on every message."""
    ran: list[str] = []
    policy = Policy.load(data_dir("rails") / rails)
    assert policy.traced(ran.append).check(text) == ()
    assert [place for place in ran if not place.endswith(", flow check turn")] == []


@pytest.mark.parametrize("name", ["escalation", "scope", "over-refusal"])
def test_no_rule_fails_on_the_longest_text(name: str):
    """A message of 100,000 characters is scanned in several views, and a text that a rule puts together has a limit."""
    said = " ".join(case.text for case in load_slice(name).cases if case.text)
    text = prepare(Turn.of((said * 9)[:100_000])).text
    assert len(text) > 150_000
    assert Policy.load(data_dir("rails")).check(text)
