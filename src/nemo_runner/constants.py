"""What does not depend on the turn is evaluated once, at start, by NeMo's own evaluator.

NeMo evaluates every statement of a flow anew on every turn, from its source text, and an awaited flow that only puts
patterns together takes it a millisecond. Here such statements leave the flow: for `$all` of `$all = $words + "..."`,
what stays behind reads `$const_7`, which the flow holds (expressions.py). A flow with anything in it but assignments,
calls, `if` and `return` stays as it is, and so do flows without parameters, branches, and variables that a branch
assigns.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping
from typing import Any

from nemoguardrails.colang.v2_x.lang import colang_ast
from nemoguardrails.colang.v2_x.runtime import eval as evaluator

from nemo_runner.expressions import CONSTANT

# NeMo's own types are partly unknown to a type checker.
ast: Any = colang_ast
nemo: Any = evaluator
Element = FlowConfig = Any

_VARIABLE = re.compile(r"\$([A-Za-z_]\w*)")


def take_constants(flows: Mapping[str, FlowConfig]) -> None:
    """Give flows `constants` and elements without them, before NeMo first expands them."""
    for flow in flows.values():
        if flow.parameters and all(map(_is_plain, _inside(flow.elements[1:]))):
            flow.constants = _taken(flow, flows)


def _taken(flow: FlowConfig, flows: Mapping[str, FlowConfig]) -> dict[str, Any]:
    """The constants that one flow still reads, by name, taken out of it."""
    start, *body = flow.elements
    branched = {_target(element) for branch in body for element in _inside([branch]) if element is not branch}
    values: dict[str, Any] = {}
    known: dict[str, str] = {}  # the constant that a variable is at this point
    left: list[Element] = []
    for element in body:
        name = _target(element)
        now = {variable: values[shared] for variable, shared in known.items()}
        value = _value(element, now, flows) if name and name not in branched else ()
        if value:
            known[name] = f"{CONSTANT}{len(values)}"
            values[known[name]] = value[0]
        else:
            left.append(_renamed(element, known))
            known.pop(name, None)
    flow.elements = [start, *left]
    return {name: values[name] for name in _read(left) if name in values}


def _value(element: Element, known: Mapping[str, Any], flows: Mapping[str, FlowConfig]) -> tuple[Any, ...]:
    """What an assignment, call or `return` always gives, as a tuple of one; empty where that depends on the turn."""
    if isinstance(element, ast.SpecOp):
        return () if element.spec.arguments else _returned(flows.get(element.spec.name), flows)
    if not known.keys() >= _read([element]).keys():
        return ()
    try:
        return (nemo.eval_expression(element.expression, dict(known)),)
    except Exception:
        return ()  # it fails in its turn, as it would have


def _returned(flow: FlowConfig | None, flows: Mapping[str, FlowConfig]) -> tuple[Any, ...]:
    """What a flow of nothing but constants returns; empty for any other flow."""
    known: dict[str, Any] = {}
    for element in flow.elements[1:] if flow and not flow.parameters else ():
        if _is_note(element):
            continue
        name = _target(element)
        value = _value(element, known, flows) if name or isinstance(element, ast.Return) else ()
        if not name or not value:
            return value
        known[name] = value[0]
    return ()


def _renamed(element: Element, known: Mapping[str, str]) -> Element:
    """The element, and what it holds, with constants in place of known variables."""
    element = copy.deepcopy(element)
    for one in _inside([element]):
        for owner, key in _texts(one):
            owner[key] = _VARIABLE.sub(lambda match: f"${known.get(match[1], match[1])}", owner[key])
    return element


def _read(elements: list[Element]) -> dict[str, None]:
    """The variables that the elements read, in order."""
    texts = (owner[key] for element in _inside(elements) for owner, key in _texts(element))
    return dict.fromkeys(name for text in texts for name in _VARIABLE.findall(text))


def _texts(element: Element) -> list[tuple[dict[str, str], str]]:
    """Where an element holds its expressions: a dict, and the key in it."""
    if isinstance(element, ast.SpecOp):
        return [(element.spec.arguments, key) for key in element.spec.arguments or ()]
    return [(vars(element), "expression")] if getattr(element, "expression", None) else []


def _is_plain(element: Element) -> bool:
    """Whether all that an element reads and sets is seen here."""
    if isinstance(element, ast.SpecOp):
        return element.op == "await" and getattr(element.spec, "spec_type", None) == ast.SpecType.FLOW
    return _is_note(element) or isinstance(element, (ast.Assignment, ast.If, ast.Return))


def _is_note(element: Element) -> bool:
    """A docstring or the like, which NeMo keeps as a dict and skips."""
    return isinstance(element, dict) and "$" not in str(element)  # pyright: ignore[reportUnknownArgumentType]


def _target(element: Element) -> str:
    """The variable that an assignment or a call sets."""
    if isinstance(element, ast.Assignment):
        return element.key
    return (isinstance(element, ast.SpecOp) and element.return_var_name) or ""


def _inside(elements: list[Element]) -> Iterator[Element]:
    """The elements and those in their branches."""
    for element in elements:
        yield element
        if isinstance(element, ast.If):
            yield from _inside(element.then_elements)
            yield from _inside(element.else_elements or [])
