"""NeMo reads, parses and walks an expression each time a statement runs; here a plain one is compiled, once, to Python.

Plain is what our rails are made of: variables and their members, constants, lists, operators, `search`, `find_all`,
`len`, `int`, `join`, `replace`; and what NeMo adds for itself, ids and their names. Whatever else there is, another
interpolated string, function or method, anything that fails, goes to NeMo's own function. Whoever else uses NeMo in
this process gets the same values, sooner.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from functools import lru_cache
from types import CodeType
from typing import Any, NamedTuple

import simpleeval
from nemoguardrails.colang.v2_x.runtime import eval as evaluator
from nemoguardrails.colang.v2_x.runtime import statemachine

# simpleeval and NeMo are untyped.
nemo: Any = evaluator
machine: Any = statemachine
library: Any = simpleeval
_nemos_own: Callable[[Any, dict[str, Any]], Any] = nemo.eval_expression

#: Distinct expressions of a large policy are some hundreds.
_KEPT = 4096
#: As NeMo finds variables, in strings too.
_VARIABLE = re.compile(r"\$([a-zA-Z_][a-zA-Z0-9_]*)")
#: Interpolation and dicts; a doubled brace is one in a string.
_BRACE = re.compile(r"(?<!\{)(?:\{\{)*\{(?!\{)|(?<!\})(?:\}\})*\}(?!\})")
#: A string that ends in one interpolation, as NeMo names its flows: `'(check turn){uid()}'`.
_NAME = re.compile(r"'([^'\"{}$\\]*)\{([^'\"{}]+)\}'")
#: What NeMo does not escape when it interpolates.
_UNESCAPED = re.compile(r"[\w ()-]*")
_PLAIN = (
    *(ast.Expression, ast.Constant, ast.Name, ast.Load, ast.List, ast.Subscript, ast.Call, ast.Compare, ast.BoolOp),
    *(ast.UnaryOp, ast.And, ast.Or, ast.Not, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE),
    *(ast.Attribute, ast.BinOp),
)
_CALLED = ("search", "find_all", "uid", "len", "int", "str")
_METHODS = ("join", "replace")


def _member(owner: Any, key: str) -> Any:
    """`owner.key` as simpleeval reads it."""
    try:
        return getattr(owner, key)
    except (AttributeError, TypeError):
        return owner[key]


#: What compiled expressions may call. Sums and products have simpleeval's limits on size.
_FUNCTIONS: dict[str, Any] = {
    "__builtins__": {},
    "search": nemo._regex_search,
    "find_all": nemo._regex_findall,
    "uid": nemo.new_uuid,
    "len": len,
    "int": int,
    "str": str,
    "member": _member,
    **{kind.__name__: library.DEFAULT_OPERATORS[kind] for kind in (ast.Add, ast.Sub, ast.Mult)},
}


class _Plan(NamedTuple):
    """A compiled expression, and the variables in it."""

    code: CodeType
    names: tuple[str, ...]


class _NotPlainError(Exception):
    pass


def prepare_evaluator() -> None:
    """Let NeMo's state machine evaluate with what was compiled."""
    machine.eval_expression = eval_expression


def eval_expression(expr: Any, context: dict[str, Any]) -> Any:
    """What NeMo's function of that name gives, raises and changes in the context."""
    if isinstance(expr, str):
        try:
            plan = _plan(expr)
            if plan:
                return eval(plan.code, _FUNCTIONS, {f"var_{name}": _value(name, context) for name in plan.names})
            name = _NAME.fullmatch(expr)
            if name and _UNESCAPED.fullmatch(value := str(eval_expression(name[2], context))):
                return name[1] + value
        except Exception:
            pass  # NeMo's own function says what is wrong
    return _nemos_own(expr, context)


def _value(name: str, context: dict[str, Any]) -> Any:
    """The variable's value, with members where it is a dict; nothing plain can change it."""
    shared = f"_global_{name}"
    value = context.get(shared) if shared in context else context.get(name)
    return nemo.AttributeDict(value) if isinstance(value, dict) else value


@lru_cache(maxsize=_KEPT)
def _plan(expr: str) -> _Plan | None:
    """None where NeMo's own function has more to do, or to refuse."""
    if _BRACE.search(expr):
        return None
    expr = expr.replace("{{", "{").replace("}}", "}")
    names = tuple(dict.fromkeys(_VARIABLE.findall(expr)))
    try:
        tree = ast.parse(_VARIABLE.sub(r"var_\1", expr).strip(), mode="eval")
        plain = ast.fix_missing_locations(_Compiler(names).visit(tree))
        return _Plan(compile(plain, "<colang>", "eval"), names)
    except (SyntaxError, ValueError, _NotPlainError):
        return None


class _Compiler(ast.NodeTransformer):
    """Refuses what is not plain, and turns what NeMo reads differently from Python into calls."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._variables = {f"var_{name}" for name in names}

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, _PLAIN):
            return super().visit(node)
        raise _NotPlainError

    def visit_Name(self, node: ast.Name) -> ast.Name:
        if node.id not in self._variables:
            raise _NotPlainError
        return node

    def visit_Call(self, node: ast.Call) -> ast.Call:
        called = node.func
        if isinstance(called, ast.Attribute) and called.attr in _METHODS and not node.keywords:
            node.func = ast.Attribute(self.visit(called.value), called.attr, ast.Load())
        elif not (isinstance(called, ast.Name) and called.id in _CALLED and not node.keywords):
            raise _NotPlainError
        node.args = [self.visit(argument) for argument in node.args]
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.Call:
        operator = type(node.op).__name__
        if operator not in _FUNCTIONS:
            raise _NotPlainError
        return ast.Call(ast.Name(operator, ast.Load()), [self.visit(node.left), self.visit(node.right)], [])

    def visit_Attribute(self, node: ast.Attribute) -> ast.Call:
        if node.attr.startswith(("_", "func_")) or hasattr(dict, node.attr):
            raise _NotPlainError
        return ast.Call(ast.Name("member", ast.Load()), [self.visit(node.value), ast.Constant(node.attr)], [])
