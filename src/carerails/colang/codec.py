"""Syntax trees as JSON and back: each node an object whose `node` is its class, tuples as lists."""

from __future__ import annotations

import dataclasses
from typing import Any, cast

from carerails.colang import tree

_CLASSES: dict[str, type[Any]] = {
    name: kind for name, kind in vars(tree).items() if isinstance(kind, type) and dataclasses.is_dataclass(kind)
}


def encode(value: Any) -> Any:
    """A tree as what `json` can write."""
    if isinstance(value, tuple):
        return [encode(member) for member in cast("tuple[Any, ...]", value)]
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value)]
        return {"node": type(value).__name__, **{name: encode(getattr(value, name)) for name in names}}
    return value


def decode(value: Any) -> Any:
    """The tree that `encode` wrote.

    Raises:
        KeyError: no such node, or one of its fields is missing.
        TypeError: it has another field.
    """
    if isinstance(value, list):
        return tuple(decode(member) for member in cast("list[Any]", value))
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        kind = _CLASSES[fields["node"]]
        return kind(**{name: decode(field) for name, field in fields.items() if name != "node"})
    return value
