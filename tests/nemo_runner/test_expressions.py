"""What was parsed once gives what NeMo's own gives: values, changes of the context, and errors."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from nemoguardrails.colang.v2_x.runtime import eval as evaluator

from nemo_runner.expressions import eval_expression

nemo: Any = evaluator
CONTEXT: dict[str, Any] = {
    "t": "i took 20 pills",
    "n": ["20"],
    "g": {"a": "pills?", "b": []},
    "x": None,
    "o": 3,
    "u": "c438-b1",
    "q": "it's \n",
    "_global_y": 3,
    "_global_g2": {"a": 1},
}
EXPRESSIONS = [
    '"a" + "b"',
    "'''a'''",
    '"{{1,2}}" + "\\\\b"',
    '"{{{{1}}}}"',
    '"{{{1}}}"',
    '"{{" + "}"',
    '"{{$t}}"',
    'search("pill", $t)',
    'find_all("\\\\d+", $t)',
    "search($g.a, $t)",
    "int($n[0]) * 2 >= 40 and not $x",
    "$y + 1",
    "$g2.a",
    "$g.b.append(1)",
    "$g.pop('a')",
    '"say {$t}"',
    '"say $t"',
    '"|".join($n + ["b"])',
    '$t.replace("20", "2")',
    '[["rule", $n], {"k": $y}]',
    "len($n) > 0",
    "list((1, 2))",
    'regex("a")',
    "$x.nothing",
    "$g.missing",
    "$g",
    "$o.real",
    "$o.arguments",
    "member($g, 'a')",
    "Add(1, 2)",
    "'(a flow){$u}'",
    "'(a flow){$t} b'",
    "'{$q}'",
    "'{$missing}'",
    "$n[7]",
    "undefined(1)",
    "1 +",
    "",
    'find_all("(", $t)',
    "__import__('os')",
    "(1).__class__",
    None,
    True,
    7,
]


def outcome(evaluate: Callable[[Any, dict[str, Any]], Any], expression: object) -> tuple[object, object]:
    context = copy.deepcopy(CONTEXT)
    try:
        return evaluate(expression, context), context
    except Exception as error:
        return (type(error), str(error)), context


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_parsed_once_and_each_time_agree(expression: object) -> None:
    plain = outcome(nemo.eval_expression, expression)
    assert outcome(eval_expression, expression) == plain
    assert outcome(eval_expression, expression) == plain  # from what was kept, too
