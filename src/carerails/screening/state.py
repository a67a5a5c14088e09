"""The state of a request as JSON: quotes and line breaks are escaped, so no unit can end its own field."""

from __future__ import annotations

from typing import Any

from carerails.contracts import Asking, Unit


def state_of(asking: Asking) -> dict[str, Any]:
    """The question, if there is one, and the units by key."""
    state: dict[str, Any] = {"units": {unit.key: _shown(unit) for unit in asking.units}}
    return {"question": asking.question, **state} if asking.question else state


def _shown(unit: Unit) -> dict[str, str]:
    fields = {"text": unit.text, "title": unit.about, "cited": unit.against}
    return {name: text for name, text in fields.items() if text or name == "text"}
