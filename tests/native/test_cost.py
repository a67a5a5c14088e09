"""What a message costs that nothing is in: no rule of the shipped rails may run on it."""

from __future__ import annotations

import pytest

from carerails.policy import Policy
from carerails.resources import data_dir


@pytest.mark.parametrize("text", ["", "zzz", "zzz zzz\n" * 30])
@pytest.mark.parametrize("rails", ["", "output"])
def test_no_rule_runs_on_a_text_that_has_nothing_of_it(rails: str, text: str):
    """A rule that looks at the length of a text, or at a copy, before it has found anything runs on every message."""
    ran: list[str] = []
    policy = Policy.load(data_dir("rails") / rails)
    assert policy.traced(ran.append).check(text) == ()
    assert [place for place in ran if not place.endswith(", flow check turn")] == []
