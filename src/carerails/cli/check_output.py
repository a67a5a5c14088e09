"""`carerails check-output`: replies in, pass or stop out, in input order."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, cast

from carerails.cli.judge import judge_of
from carerails.cli.lines import Numbered, answered, keep_apart, numbered, opened
from carerails.config import load_settings
from carerails.contracts import LOCALES, Exchange, Inspection, Locale, Passage, Reply
from carerails.drafting import cited
from carerails.errors import UsageError, unknown
from carerails.knowledge.cards import Knowledge, load_cards
from carerails.output.footers import footers
from carerails.output.guard import ReplyGuard, open_guard
from carerails.output.schema import parse_reply
from carerails.output.settings import JudgeName
from carerails.records import read_object, refuse_near_misses, write_error
from carerails.text import detect_locale

#: Keys that mean something; others are ignored, near misses of these are errors.
KEYS = ("id", "text", "raw", "kind", "citations", "question", "locale", "cards", "passages", "draft")
KINDS = ("answer", "check-in", "refusal", "escalation")
Record = dict[str, Any]


def run(
    engine: str, source: str, target: str, rails: Path | None, profile: str, semantic: str, allow_failures: bool
) -> int:
    """Check all lines; the exit code says whether every line was read and every check ran, not how many stop."""
    keep_apart(source, target)
    settings = load_settings(profile=profile)
    guard = open_guard(engine, rails, settings, cast("JudgeName | None", judge_of(semantic)))
    feet, cards = footers(rails, settings), load_cards()
    loop = asyncio.new_event_loop()
    with ExitStack() as stack:
        stack.callback(loop.close)
        loop.run_until_complete(guard.__aenter__())
        stack.callback(lambda: loop.run_until_complete(guard.__aexit__(None, None, None)))
        lines = numbered(opened(stack, source, "r"))
        out = opened(stack, target, "w")
        records = _checked(lines, guard, feet, cards, loop)
        failures = "replies had a check that failed; none of them passes"
        return answered(records, out, "checking", failures, allow_failures=allow_failures)


def _checked(
    lines: Iterator[Numbered],
    guard: ReplyGuard,
    feet: Mapping[Locale, str],
    cards: Knowledge,
    loop: asyncio.AbstractEventLoop,
) -> Iterator[Record]:
    for number, line in lines:
        try:
            row = _row(line)
            exchange = _exchange(row, feet, cards)
            reply, errors = _reply(row, guard)
        except UsageError as error:
            yield write_error(number, error)
            continue
        begin = time.perf_counter_ns()
        found = loop.run_until_complete(guard.inspect(reply, exchange)) if reply else Inspection()
        took = (time.perf_counter_ns() - begin) / 1000
        yield _record(str(number if row.get("id") is None else row["id"]), exchange.locale, found, errors, took)


def _row(line: str) -> Record:
    record = read_object(line)
    refuse_near_misses(record, KEYS)
    if ("text" in record) == ("raw" in record):
        what = "both text and raw" if "text" in record else "neither text nor raw"
        raise UsageError(what, "`text` is what is sent, `raw` what a model answered")
    return record


def _reply(row: Record, guard: ReplyGuard) -> tuple[Reply | None, list[str]]:
    """The reply; of what a model answered, what is wrong with its form."""
    if "raw" in row:
        parsed = parse_reply(row["raw"], guard.settings)
        return (parsed.data.reply() if parsed.data else None), [str(error) for error in parsed.errors]
    kind, text = row.get("kind", "answer"), row["text"]
    if kind not in KINDS:
        raise UsageError("unknown kind", f"one of {', '.join(KINDS)}, or leave it out")
    if not isinstance(text, str):
        raise UsageError("text is no text", "write a string")
    citations = _texts(row, "citations") if "citations" in row else cited(text)
    return Reply(kind=kind, text=text, citations=citations), []


def _exchange(row: Record, feet: Mapping[Locale, str], cards: Knowledge) -> Exchange:
    question = row.get("question", "")
    if not isinstance(question, str):
        raise UsageError("question is no text", "write a string")
    locale = row.get("locale")
    if locale is not None and locale not in LOCALES:
        raise UsageError("unknown locale", f"one of {', '.join(LOCALES)}, or leave it out")
    known: Locale = locale or detect_locale(question)
    passages = [_card(cards, name, known) for name in _texts(row, "cards")]
    passages += [_passage(item, known) for item in _list(row, "passages")]
    draft = row.get("draft", "raw" in row)  # what a model answered has no footer yet
    if not isinstance(draft, bool):
        raise UsageError("draft is neither true nor false", "true: the footer comes later")
    return Exchange(question=question, locale=known, passages=tuple(passages), footer=None if draft else feet[known])


def _card(cards: Knowledge, name: str, locale: Locale) -> Passage:
    ids = [card.id for card in cards.cards]
    if name not in ids:
        raise unknown("card", name, ids)
    return cards[name].passage(locale)


def _passage(item: object, locale: Locale) -> Passage:
    fields = cast("Mapping[str, Any]", item if isinstance(item, Mapping) else {})
    card, text = fields.get("card"), fields.get("text")
    if set(fields) != {"card", "text"} or not (isinstance(card, str) and card and isinstance(text, str)):
        raise UsageError("a passage is no card with a text", 'write {"card": "leaflet-1", "text": "..."}')
    return Passage(card=card, locale=locale, title="", sentences=(text,))


def _list(row: Record, key: str) -> list[object]:
    value = row.get(key, [])
    if not isinstance(value, list):
        raise UsageError(f"{key} is not a list", f'write "{key}": [...]')
    return cast("list[object]", value)


def _texts(row: Record, key: str) -> tuple[str, ...]:
    items = _list(row, key)
    if not all(isinstance(item, str) for item in items):
        raise UsageError(f"{key} holds what is no text", "write strings")
    return tuple(str(item) for item in items)


def _record(ident: str, locale: Locale, found: Inspection, errors: list[str], took_us: float) -> Record:
    """One inspection as a record, in the order in which people read it."""
    stopped = bool(errors) or not found.passed
    return {
        "id": ident,
        "decision": "stop" if stopped else "pass",
        "reasons": ["malformed", *found.reasons] if errors else list(found.reasons),
        "objections": [each.model_dump(exclude_none=True) for each in found.objections],
        "field_errors": errors,
        "locale": locale,
        "failed": bool(found.failures),
        "failures": [each.model_dump() for each in found.failures],
        "latency_us": round(took_us, 1),
    }
