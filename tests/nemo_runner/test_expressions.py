"""What was parsed once gives what NeMo's own gives: values, changes of the context, and errors."""

from __future__ import annotations

import copy
import gc
import sys
from collections.abc import Callable
from types import SimpleNamespace
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


def test_a_list_is_given_anew():
    context: dict[str, Any] = {}
    first = eval_expression('["a", "b"]', context)
    first.append("c")
    assert eval_expression('["a", "b"]', context) == ["a", "b"]


def test_a_new_name_is_a_new_one():
    assert eval_expression("uid()", {}) != eval_expression("uid()", {})


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_a_running_flow_gives_what_its_copied_variables_give(expression: object) -> None:
    """And its constants stand beside them, also where NeMo's own evaluator is asked."""
    own = {name: value for name, value in copy.deepcopy(CONTEXT).items() if not name.startswith("_global_")}
    own |= {name: None for name in CONTEXT if name.startswith("_global_")}
    shared = {name.removeprefix("_global_"): CONTEXT[name] for name in CONTEXT if name.startswith("_global_")}
    flow = SimpleNamespace(context=own, flow_id="a flow")
    held = SimpleNamespace(constants={"const_0": "pill"})
    state = SimpleNamespace(context=copy.deepcopy(shared), flow_configs={"a flow": held}, rails_config=None)
    context: Any = expressions.Context(state, flow)

    def running(expression: object, copied: dict[str, Any]) -> Any:
        value = eval_expression(expression, context)
        copied.clear()
        copied.update({name: own[name] for name in own if not name.startswith("_global_")})
        copied.update({f"_global_{name}": state.context[name] for name in shared})
        return value

    value, left = outcome(running, expression)
    assert (value, left) == outcome(nemo.eval_expression, expression)
    assert eval_expression("search($const_0, $t)", context) is True
    assert eval_expression('"say {$const_0}"', context) == "say pill"


def test_most_are_read_here():
    left = {e for e in EXPRESSIONS if isinstance(e, str) and expressions._made(e) is None}  # pyright: ignore[reportPrivateUsage]
    assert {'search("pill", $t)', "$g.a", "$o.arguments", "not($t)", "'(a flow){$u}'"}.isdisjoint(left)
    assert '"say {$t}"' in left


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
    assert said not in repr(vars(expressions))
    gc.collect()
    ours = [context, context["said"], sys._getframe()]  # pyright: ignore[reportPrivateUsage]
    assert [each for each in gc.get_referrers(said) if not any(each is one for one in ours)] == []
