"""The prepared evaluator gives what NeMo's own gives: values, changes of the context, and errors."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import simpleeval
from nemoguardrails.colang.v2_x.runtime import eval as evaluator

from carerails_nemo.evaluation import prepare_evaluator

nemo: Any = evaluator
CONTEXT: dict[str, Any] = {"t": "i took 20 pills", "n": ["20"], "g": {"a": "pills?"}, "x": None, "_global_y": 3}
EXPRESSIONS = [
    '"a" + "b"',
    '"{{1,2}}" + "\\\\b"',
    'search("pill", $t)',
    'find_all("\\\\d+", $t)',
    "search($g.a, $t)",
    "int($n[0]) * 2 >= 40 and not $x",
    "$y + 1",
    '"say {$t}"',
    '"|".join($n + ["b"])',
    '$t.replace("20", "2")',
    '[["rule", $n], {"k": $y}]',
    "len($n) > 0",
    "list((1, 2))",
    "$x.nothing",
    "$n[7]",
    "undefined(1)",
    "1 +",
    'find_all("(", $t)',
    "__import__('os')",
    "(1).__class__",
]


def outcome(expression: str) -> tuple[object, object]:
    context = copy.deepcopy(CONTEXT)
    try:
        return nemo.eval_expression(expression, context), context
    except Exception as error:
        return (type(error), str(error)), context


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_prepared_and_plain_agree(expression: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nemo, "EvalWithCompoundTypes", simpleeval.EvalWithCompoundTypes)
    plain = outcome(expression)
    prepare_evaluator()
    assert outcome(expression) == plain
    assert outcome(expression) == plain  # from the kept parse, too
