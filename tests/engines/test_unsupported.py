"""What an engine lacks is counted, and is never scored as a pass; what it merely misses is a miss."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import ClassVar

import pytest

from carerails.config import load_settings
from carerails.contracts import TurnDecision
from carerails.engine import FailSafeEngine
from carerails.evals.cases import Case
from carerails.evals.scoring import as_row
from carerails.evals.tally import tally
from carerails_native import NativeEngine
from tests.kit import ScriptedEngine, says

ALLOW = TurnDecision(decision="allow")
CHECK_IN = TurnDecision(decision="check-in", template_slug="supportive-check-in")
CRISIS = TurnDecision(decision="escalate", severity="crisis", template_slug="mental-health-crisis")


class Partial(ScriptedEngine):
    capabilities = frozenset({"escalate", "refuse"})
    unsupported: ClassVar = dict.fromkeys(("red flag stroke", "red flag suicide", "scope dosing"), "it counts")


def lacks(rails: Path, engine: ScriptedEngine) -> frozenset[str]:
    return FailSafeEngine(engine, NativeEngine(rails).policy, load_settings()).lacks


def test_it_lacks_outcomes_and_what_no_rule_of_it_expresses(rails: Path):
    assert lacks(rails, Partial(says())) == {"check-in", "stroke", "suicide", "dosing", "out-of-scope-dosing"}
    assert asyncio.run(_native_lacks(rails)) == frozenset()


async def _native_lacks(rails: Path) -> frozenset[str]:
    native = NativeEngine(rails)
    async with FailSafeEngine(native, native.policy, load_settings()) as engine:
        return engine.lacks


def case(**gold: object) -> Case:
    return Case.model_validate({"id": "1", "text": "x", "locale": "en", **gold})


@pytest.mark.parametrize(
    ("gold", "decision", "right", "counted"),
    [
        (case(expected="check-in"), CHECK_IN, 0, 1),
        (case(expected="check-in"), CRISIS, 0, 1),
        (case(expected="escalate", category="stroke"), CRISIS, 0, 1),
        (case(expected="escalate", category="bleeding"), CRISIS, 1, 0),
        (case(expected="refuse", slug="out-of-scope-dosing"), ALLOW, 0, 1),
        (case(expected="allow"), ALLOW, 1, 0),
        (case(expected="escalate", category="bleeding"), ALLOW, 0, 0),
    ],
)
def test_a_case_that_asks_for_it_is_unsupported_and_never_right(
    gold: Case, decision: TurnDecision, right: int, counted: int
):
    row = as_row("s", gold, decision, 1.0, lacks={"check-in", "stroke", "out-of-scope-dosing"})
    assert (row.metrics["right"], row.metrics["unsupported"]) == ((right, 1), (counted, 1))


def test_an_engine_that_lacks_nothing_has_no_such_column_and_a_miss_stays_a_miss():
    assert "unsupported" not in as_row("s", case(expected="allow"), ALLOW, 1.0).metrics
    missed = as_row("s", case(expected="escalate", category="stroke"), ALLOW, 1.0, lacks={"stroke"})
    assert missed.missed
    (score, *_) = tally([missed]).scores("e")
    assert (score.rates["unsupported"].hits, score.rates["recall"].hits) == (1, 0)
