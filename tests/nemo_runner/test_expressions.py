"""What was parsed once gives what NeMo's own gives: values, changes of the context, and errors."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from nemoguardrails.colang.v2_x.runtime import eval as evaluator

from nemo_runner import expressions
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
    "$g2.a + $g2.a + len($g)",
    "$t",
    "$n",
    "not($t)",
    "$g.keys() == 1",
    "$g.func_a",
    '["a", "b"] + ["c"]',
    '"|".join(["a", "b"]) + "c"',
    'len(["a"]) + 1',
    "True == 1",
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


def test_what_was_worked_out_once_is_given_anew():
    context: dict[str, Any] = {}
    first = eval_expression('["a", "b"]', context)
    first.append("c")
    assert eval_expression('["a", "b"]', context) == ["a", "b"]
    context["words"] = eval_expression('["a", "b"]', context)
    assert eval_expression('"|".join($words)', context) == "a|b"
    context["words"] = ["a"]
    assert eval_expression('"|".join($words)', context) == "a"


def test_a_new_name_is_a_new_one():
    assert eval_expression("uid()", {}) != eval_expression("uid()", {})


def test_nothing_that_a_user_says_is_kept():
    said = "i took twenty of them"
    words: Any = eval_expression('["took", "of"]', {})
    context = {"text": said, "words": words, "said": {"text": said}}
    for expression in (
        '$text.replace("took", "had")',
        '"x" + $text',
        '"|".join($words) + $text',
        "find_all($words[0], $text)",
        "$said.text",
    ):
        eval_expression(expression, context)
    with pytest.raises(evaluator.ColangValueError):
        eval_expression('$text.replace("took", 1)', context)
    held = vars(expressions)
    kept = repr((held["_results"], held["_fixed"], held["_evaluators"].own.names))
    assert "took|of" in repr(eval_expression('"|".join($words)', context))
    assert said not in kept
    assert "had twenty" not in kept
