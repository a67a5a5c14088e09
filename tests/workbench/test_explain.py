"""Explaining a decision: what each rule saw, which won, and what would make it another one."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from carerails.contracts import Turn
from carerails.engine import open_engine
from carerails.workbench.explain import Explanation, explain
from tests.kit import small_rails


@pytest.fixture(scope="module")
def rails(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_rails(tmp_path_factory.mktemp("explain"))


def explained(text: str, rails: Path) -> Explanation:
    async def run() -> Explanation:
        async with open_engine("native", rails) as engine:
            return await explain(Turn.of(text, locale="en"), engine, longest=100_000)

    return asyncio.run(run())


def test_a_hit_has_its_pattern_its_line_and_its_words(rails: Path) -> None:
    one = explained("He has SLURRED speéch", rails)
    (asked,) = [asked for asked in one.asked if asked.terms]
    (seen,) = asked.seen
    line = (rails / seen.file).read_text(encoding="utf-8").split("\n")[seen.line - 1]
    assert asked.rule == "red flag stroke"
    assert "slurred speech" in line
    assert seen.text == "slurred speech"
    assert seen.span
    assert (seen.span.start, seen.span.end) == (7, 21)


def test_the_order_is_by_outcome_then_priority(rails: Path) -> None:
    one = explained("a new rash, slurred speech, may I double the dose", rails)
    assert one.order[0] == "red flag stroke"
    outcomes = {asked.rule: asked.outcome for asked in one.asked}
    assert [outcomes[rule] for rule in one.order] == ["emergency", "urgent", "refuse"]


def test_without_the_words_of_each_rule_the_next_one_decides(rails: Path) -> None:
    one = explained("a new rash, slurred speech, may I double the dose", rails)
    assert [change.decision for change in one.changes] == ["escalate / urgent", "refuse / out-of-scope-dosing", "allow"]
    assert [change.rule for change in one.changes] == [*one.order[1:], None]
    assert "slurred speech" in one.changes[0].what


def test_rules_without_a_word_in_the_text_are_only_counted(rails: Path) -> None:
    one = explained("when do I take it", rails)
    assert one.order == ()
    assert one.asked == ()
    assert one.skipped == 7


def test_an_empty_text_is_explained_too(rails: Path) -> None:
    assert explained("....", rails).asked == ()
