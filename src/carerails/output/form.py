"""What a deployment's model must answer: the envelope, and the fields that its profile asks for, read by its rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from carerails.drafting import DraftError, Form
from carerails.drafting.envelope import response_format
from carerails.output.schema import StructuredReply, parse_reply
from carerails.output.settings import OutputSettings


def form_of(rules: OutputSettings) -> Form:
    """The form of these field rules: a field that no rule speaks of is not asked for."""
    fields = dict(_fields(rules))

    def read(content: str) -> StructuredReply:
        parsed = parse_reply(content, rules)
        if parsed.data is None:
            errors = tuple(str(error) for error in parsed.errors)
            raise DraftError("malformed", ", ".join(errors), content, errors)
        return parsed.data

    return Form(response_format(fields), tuple(_asks(rules)), read)


def _fields(rules: OutputSettings) -> Iterator[tuple[str, dict[str, Any]]]:
    """The further fields, by the JSON schema of their values."""
    if rules.min_confidence > 0:
        yield "confidence", {"type": "number"}
    if rules.actions:
        yield "action", {"type": ["string", "null"], "enum": [*rules.actions, None]}
    if rules.quantities:
        amounts = {name: _amount(quantity.unit) for name, quantity in rules.quantities.items()}
        yield "quantities", _object(amounts)


def _amount(unit: str) -> dict[str, Any]:
    given = _object({"value": {"type": "number"}, "unit": {"type": "string", "enum": [unit]}})
    return {"anyOf": [given, {"type": "null"}]}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def _asks(rules: OutputSettings) -> Iterator[str]:
    """What the prompt says of them."""
    if rules.min_confidence > 0:
        yield 'Add "confidence": from 0 to 1, how sure you are that the passages answer the question.'
    if rules.actions:
        yield f'Add "action": one of {", ".join(rules.actions)}, where the person asks for it; else null.'
    for name, quantity in rules.quantities.items():
        bounds = f"{quantity.min:g} to {quantity.max:g}"
        yield f'Add "{name}" to "quantities": {{"value": {bounds}, "unit": "{quantity.unit}"}}, else null.'


__all__ = ["form_of"]
