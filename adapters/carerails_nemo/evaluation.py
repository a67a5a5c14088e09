"""NeMo makes a new evaluator and parses the source for every expression of every turn; here both are done once.

The evaluator is NeMo's own (`simpleeval`), with the same handlers and functions: only their making is shared. Whoever
else uses NeMo in this process gets the same values, sooner.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import simpleeval
from nemoguardrails.colang.v2_x.runtime import eval as evaluator

# simpleeval and NeMo are untyped.
Base: Any = simpleeval.EvalWithCompoundTypes
nemo: Any = evaluator

#: Distinct expressions of a large policy are some hundreds.
_KEPT = 4096
_blank: Any = Base(functions={}, names={})
_HANDLERS: dict[type, str] = {kind: handler.__name__ for kind, handler in _blank.nodes.items()}
_CONTAINERS: dict[str, Any] = _blank.functions


class _Prepared(Base):
    """Equal to its base, made from a blank one where it is made as NeMo makes it."""

    parse = staticmethod(lru_cache(maxsize=_KEPT)(Base.parse))

    def __init__(
        self, operators: Any = None, functions: Any = None, names: Any = None, allowed_attrs: Any = None
    ) -> None:
        if operators is not None or functions is None or names is None or allowed_attrs is not None:
            Base.__init__(self, operators, functions, names, allowed_attrs)
            return
        self.__dict__.update(_blank.__dict__)
        self.functions = {**functions, **_CONTAINERS}
        self.names = names
        self.nodes = {kind: getattr(self, name) for kind, name in _HANDLERS.items()}


def prepare_evaluator() -> None:
    """Let NeMo evaluate expressions with prepared evaluators."""
    nemo.EvalWithCompoundTypes = _Prepared
