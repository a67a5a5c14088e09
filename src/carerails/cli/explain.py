"""`carerails rails explain`: from a text to its decision, step by step."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from carerails.cli.judge import judge_of
from carerails.cli.options import ENGINE_FAILURE, PASS, country_of
from carerails.config import load_settings
from carerails.contracts import LOCALES, Locale, Span, Turn, TurnDecision
from carerails.engine import open_engine
from carerails.errors import unknown
from carerails.records import write_decision
from carerails.workbench.explain import Asked, Explanation, explain

#: Most patterns that are shown of a rule that did not hit.
_SHOWN = 2


def run(
    text: str, engine: str, rails: Path | None, locale: str, country: str, as_json: bool, semantic: str = "off"
) -> int:
    """Print views, rules with their place in the rails and in the text, decision, template, what would change it."""
    if locale and locale not in LOCALES:
        raise unknown("locale", locale, LOCALES)
    turn = Turn.of(text, locale=cast("Locale", locale) or None, country=country_of(country))
    decision, shown, explained = asyncio.run(_decide(turn, engine, rails, judge_of(semantic)))
    if as_json:
        record: dict[str, Any] = {"views": explained.views, **write_decision("explain", decision, 0)}
        del record["id"], record["latency_us"]
        record["evidence"] = [evidence.model_dump() for evidence in decision.evidence]
        record["reply"] = shown
        record["explanation"] = asdict(explained)
        json.dump(record, sys.stdout, ensure_ascii=False, indent=1, default=Span.model_dump)
        sys.stdout.write("\n")
    else:
        sys.stdout.write("\n".join(_lines(text, decision, shown, explained)) + "\n")
    return ENGINE_FAILURE if decision.failed else PASS


async def _decide(
    turn: Turn, engine: str, rails: Path | None, judge: str | None
) -> tuple[TurnDecision, str, Explanation]:
    longest = load_settings().profile.max_chars
    async with open_engine(engine, rails, judge=judge) as guarded:
        decision = await guarded.check(turn)
        texts = [
            (await guarded.render(slug, decision.locale, decision.country)).text
            for slug in dict.fromkeys((decision.template_slug, decision.slug))
            if (slug and decision.severity is None) or (slug == decision.template_slug and slug)
        ]
        explained = await explain(turn, guarded, longest=longest)
    return decision, "\n\n".join(texts), explained


def _lines(text: str, decision: TurnDecision, shown: str, explained: Explanation) -> Iterator[str]:
    outcome = decision.decision + (f" / {decision.severity}" if decision.severity else "")
    yield f"decision  {outcome}" + (f"  ({decision.category})" if decision.category else "")
    for view in explained.views:
        yield f"view      {view}"
    for evidence in decision.evidence:
        yield f"hit       {evidence.rule} -> {evidence.outcome}  rails/{evidence.file}:{evidence.line}"
        for span in evidence.spans:
            yield f"          {span.start:>4}-{span.end:<4} {text[span.start : span.end]!r}"
        if evidence.score is not None:
            yield f"          score {evidence.score:.2f}; it is most like"
        for near in evidence.near:
            place = near.file if near.file.startswith("config/") else f"rails/{near.file}"
            yield f"          {near.alike:.2f}  {near.text!r}  {near.category}  {place}:{near.line}"
    yield from _asked(explained, {evidence.rule for evidence in decision.evidence})
    if len(explained.order) > 1:
        priorities = {one.rule: f"{one.outcome} {one.priority}" for one in explained.asked}
        yield "order     " + ", then ".join(f"{rule} ({priorities[rule]})" for rule in explained.order)
    if decision.failure:
        yield f"failed    {decision.failure.seam}: {decision.failure.kind} {decision.failure.detail}".rstrip()
    for change in explained.changes:
        by = f" by {change.rule}" if change.rule and change.decision != "allow" else ""
        yield f"change    {change.what}: {change.decision}{by}"
    if shown:
        first, *rest = shown.splitlines()
        yield f"reply     {first}"
        yield from (f"          {line}" for line in rest)


def _asked(explained: Explanation, hit: set[str]) -> Iterator[str]:
    """Rules that were asked and did not hit: what they look for that is there, then the names of the others."""
    yield f"asked     {len(explained.asked)} rules; of the other {explained.skipped} no word is there"
    others = [one for one in explained.asked if one.rule not in hit]
    for one in others:
        if one.seen:
            yield f"          {one.rule} has {_found(one)}, and does not hit"
    if rest := [one.rule for one in others if not one.seen]:
        yield f"          no pattern matches of {', '.join(rest)}"


def _found(one: Asked) -> str:
    told = [f"{seen.text!r} (rails/{seen.file}:{seen.line})" for seen in one.seen[:_SHOWN]]
    return ", ".join(told) + (f" and {len(one.seen) - _SHOWN} more" if len(one.seen) > _SHOWN else "")
