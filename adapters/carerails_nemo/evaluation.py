"""NeMo reads an expression's source and parses it each time a statement runs; here that is done once.

The evaluator is NeMo's own (`simpleeval` with NeMo's functions), and whatever is not plain, an interpolated string or a
dict, goes to NeMo's own function. Whoever else uses NeMo in this process gets the same values, sooner.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import simpleeval
from nemoguardrails.colang.v2_x.runtime import eval as evaluator
from nemoguardrails.colang.v2_x.runtime import statemachine

# simpleeval and NeMo are untyped.
Base: Any = simpleeval.EvalWithCompoundTypes
nemo: Any = evaluator
machine: Any = statemachine

Plan = tuple[tuple[str, ...], str, Any]
#: Distinct expressions of a large policy are some hundreds.
_KEPT = 4096
#: As NeMo finds variables, in strings too.
_VARIABLE = re.compile(r"\$([a-zA-Z_][a-zA-Z0-9_]*)")
#: Interpolation, dicts, and the one function that depends on the state.
_NOT_PLAIN = re.compile(r"[{}]|flows_info")
_nemos_own: Callable[[Any, dict[str, Any]], Any] = nemo.eval_expression
_blank: Any = Base(functions={}, names={})
_HANDLERS: dict[type, str] = {kind: handler.__name__ for kind, handler in _blank.nodes.items()}


class _Prepared(Base):
    """Equal to its base, made from a blank one."""

    def __init__(self, functions: dict[str, Any], names: dict[str, Any]) -> None:
        self.__dict__.update(_blank.__dict__)
        self.functions = functions
        self.names = names
        self.nodes = {kind: getattr(self, name) for kind, name in _HANDLERS.items()}


def prepare_evaluator() -> None:
    """Let NeMo's state machine evaluate with what was prepared."""
    machine.eval_expression = eval_expression


def eval_expression(expr: Any, context: dict[str, Any]) -> Any:
    """What NeMo's function of that name gives, raises and changes in the context."""
    plan = _plan(expr) if isinstance(expr, str) else None
    if plan is None:
        return _nemos_own(expr, context)
    names, source, node = plan
    found: dict[str, Any] = {}
    for name in names:
        shared = f"_global_{name}"
        value = context.get(shared) if shared in context else context.get(name)
        found[f"var_{name}"] = nemo.AttributeDict(value) if isinstance(value, dict) else value
    try:
        result = _Prepared(_functions(), found).eval(source, node)
        _write_back(found, context)
    except Exception as error:
        raise nemo.ColangValueError(f"Error evaluating '{expr}', {error}") from error
    return result


def _write_back(found: dict[str, Any], context: dict[str, Any]) -> None:
    """Dicts are copies for the time of the evaluation: what it changed in them goes back."""
    for name, value in found.items():
        if isinstance(value, nemo.AttributeDict):
            shared = f"_global_{name[4:]}"
            original = context[shared if shared in context else name[4:]]
            if original != value:
                original.clear()
                original.update(value)


@lru_cache(maxsize=_KEPT)
def _plan(expr: str) -> Plan | None:
    """Variables, source and parse of an expression; None where NeMo's own function has more to do, or to refuse."""
    if _NOT_PLAIN.search(expr):
        return None
    names = tuple(dict.fromkeys(_VARIABLE.findall(expr)))
    source = _VARIABLE.sub(r"var_\1", expr)
    try:
        return names, source, Base.parse(source)
    except Exception:
        return None


@lru_cache(maxsize=1)
def _functions() -> dict[str, Any]:
    """The functions that NeMo gives its evaluators, taken from one that it makes."""
    made: list[dict[str, Any]] = []

    class Spy(Base):
        def __init__(self, functions: dict[str, Any], names: dict[str, Any]) -> None:
            Base.__init__(self, functions=functions, names=names)
            made.append(self.functions)

    own, nemo.EvalWithCompoundTypes = nemo.EvalWithCompoundTypes, Spy
    try:
        _nemos_own("1", {})
    finally:
        nemo.EvalWithCompoundTypes = own
    return made[0]
