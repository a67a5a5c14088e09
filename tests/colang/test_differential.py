"""What our parser and compiler accept, NeMo Guardrails accepts too, reads alike, and gives the same value."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from carerails.colang import CompileError
from carerails.errors import EngineError
from carerails.resources import data_dir
from tests.colang import nemo, ours
from tests.colang.mutations import ARGUMENTS, PROGRAM, mutated
from tests.colang.ours import Program, alike
from tests.colang.strategies import GIVEN, bodies, expressions, flow

GENEROUS = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
RAILS = sorted(path for path in data_dir("rails").rglob("*.co") if "examples" not in path.parts)


def outcome(run: Callable[..., object], *arguments: object) -> tuple[str, object]:
    """The value, or that there is none: both must fail on the same input."""
    try:
        return "value", run(*arguments)
    except (EngineError, nemo.Refused):
        return "failure", None


def agree(text: str, name: str, arguments: list[object]) -> str:
    """Compare both on one flow; the kind of outcome, or "rejected" where our compiler says no."""
    try:
        program = Program(text)
    except CompileError:
        return "rejected"
    kind, value = outcome(program.run, name, arguments)
    expected_kind, expected = outcome(nemo.run, nemo.parsed(text), name, arguments)
    assert kind == expected_kind, (text, value, expected)
    assert alike(value, expected), (text, value, expected)
    return kind


@pytest.mark.parametrize("path", RAILS, ids=lambda path: path.name)
def test_the_rails_read_alike(path: Path):
    text = path.read_text(encoding="utf-8")
    ours_read = [ours.shape(found) for found in ours.parsed(text).flows if found.name != "main"]
    assert ours_read == [nemo.shape(found) for found in nemo.parsed(text) if found.name != "main"]


@GENEROUS
@given(expressions)
def test_expressions_have_the_same_value(expression: str):
    agree(flow("generated", f"  return {expression}"), "generated", list(GIVEN.values()))


@GENEROUS
@given(bodies())
def test_flows_have_the_same_value(body: str):
    agree(flow("generated", body), "generated", list(GIVEN.values()))


def test_generated_flows_are_mostly_accepted_and_mostly_have_a_value():
    """Otherwise the two tests above would show little."""
    seen: dict[str, int] = {"value": 0, "failure": 0, "rejected": 0}

    @settings(GENEROUS, max_examples=200, database=None, derandomize=True)
    @given(expressions)
    def count(expression: str) -> None:
        seen[agree(flow("generated", f"  return {expression}"), "generated", list(GIVEN.values()))] += 1

    count()
    assert seen["value"] >= 80
    assert seen["failure"] >= 10
    assert seen["rejected"] <= 80


def test_damaged_files_read_and_run_alike():
    """Random edits of a program with everything in it: whatever we still accept, NeMo reads the same way."""
    seen = {"value": 0, "failure": 0, "rejected": 0}
    rng = random.Random(20)
    for _ in range(400):
        text = mutated(PROGRAM, rng)
        try:
            read = ours.parsed(text)
        except CompileError:
            seen["rejected"] += 1
            continue
        assert [ours.shape(found) for found in read.flows] == [nemo.shape(found) for found in nemo.parsed(text)], text
        if any(found.name == "sums it up" for found in read.flows):
            for argument in ARGUMENTS:
                seen[agree(text, "sums it up", [argument])] += 1
    assert seen["value"] >= 100, seen


@GENEROUS
@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_but_never_breaks_the_parser(text: str):
    ours.problems(text)
    ours.problems(f"flow f $text\n  return {text}\n")
    ours.problems(f"flow f $text\n  {text}\n  return 1\n")
