"""A tool's result as a passage: a field a sentence, to be screened, drafted from and cited as a card is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import cast

from carerails.contracts import Locale, Passage
from carerails.records import value_of


def passage_of(tool: str, result: str, locale: Locale, title: str = "") -> Passage:
    """What a `Retriever` that asks tools gives on.

    Every field is a sentence with its path (`stock.0.city: Lima`): names of fields may speak to the model too. Each is
    screened by itself, and what carries instructions does not reach the context. Text that is no JSON is one sentence.

    Args:
        tool: its id, which a reply cites: `[cite:TOOL]`.
        result: what it gave, as text.
        locale: of the reply.
        title: what the result is of.

    Raises:
        ValueError: it is nested too deeply to be read.
    """
    return Passage(card=tool, locale=locale, title=title, sentences=tuple(_sentences(value_of(result), "")))


def _sentences(value: object, path: str) -> Iterator[str]:
    """The leaves, depth first."""
    fields = (
        list(cast("dict[str, object]", value).items())
        if isinstance(value, dict)
        else [(str(place), each) for place, each in enumerate(cast("list[object]", value))]
        if isinstance(value, list)
        else None
    )
    if fields is None:
        said = value if isinstance(value, str) else json.dumps(value)
        yield f"{path}: {said}" if path else said
    for name, each in fields or ():
        yield from _sentences(each, f"{path}.{name}" if path else name)


__all__ = ["passage_of"]
