"""The always-on gate: nothing behind it lowers what the floor escalates, and a failure behind it stays a failure."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from carerails.config import load_settings
from carerails.contracts import Outcome, Turn, TurnDecision
from carerails.engine import FailSafeEngine
from carerails.gate import GatedEngine
from carerails_native import NativeEngine
from tests.kit import Answer, ScriptedEngine, fails, says


def gated(rails: Path, answer: Answer, text: str) -> TurnDecision:
    native = NativeEngine(rails)
    floor = FailSafeEngine(native, native.policy, load_settings())
    engine = FailSafeEngine(ScriptedEngine(answer), native.policy, load_settings())
    return asyncio.run(GatedEngine(engine, floor).check(Turn.of(text, locale="en")))


STROKE = ("red flag stroke", "slurred speech")
RASH = ("urgent rash", "new rash")
DOSING = ("scope dosing", "double the dose")


@pytest.mark.parametrize(
    ("text", "behind", "outcome"),
    [
        ("slurred speech", says(), "emergency"),
        ("slurred speech", says(DOSING), "emergency"),
        ("slurred speech", says(RASH), "emergency"),
        ("a new rash", says(STROKE), "emergency"),
        ("a new rash", says(), "urgent"),
        ("so hopeless", says(), "allow"),  # only escalations pass through the gate
        ("double the dose", says(), "allow"),
        ("hello", says(DOSING), "refuse"),
    ],
)
def test_the_more_severe_stands(rails: Path, text: str, behind: Answer, outcome: Outcome):
    assert gated(rails, behind, text).outcome == outcome


def test_a_failure_behind_the_gate_is_still_told(rails: Path):
    decision = gated(rails, fails(RuntimeError()), "slurred speech")
    assert (decision.outcome, decision.failed, decision.engine) == ("emergency", True, "scripted")
