"""What does not depend on the turn is evaluated once, at start, by NeMo's own evaluator.

NeMo evaluates every statement of a flow anew on every turn, from its source text: about 60 us each, 0.1 us more for
each character of a string, and a millisecond for a flow of vocabulary. Most statements of a rule only put its patterns
together. Here those leave the flow: for `$all` of `$all = $words + "..."`, what stays behind reads the global variable
`$const_7`. A flow with anything in it but assignments, calls, `if` and `return` stays as it is, as do `main` and flows
without parameters, which run at start only.
"""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from nemoguardrails.colang.v2_x.lang import colang_ast
from nemoguardrails.colang.v2_x.runtime import eval as evaluator

# NeMo's own types are partly unknown to a type checker.
ast: Any = colang_ast
nemo: Any = evaluator
Element = FlowConfig = Any
Elements = list[Element]

_VARIABLE = re.compile(r"\$([A-Za-z_]\w*)")


def take_constants(flows: Mapping[str, FlowConfig]) -> dict[str, Any]:
    """Give flows elements without constants, before NeMo first expands them.

    Returns:
        The global variables that the flows read from now on.
    """
    values: dict[str, Any] = {}
    for flow in flows.values():
        if flow.parameters and all(map(_is_plain, _inside(flow.elements[1:]))):
            _Flow(flow, flows, values).rewrite()
    return values


class _Flow:
    """One flow on its way: `values` are all constants so far, by global name."""

    def __init__(self, flow: FlowConfig, flows: Mapping[str, FlowConfig], values: dict[str, Any]) -> None:
        self._flow, self._flows, self._values = flow, flows, values
        self._uses = _uses(flow.elements)
        self._assigned = Counter(map(_target, _inside(flow.elements)))
        self._read: list[str] = []

    def rewrite(self) -> None:
        start, *body = self._flow.elements
        rest = self._block(body, {})
        self._flow.elements = [start, *(ast.Global(name=f"${name}") for name in dict.fromkeys(self._read)), *rest]

    def _block(self, elements: Elements, outer: Mapping[str, str]) -> Elements:
        """What is left of the elements of a flow or branch; `outer` maps variables to the globals that replace them."""
        known, uses, left = dict(outer), _uses(elements), Elements()
        assigned = Counter(map(_target, elements))
        for element in elements:
            name = _target(element)
            # A variable used or assigned outside the branch depends on whether the branch is taken.
            if name and assigned[name] == self._assigned[name] and uses[name] == self._uses[name]:
                value = _value(element, {key: self._values[name] for key, name in known.items()}, self._flows)
                if value:
                    known[name] = f"const_{len(self._values)}"
                    self._values[known[name]] = value[0]
                    continue
            left.append(self._renamed(element, known))
            known.pop(name, None)
        return left

    def _renamed(self, element: Element, known: Mapping[str, str]) -> Element:
        def rename(match: re.Match[str]) -> str:
            if match[1] not in known:
                return match[0]
            self._read.append(known[match[1]])
            return f"${known[match[1]]}"

        element = copy.copy(element)
        if isinstance(element, ast.SpecOp):
            element.spec = copy.copy(element.spec)
            element.spec.arguments = {key: _VARIABLE.sub(rename, text) for key, text in _arguments(element).items()}
        elif _expression(element):
            element.expression = _VARIABLE.sub(rename, element.expression)
        if isinstance(element, ast.If):
            element.then_elements = self._block(element.then_elements, known)
            element.else_elements = element.else_elements and self._block(element.else_elements, known)
        return element


def _value(element: Element, known: Mapping[str, Any], flows: Mapping[str, FlowConfig]) -> tuple[Any, ...]:
    """What an assignment, call or `return` always gives, as a tuple of one; empty where that depends on the turn."""
    if isinstance(element, ast.SpecOp):
        return () if _arguments(element) else _returned(element.spec.name, flows)
    if any(name not in known for name in _VARIABLE.findall(_expression(element))):
        return ()
    try:
        return (nemo.eval_expression(element.expression, dict(known)),)
    except Exception:
        return ()  # it fails in its turn, as it would have


def _returned(name: str, flows: Mapping[str, FlowConfig]) -> tuple[Any, ...]:
    """What a flow of nothing but constants returns; empty for any other flow."""
    known: dict[str, Any] = {}
    flow = flows.get(name)
    for element in flow.elements[1:] if flow and not flow.parameters else ():
        name = _target(element)
        if not name and not isinstance(element, ast.Return):
            if _is_note(element):
                continue
            return ()
        value = _value(element, known, flows)
        if not name or not value:
            return value
        known[name] = value[0]
    return ()


def _is_note(element: Element) -> bool:
    """A docstring or the like, which NeMo keeps as a dict and skips."""
    return isinstance(element, dict) and "$" not in str(element)  # pyright: ignore[reportUnknownArgumentType]


def _is_plain(element: Element) -> bool:
    """Whether all that an element reads and sets is seen here."""
    if isinstance(element, ast.SpecOp):
        return element.op == "await" and getattr(element.spec, "spec_type", None) == ast.SpecType.FLOW
    return _is_note(element) or isinstance(element, (ast.Assignment, ast.If, ast.Return))


def _target(element: Element) -> str:
    """The variable that an assignment or a call sets."""
    if isinstance(element, ast.Assignment):
        return element.key
    return (isinstance(element, ast.SpecOp) and element.return_var_name) or ""


def _arguments(call: Element) -> dict[str, str]:
    return call.spec.arguments or {}


def _expression(element: Element) -> str:
    return getattr(element, "expression", None) or ""


def _inside(elements: Elements) -> Iterator[Element]:
    """The elements and those in their branches."""
    for element in elements:
        yield element
        if isinstance(element, ast.If):
            yield from _inside(element.then_elements)
            yield from _inside(element.else_elements or [])


def _uses(elements: Elements) -> Counter[str]:
    """How often each variable is read."""
    read: Counter[str] = Counter()
    for element in _inside(elements):
        for text in _arguments(element).values() if isinstance(element, ast.SpecOp) else (_expression(element),):
            read.update(_VARIABLE.findall(text))
    return read
