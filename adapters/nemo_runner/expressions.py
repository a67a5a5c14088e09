"""NeMo reads and parses an expression each time a statement runs; here a plain one is parsed once.

Plain is one without interpolation and without calls of methods other than `join` and `replace`, which change nothing,
so that it may be tried here and left to NeMo where it fails. NeMo's own names of flows, `'(check turn){uid()}'`, are
read here too. Whoever else uses NeMo in this process gets the same values, sooner.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import simpleeval
from nemoguardrails.colang.v2_x.runtime import eval as evaluator
from nemoguardrails.colang.v2_x.runtime import statemachine

# simpleeval and NeMo are untyped.
nemo: Any = evaluator
machine: Any = statemachine
library: Any = simpleeval
_nemos_own: Callable[[Any, dict[str, Any]], Any] = nemo.eval_expression

#: Distinct expressions of a large program are some hundreds.
_KEPT = 4096
#: As NeMo finds variables, in strings too.
_VARIABLE = re.compile(r"\$([a-zA-Z_][a-zA-Z0-9_]*)")
#: A single brace, which interpolates or makes a dict, and a method that may change what it is called on.
_NOT_PLAIN = re.compile(r"(?<!\{)(?:\{\{)*\{(?!\{)|(?<!\})(?:\}\})*\}(?!\})|\.\s*(?!(?:join|replace)\s*\()\w+\s*\(")
#: A string that ends in one interpolation, and what NeMo does not escape when it interpolates.
_NAME = re.compile(r"'([^'\"{}$\\]*)\{([^'\"{}]+)\}'")
_UNESCAPED = re.compile(r"[\w ()-]*")
_FUNCTIONS: dict[str, Any] = {
    **library.DEFAULT_FUNCTIONS,
    "search": nemo._regex_search,
    "find_all": nemo._regex_findall,
    "uid": nemo.new_uuid,
    "len": len,
}


class _Parsed(NamedTuple):
    tree: ast.AST
    names: tuple[str, ...]


def read_once() -> None:
    """Let NeMo's state machine evaluate what was parsed."""
    machine.eval_expression = eval_expression


def eval_expression(expr: Any, context: dict[str, Any]) -> Any:
    """What NeMo's function of that name gives, raises and changes in the context."""
    if isinstance(expr, str):
        try:
            parsed = _parsed(expr)
            if parsed:
                names = {f"var_{name}": _value(name, context) for name in parsed.names}
                return library.EvalWithCompoundTypes(functions=_FUNCTIONS, names=names).eval(expr, parsed.tree)
            name = _NAME.fullmatch(expr)
            if name and _UNESCAPED.fullmatch(value := str(eval_expression(name[2], context))):
                return name[1] + value
        except Exception:
            pass  # NeMo's own function says what is wrong
    return _nemos_own(expr, context)


def _value(name: str, context: dict[str, Any]) -> Any:
    """The variable's value, with members where it is a dict."""
    shared = f"_global_{name}"
    value = context.get(shared) if shared in context else context.get(name)
    return nemo.AttributeDict(value) if isinstance(value, dict) else value


@lru_cache(maxsize=_KEPT)
def _parsed(expr: str) -> _Parsed | None:
    """None where NeMo's own function has more to do, or to refuse."""
    if _NOT_PLAIN.search(expr):
        return None
    expr = expr.replace("{{", "{").replace("}}", "}")
    tree = library.EvalWithCompoundTypes.parse(_VARIABLE.sub(r"var_\1", expr))
    return _Parsed(tree, tuple(dict.fromkeys(_VARIABLE.findall(expr))))
