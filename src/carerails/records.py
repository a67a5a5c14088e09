"""JSONL habits shared by the commands: reading a line into a turn, writing a decision as a line."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, cast

from pydantic import ValidationError

from carerails.contracts import LOCALES, Message, Turn, TurnDecision
from carerails.errors import UsageError

#: Keys that mean something in an input line; others (a data set's own columns) are ignored, near misses are errors.
KEYS = ("id", "text", "messages", "locale", "country", "channel", "session")


def read_object(line: str) -> dict[str, Any]:
    """The JSON object of one input line.

    Raises:
        UsageError: what is wrong and how to mend it; never holds the line's text.
    """
    try:
        line.encode("utf-8")
        row: Any = json.loads(line)
    except UnicodeEncodeError:
        raise UsageError("not UTF-8 text", "save the file as UTF-8") from None
    except json.JSONDecodeError as error:
        raise UsageError(f"not JSON: {error.msg} at column {error.colno}", "one JSON object a line") from None
    except RecursionError:
        raise UsageError("not JSON that can be read: nested too deeply", "one flat JSON object a line") from None
    if not isinstance(row, dict):
        raise UsageError(f"a JSON {type(row).__name__}, not an object", 'write {"id": ..., "text": ...}')
    return cast("dict[str, Any]", row)


def value_of(text: str) -> object:
    """What a tool gave as text: JSON, or else one string.

    Raises:
        ValueError: it is nested too deeply to be read.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except ValueError:
        return text


def refuse_near_misses(record: Mapping[str, Any], keys: Collection[str]) -> None:
    """Keys that mean nothing are ignored, but not one that is nearly a key that is missing.

    Raises:
        UsageError: names both.
    """
    known = tuple(keys)
    for key in record:
        near = _nearest(key, known) if key not in known else None
        if near and near not in record:
            raise UsageError(f"unknown key {key!r}", f"did you mean {near!r}?")


@lru_cache(maxsize=256)
def _nearest(key: str, keys: tuple[str, ...]) -> str | None:
    """Rows of a file have the same keys again and again."""
    return next(iter(get_close_matches(key, keys, n=1, cutoff=0.8)), None)


def read_turn(line: str, number: int) -> tuple[str, Turn]:
    """The id and the turn of one input line.

    Args:
        line: one JSON object.
        number: the line's number, from 1; the id of a line that has none.

    Raises:
        UsageError: what is wrong and how to mend it; never holds the line's text.
    """
    record = read_object(line)
    if "text" not in record and "messages" not in record:
        near = get_close_matches("text", record, n=1, cutoff=0.6)
        raise UsageError("neither text nor messages", f"rename {near[0]!r} to 'text'" if near else 'add "text"')
    if "text" in record and "messages" in record:
        raise UsageError("both text and messages", "keep one of them")
    refuse_near_misses(record, KEYS)
    return str(record.get("id", number)), _turn(record)


def _turn(record: Mapping[str, Any]) -> Turn:
    locale = record.get("locale")
    if locale is not None and locale not in LOCALES:
        raise UsageError("unknown locale", f"one of {', '.join(LOCALES)}, or leave it out")
    if "messages" in record:
        messages: Any = record["messages"]
        if not isinstance(messages, list):
            raise UsageError("messages is not a list", '"messages": [{"role": "user", "content": "..."}]')
    else:
        messages = [Message(role="user", content=record["text"])]
    options = {key: record[key] for key in ("country", "channel", "session") if record.get(key) is not None}
    try:
        return Turn.model_validate({"messages": messages, "locale": locale, **options})
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{place}: {first['msg']}", "see docs/records.md") from None


def write_error(number: int, error: UsageError) -> dict[str, Any]:
    """The line that stands in place of one that could not be read."""
    return {"error": {"line": number, "what": error.what, "mend": error.mend}}


def write_decision(ident: str, decision: TurnDecision, latency_us: float) -> dict[str, Any]:
    """One decision as a flat record, in the order in which people read it."""
    first = decision.evidence[0] if decision.evidence else None
    record: dict[str, Any] = {
        "id": ident,
        "decision": decision.decision,
        "severity": decision.severity,
        "category": decision.category,
        "subcategories": list(decision.subcategories),
        "slug": decision.slug,
        "template_slug": decision.template_slug,
        "matched_terms": list(decision.matched_terms),
        "spans": [[span.message, span.start, span.end] for span in decision.spans],
        "rule": first.rule if first else None,
        "file": first.file if first else None,
        "line": first.line if first else None,
        "locale": decision.locale,
        "engine": decision.engine,
        "failed": decision.failed,
        "latency_us": round(latency_us, 1),
    }
    if decision.failure:
        record["failure"] = {"seam": decision.failure.seam, "kind": decision.failure.kind}
    return record
