"""`carerails rails ...`: explain a text, write guards, export the compiled policy."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any, cast

from carerails.cli.console import note
from carerails.cli.judge import local
from carerails.cli.options import ENGINE_FAILURE, PASS, REGRESSION
from carerails.contracts import LOCALES, Locale, Turn, TurnDecision
from carerails.engine import open_engine
from carerails.errors import UsageError, unknown
from carerails.records import write_decision
from carerails.resources import data_dir


def explain(
    text: str, engine: str, rails: Path | None, locale: str, country: str, as_json: bool, semantic: str = "off"
) -> int:
    """Print views, hits with their place in the rails and in the text, decision and template."""
    from carerails.text import normalise

    if locale and locale not in LOCALES:
        raise unknown("locale", locale, LOCALES)
    if country and not (len(country) == 2 and country.isascii() and country.isalpha()):
        raise UsageError("a country is two letters", "for example --country MX")
    turn = Turn.of(text, locale=cast("Locale", locale) or None, country=country.upper() or None)
    decision, shown = asyncio.run(_decide(turn, engine, rails, local(semantic)))
    views = [view.text for view in normalise(text)]
    if as_json:
        record: dict[str, Any] = {"views": views, **write_decision("explain", decision, 0)}
        del record["id"], record["latency_us"]
        record["evidence"] = [evidence.model_dump() for evidence in decision.evidence]
        record["reply"] = shown
        json.dump(record, sys.stdout, ensure_ascii=False, indent=1)
        sys.stdout.write("\n")
    else:
        sys.stdout.write("\n".join(_lines(text, views, decision, shown)) + "\n")
    return ENGINE_FAILURE if decision.failed else PASS


async def _decide(turn: Turn, engine: str, rails: Path | None, judge: bool) -> tuple[TurnDecision, str]:
    async with open_engine(engine, rails, judge=judge) as guarded:
        decision = await guarded.check(turn)
        texts = [
            (await guarded.render(slug, decision.locale, decision.country)).text
            for slug in dict.fromkeys((decision.template_slug, decision.slug))
            if (slug and decision.severity is None) or (slug == decision.template_slug and slug)
        ]
    return decision, "\n\n".join(texts)


def _lines(text: str, views: list[str], decision: TurnDecision, shown: str) -> list[str]:
    outcome = decision.decision + (f" / {decision.severity}" if decision.severity else "")
    lines = [f"decision  {outcome}" + (f"  ({decision.category})" if decision.category else "")]
    lines += [f"view      {view}" for view in views]
    for evidence in decision.evidence:
        lines.append(f"hit       {evidence.rule} -> {evidence.outcome}  rails/{evidence.file}:{evidence.line}")
        for span in evidence.spans:
            lines.append(f"          {span.start:>4}-{span.end:<4} {text[span.start : span.end]!r}")
        if evidence.score is not None:
            lines.append(f"          score {evidence.score:.2f}; it is most like")
        for near in evidence.near:
            lines.append(f"          {near.alike:.2f}  {near.text!r}  {near.category}  rails/{near.file}:{near.line}")
    if decision.failure:
        lines.append(f"failed    {decision.failure.seam}: {decision.failure.kind} {decision.failure.detail}".rstrip())
    if shown:
        first, *rest = shown.splitlines()
        lines += [f"reply     {first}", *(f"          {line}" for line in rest)]
    return lines


def guards(path: Path | None, check: bool) -> int:
    """Write guards.co, or only say whether it is what the patterns make."""
    from carerails.guards import is_current, write
    from carerails.policy import Policy

    rails = path or data_dir("rails")
    policy, target = Policy.load(rails, check=False), rails / "guards.co"
    if check:
        current = target.is_file() and is_current(policy, target.read_text(encoding="utf-8"))
        note("guards.co is up to date" if current else "guards.co is out of date: run `carerails rails guards`")
        return PASS if current else REGRESSION
    note(f"{target}: {'written' if write(policy, target) else 'unchanged'}")
    return PASS


def learn(path: Path | None) -> int:
    """Fit the local judge to the examples, and keep it, so that no first turn waits for it."""
    from carerails.policy import Policy
    from carerails.semantic import LocalJudge

    policy = Policy.load(path or data_dir("rails"))
    judge = LocalJudge(policy.examples)
    asyncio.run(judge.start())
    note(f"learnt from {len(policy.examples):,} examples: {judge.fingerprint[:16]}")
    return PASS


def export(path: Path | None, target: str) -> int:
    """Write the compiled policy as JSON."""
    from carerails.policy import Policy

    text = Policy.load(path or data_dir("rails")).to_json()
    if target == "-":
        sys.stdout.write(text + "\n")
        return PASS
    try:
        Path(target).write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(error.strerror or "cannot be written", "check the path", target) from None
    return PASS
