"""NeMo Guardrails as the yardstick: what its parser makes of a text, and what its evaluator makes of that.

`run` walks the elements of NeMo's own parse and gives each expression to NeMo's own evaluator, as its state machine
does; test_runtime.py shows on a sample that the whole runtime gives the same.
"""

from __future__ import annotations

import copy
import importlib
from collections.abc import Mapping, Sequence
from typing import Any

_parse: Any = importlib.import_module("nemoguardrails.colang").parse_colang_file
_evaluate: Any = importlib.import_module("nemoguardrails.colang.v2_x.runtime.eval").eval_expression


class Refused(Exception):
    """NeMo does not take it, at load or in the middle of a turn."""


def parsed(text: str) -> list[Any]:
    """Flows as NeMo reads them."""
    try:
        return _parse("x.co", text, version="2.x", include_source_mapping=True)["flows"]
    except Exception as error:
        raise Refused(str(error)) from error


def shape(flow: Any) -> tuple[Any, ...]:
    """Name, parameters, decorators, and every statement with its line."""
    decorators = [(decorator.name, decorator.parameters) for decorator in flow.decorators]
    return flow.name, [parameter.name for parameter in flow.parameters], decorators, _steps(flow.elements[1:])


def _steps(elements: Sequence[Any]) -> list[Any]:
    steps: list[Any] = []
    for element in elements:
        match type(element).__name__:
            case "Assignment":
                steps.append(("=", element.key, element._source.line))
            case "Return":
                steps.append(("return", element._source.line))
            case "SpecOp":
                spec = element.spec
                steps.append(
                    (element.op, spec.name, len(spec.arguments), element.return_var_name, element._source.line)
                )
            case "If":
                steps.append(("if", _steps(element.then_elements), _steps(element.else_elements or [])))
            case "dict":  # a docstring
                pass
            case other:
                steps.append(other)
    return steps


def evaluate(expression: str, variables: Mapping[str, Any]) -> Any:
    """The value of an expression."""
    try:
        return _evaluate(expression, copy.deepcopy(dict(variables)))
    except Exception as error:
        raise Refused(str(error)) from error


def run(flows: Sequence[Any], name: str, arguments: Sequence[Any]) -> Any:
    """The value of a flow."""
    flow = next(flow for flow in flows if flow.name == name)
    variables = dict(zip([parameter.name for parameter in flow.parameters], arguments, strict=True))
    returned = _run(flows, flow.elements[1:], variables)
    return returned[0] if returned else None


def _run(flows: Sequence[Any], elements: Sequence[Any], variables: dict[str, Any]) -> tuple[Any] | None:
    for element in elements:
        match type(element).__name__:
            case "Assignment":
                variables[element.key] = evaluate(element.expression, variables)
            case "Return":
                return (evaluate(element.expression, variables),)
            case "SpecOp":
                arguments = [evaluate(expression, variables) for expression in element.spec.arguments.values()]
                variables[element.return_var_name] = run(flows, element.spec.name, arguments)
            case "If":
                skip = evaluate(f"not({element.expression})", variables)
                returned = _run(flows, element.else_elements or [] if skip else element.then_elements, variables)
                if returned:
                    return returned
            case _:
                pass
    return None
