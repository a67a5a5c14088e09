"""NeMo reads and parses an expression each time a statement runs; here a plain one is made a function once.

Plain is one of names, members, constants, lists, operators, and calls of NeMo's plainest functions and of `join` and
`replace`, without interpolation. Such a function gives what NeMo's own evaluator gives, by the same operators; where it
fails, or meets a value that the evaluator would look into more closely, NeMo's own is asked, which says what is wrong.
NeMo's own names of flows, `'(check turn){uid()}'`, are read here too. No text of a user is kept.

NeMo copies all variables of a flow for each expression; here that is done only where its own evaluator is asked.
Whoever else uses NeMo in this process gets the same values, sooner.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import ModuleType
from typing import Any, TypeAlias, cast

import simpleeval
from nemoguardrails.colang.v2_x.runtime import eval as evaluator
from nemoguardrails.colang.v2_x.runtime import statemachine

# simpleeval and NeMo are untyped.
nemo: Any = evaluator
machine: Any = statemachine
library: Any = simpleeval
_nemos_own: Callable[[Any, dict[str, Any]], Any] = nemo.eval_expression
_nemos_context: Callable[[Any, Any], dict[str, Any]] = machine._get_eval_context

#: Distinct expressions of a large program are some thousands.
_KEPT = 8192
#: Variables that stand for what does not change: `carerails` calls no variable so.
CONSTANT = "const_"
#: As NeMo finds variables, in strings too.
_VARIABLE = re.compile(r"\$([a-zA-Z_][a-zA-Z0-9_]*)")
#: What NeMo adds to the variables of a flow.
_ADDED = frozenset({"system", "self"})
#: Values that simpleeval lets pass without looking into them.
_PRIMITIVES = frozenset({str, int, bool, float, type(None)})
#: A single brace, which interpolates or makes a dict.
_NOT_PLAIN = re.compile(r"(?<!\{)(?:\{\{)*\{(?!\{)|(?<!\})(?:\}\})*\}(?!\})")
#: A string that ends in one interpolation, and what NeMo does not escape when it interpolates.
_NAME = re.compile(r"'([^'\"{}$\\]*)\{([^'\"{}]+)\}'")
_UNESCAPED = re.compile(r"[\w ()-]*")
#: Methods of strings that change nothing.
_METHODS = frozenset({"join", "replace"})
_FUNCTIONS: dict[str, Any] = {
    **library.DEFAULT_FUNCTIONS,
    "search": nemo._regex_search,
    "find_all": nemo._regex_findall,
    "uid": nemo.new_uuid,
    "len": len,
}
_NONE: Mapping[str, Any] = {}


class Context:
    """What the expressions of a running flow may read."""

    __slots__ = ("_flow", "_state", "constants", "own", "shared")

    def __init__(self, state: Any, flow: Any) -> None:
        self._state, self._flow = state, flow
        self.own: dict[str, Any] = flow.context
        self.shared: Mapping[str, Any] = state.context
        self.constants: Mapping[str, Any] = getattr(state.flow_configs.get(flow.flow_id), "constants", _NONE)

    def copied(self) -> dict[str, Any]:
        """All of it, as NeMo's own evaluator takes it."""
        return {**_nemos_context(self._state, self._flow), **self.constants}


class _Copied:
    """What NeMo has copied already."""

    __slots__ = ("constants", "own", "shared")

    def __init__(self, context: dict[str, Any]) -> None:
        self.own, self.constants = context, _NONE
        self.shared = {name.removeprefix("_global_"): value for name, value in context.items()}


_Read: TypeAlias = Context | _Copied
_Made: TypeAlias = Callable[[_Read], Any]


class _LeftToNemo(Exception):
    """NeMo's own evaluator has more to do, or to refuse."""


def read_once() -> None:
    """Let NeMo's state machine evaluate what was parsed."""
    machine.eval_expression = eval_expression
    machine._get_eval_context = Context


def eval_expression(expr: Any, context: Context | dict[str, Any]) -> Any:
    """What NeMo's function of that name gives, raises and changes in the context."""
    made = _made(expr) if isinstance(expr, str) else None
    if made:
        try:
            return made(_Copied(context) if isinstance(context, dict) else context)
        except Exception:
            pass  # NeMo's own function says what is wrong
    return _nemos_own(expr, context if isinstance(context, dict) else context.copied())


@lru_cache(maxsize=_KEPT)
def _made(expr: str) -> _Made | None:
    """A function of the context; None where the expression is not plain."""
    try:
        name = _NAME.fullmatch(expr)
        if name:
            return _named(name[1], _of(name[2]))
        return _of(expr)
    except (_LeftToNemo, SyntaxError, ValueError, RecursionError, library.InvalidExpression):
        return None


def _named(head: str, made: _Made) -> _Made:
    def value(context: _Read) -> str:
        end = str(made(context))
        if not _UNESCAPED.fullmatch(end):
            raise _LeftToNemo
        return head + end

    return value


def _of(expr: str) -> _Made:
    if _NOT_PLAIN.search(expr):
        raise _LeftToNemo
    text = _VARIABLE.sub(r"var_\1", expr.replace("{{", "{").replace("}}", "}"))
    [statement] = ast.parse(text.strip()).body
    if not isinstance(statement, ast.Expr):
        raise _LeftToNemo
    return _node(statement.value)


def _node(node: ast.expr) -> _Made:
    make = _NODES.get(type(node))
    if make is None:
        raise _LeftToNemo
    return make(node)


def _constant(node: ast.Constant) -> _Made:
    value = node.value
    if type(value) not in _PRIMITIVES or (isinstance(value, str) and len(value) > library.MAX_STRING_LENGTH):
        raise _LeftToNemo
    return lambda context: value


def _variable(node: ast.Name) -> Callable[[_Read], Any]:
    """The value of a variable as it is."""
    name = node.id.removeprefix("var_")
    if name == node.id or name in _ADDED:
        raise _LeftToNemo
    if name.startswith(CONSTANT):
        return lambda context: context.constants[name]
    shared = f"_global_{name}"

    def value(context: _Read) -> Any:
        own = context.own
        return context.shared[name] if shared in own else own.get(name)

    return value


def _name(node: ast.Name) -> _Made:
    read = _variable(node)

    def value(context: _Read) -> Any:
        found = read(context)
        if type(found) in _PRIMITIVES:
            return found
        _check(found)
        return nemo.AttributeDict(found) if isinstance(found, dict) else found

    return value


def _check(value: Any) -> None:
    """Leave to NeMo what simpleeval may refuse: functions and modules, in whatever holds them."""
    if type(value) in _PRIMITIVES:
        return
    if isinstance(value, (list, dict)):
        held = cast("list[Any] | dict[Any, Any]", value)
        for each in held.values() if isinstance(held, dict) else held:
            _check(each)
    elif callable(value) or isinstance(value, (tuple, set, frozenset, ModuleType)):
        raise _LeftToNemo


def _attribute(node: ast.Attribute) -> _Made:
    """A member. Of a dict in a variable only that is looked at, and not all of a large one."""
    name = node.attr
    if name.startswith(tuple(library.DISALLOW_PREFIXES)) or name in library.DISALLOW_METHODS:
        raise _LeftToNemo
    of_dict = not hasattr(nemo.AttributeDict, name)
    base = _variable(node.value) if isinstance(node.value, ast.Name) else _node(node.value)
    member: Callable[[Any, str], Any] = nemo.AttributeDict.__getattr__ if isinstance(node.value, ast.Name) else _item

    def value(context: _Read) -> Any:
        held = base(context)
        if not isinstance(held, dict):
            found = getattr(held, name)
        elif of_dict:
            found = member(held, name)
        else:
            raise _LeftToNemo
        if type(found) not in _PRIMITIVES:
            _check(found)
        return found

    return value


def _item(held: Any, name: str) -> Any:
    return getattr(held, name) if isinstance(held, nemo.AttributeDict) else held[name]


def _call(node: ast.Call) -> _Made:
    if node.keywords:
        raise _LeftToNemo
    given = [_node(argument) for argument in node.args]
    if isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS:
        base, method = _node(node.func.value), getattr(str, node.func.attr)
        return lambda context: method(base(context), *[each(context) for each in given])
    function = _FUNCTIONS.get(node.func.id) if isinstance(node.func, ast.Name) else None
    if function is None:
        raise _LeftToNemo
    if len(given) == 2:
        one, two = given
        return lambda context: function(one(context), two(context))
    return lambda context: function(*[each(context) for each in given])


def _list(node: ast.List) -> _Made:
    elements = [_node(each) for each in node.elts]
    return lambda context: [each(context) for each in elements]


def _subscript(node: ast.Subscript) -> _Made:
    base, key = _node(node.value), _node(node.slice)
    return lambda context: base(context)[key(context)]


def _unary(node: ast.UnaryOp) -> _Made:
    operator, operand = _operator(node.op), _node(node.operand)
    return lambda context: operator(operand(context))


def _binary(node: ast.BinOp) -> _Made:
    operator, left, right = _operator(node.op), _node(node.left), _node(node.right)
    return lambda context: operator(left(context), right(context))


def _compare(node: ast.Compare) -> _Made:
    if len(node.ops) > 1:
        raise _LeftToNemo
    operator, left, right = _operator(node.ops[0]), _node(node.left), _node(node.comparators[0])
    return lambda context: operator(left(context), right(context))


def _boolean(node: ast.BoolOp) -> _Made:
    parts = [_node(each) for each in node.values]
    stops = isinstance(node.op, ast.Or)

    def value(context: _Read) -> Any:
        found: Any = None
        for part in parts:
            found = part(context)
            if bool(found) is stops:
                break
        return found

    return value


def _operator(node: ast.AST) -> Callable[..., Any]:
    operator = library.DEFAULT_OPERATORS.get(type(node))
    if operator is None:
        raise _LeftToNemo
    return operator


_NODES: Mapping[type[ast.AST], Callable[[Any], _Made]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.List: _list,
    ast.Subscript: _subscript,
    ast.UnaryOp: _unary,
    ast.BinOp: _binary,
    ast.Compare: _compare,
    ast.BoolOp: _boolean,
}
