"""NeMo reads and parses an expression each time a statement runs; here a plain one is parsed once.

Plain is one without interpolation and without calls of methods other than `join` and `replace`, which change nothing,
so that it may be tried here and left to NeMo where it fails. NeMo's own names of flows, `'(check turn){uid()}'`, are
read here too. What depends on no variable, or only on such values, is worked out once: no text of a user is kept.
Whoever else uses NeMo in this process gets the same values, sooner.
"""

from __future__ import annotations

import ast
import re
import threading
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple, cast

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
#: Values that simpleeval lets pass without looking into them.
_PRIMITIVES = frozenset({str, int, bool, float, type(None)})
#: A single brace, which interpolates or makes a dict, and a method that may change what it is called on.
_NOT_PLAIN = re.compile(r"(?<!\{)(?:\{\{)*\{(?!\{)|(?<!\})(?:\}\})*\}(?!\})|\.\s*(?!(?:join|replace)\s*\()\w+\s*\(")
#: A call whose value may be another one the next time.
_VARIES = re.compile(r"\b(?:uid|rand|randint)\s*\(")
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
    """A tree, the variables in it and their members, the variable that is all of it, and whether its value varies."""

    tree: ast.AST
    names: tuple[str, ...]
    members: tuple[tuple[str, str], ...]
    only: str | None
    varies: bool


Fixed = str | tuple[str, ...]
"""A value of the program, lists as tuples."""

#: What expressions of fixed values alone come to, and those values; both end at as many as are kept of expressions.
_results: dict[tuple[Any, ...], Any] = {}
_fixed: set[Fixed] = set()


def read_once() -> None:
    """Let NeMo's state machine evaluate what was parsed."""
    machine.eval_expression = eval_expression


def eval_expression(expr: Any, context: dict[str, Any]) -> Any:
    """What NeMo's function of that name gives, raises and changes in the context."""
    if isinstance(expr, str):
        try:
            parsed = _parsed(expr)
            if parsed:
                if parsed.only and type(value := _value(parsed.only, context)) in _PRIMITIVES:
                    return value
                return _evaluated(expr, parsed, _values(parsed, context))
            name = _NAME.fullmatch(expr)
            if name and _UNESCAPED.fullmatch(value := str(eval_expression(name[2], context))):
                return name[1] + value
        except Exception:
            pass  # NeMo's own function says what is wrong
    return _nemos_own(expr, context)


def _evaluated(expr: str, parsed: _Parsed, values: dict[str, Any]) -> Any:
    key = None if parsed.varies else _key(expr, values)
    if key is not None and key in _results:
        result = _results[key]
        return list(cast("tuple[str, ...]", result)) if isinstance(result, tuple) else result
    evaluator = _evaluators.own
    evaluator.names = values
    try:
        result = evaluator.eval(expr, parsed.tree)
    finally:
        evaluator.names = {}
    if key is not None and len(_results) < _KEPT:
        if (fixed := _as_fixed(result)) is not None:
            _fixed.add(fixed)
            _results[key] = fixed
        elif isinstance(result, int):
            _results[key] = result
    return result


def _key(expr: str, values: dict[str, Any]) -> tuple[Any, ...] | None:
    """The expression with its values; None where one of them is not the program's own."""
    key: list[Any] = [expr]
    for value in values.values():
        fixed = _as_fixed(value)
        if fixed is None or fixed not in _fixed:
            return None
        key.append(fixed)
    return tuple(key)


def _as_fixed(value: Any) -> Fixed | None:
    if type(value) is str:
        return value
    if type(value) is list and all(type(each) is str for each in cast("list[Any]", value)):
        return tuple(cast("list[str]", value))
    return None


class _Evaluators(threading.local):
    """simpleeval's evaluator takes longer to make than to use; one a thread, which evaluates one thing at a time."""

    def __init__(self) -> None:
        self.own = library.EvalWithCompoundTypes(functions=dict(_FUNCTIONS))


_evaluators = _Evaluators()


def _values(parsed: _Parsed, context: dict[str, Any]) -> dict[str, Any]:
    """By the names in the tree. Raises TypeError where what has a member is no dict."""
    values: dict[str, Any] = {}
    for name in parsed.names:
        value = _value(name, context)
        values[f"var_{name}"] = nemo.AttributeDict(value) if isinstance(value, dict) else value
    for name, member in parsed.members:
        value = _value(name, context)
        if not isinstance(value, dict):
            raise TypeError
        values[f"var_{name}.{member}"] = nemo.AttributeDict.__getattr__(value, member)
    return values


def _value(name: str, context: dict[str, Any]) -> Any:
    shared = f"_global_{name}"
    return context.get(shared) if shared in context else context.get(name)


class _Members(ast.NodeTransformer):
    """Makes one name of a variable and its member, so that a large dict is not copied and looked through for one."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, str], None] = {}

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A method is none."""
        method = node.func
        if isinstance(method, ast.Attribute):
            method.value = self.visit(method.value)
        node.args = [self.visit(argument) for argument in node.args]
        node.keywords = [self.visit(keyword) for keyword in node.keywords]
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """What simpleeval does not let see is left to it."""
        allowed = (
            not node.attr.startswith(tuple(library.DISALLOW_PREFIXES)) and node.attr not in library.DISALLOW_METHODS
        )
        if not isinstance(node.value, ast.Name) or not allowed or hasattr(nemo.AttributeDict, node.attr):
            return self.generic_visit(node)
        self.found[node.value.id.removeprefix("var_"), node.attr] = None
        return ast.copy_location(ast.Name(f"{node.value.id}.{node.attr}", node.ctx), node)


@lru_cache(maxsize=_KEPT)
def _parsed(expr: str) -> _Parsed | None:
    """None where NeMo's own function has more to do, or to refuse."""
    if _NOT_PLAIN.search(expr):
        return None
    expr = expr.replace("{{", "{").replace("}}", "}")
    tree = library.EvalWithCompoundTypes.parse(_VARIABLE.sub(r"var_\1", expr))
    members = _Members()
    tree = members.visit(tree)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    names = tuple(name for name in dict.fromkeys(_VARIABLE.findall(expr)) if f"var_{name}" in used)
    only = names[0] if names and isinstance(getattr(tree, "value", None), ast.Name) else None
    return _Parsed(tree, names, tuple(members.found), only, _VARIES.search(expr) is not None)
