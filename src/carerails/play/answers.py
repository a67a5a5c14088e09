"""What the page is told, as plain data. Spans are in code points of the text, as in every decision."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

from carerails import __version__
from carerails.config import Settings
from carerails.contracts import LOCALES, Evidence, Findings, Locale, Turn, TurnDecision
from carerails.engine import FailSafeEngine
from carerails.errors import EngineError
from carerails.evals.diff import GRADES, Flip
from carerails.play.drafts import Considered
from carerails.play.runners import Decided, Runner
from carerails.policy import Policy
from carerails.text import normalise

Answer = dict[str, Any]
#: How the column of what is not saved is called.
DRAFT = "your edit"
#: Most flips that are listed of one grade; all are counted.
LISTED = 50


class Compiled:
    """`RuleEngine` on a compiled policy, saved or not."""

    name = "native"
    version = __version__
    capabilities = frozenset({"escalate", "refuse", "check-in", "evidence", "render", "synchronous"})

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    async def start(self) -> None:
        """It is."""

    async def close(self) -> None:
        """Nothing is held."""

    async def evaluate(self, text: str) -> Findings:
        """Run all checks."""
        return Findings(hits=self._policy.check(text))

    async def render(self, slug: str, locale: Locale, numbers: Mapping[str, str]) -> str:
        """The text of a template."""
        return self._policy.render(slug, locale, numbers)


async def decided(
    turn: Turn, text: str, runners: Iterable[Runner], policy: Policy | None, settings: Settings, draft: bool
) -> Answer:
    """What becomes of a text: its views, every engine's decision, every hit, and the templates in each locale.

    Args:
        policy: the compiled drafts, else the saved rails; None while no engine has started.
        draft: whether it is drafts; then it decides beside the engines, which have the saved rails.
    """
    asked = list(runners)
    answers = await asyncio.gather(*(_ask(runner, turn) for runner in asked))
    columns = [
        _column(runner.name, answer, state=runner.state, why=runner.why)
        for runner, answer in zip(asked, answers, strict=True)
    ]
    answer: Answer = {"views": [view.text for view in normalise(text)], "locale": "", "templates": []}
    if policy:
        guarded = FailSafeEngine(Compiled(policy), policy, settings)
        own = await asyncio.to_thread(guarded.check_now, turn)
        answer |= {"locale": own.locale, "templates": await _templates(own, guarded, turn.country)}
        if draft:
            columns.insert(0, _column(DRAFT, Decided(own, None), state="ready"))
    return answer | {"engines": columns, "hits": _hits(columns)}


async def _ask(runner: Runner, turn: Turn) -> Decided | None:
    return await runner.decide(turn) if runner.state == "ready" else None


def _column(name: str, answer: Decided | None, *, state: str, why: str = "") -> Answer:
    if answer is None:
        return {"name": name, "state": state if state != "ready" else "silent", "why": why}
    decision = answer.decision
    return {
        "name": name,
        "state": "ready",
        "outcome": decision.outcome,
        "category": decision.category,
        "subcategories": decision.subcategories,
        "slug": decision.slug,
        "template": decision.template_slug,
        "latency_us": None if answer.latency_us is None else round(answer.latency_us),
        "failure": f"{decision.failure.seam}: {decision.failure.kind}" if decision.failure else "",
        "evidence": [_shown(evidence) for evidence in decision.evidence],
    }


def _shown(evidence: Evidence) -> Answer:
    spans = [[span.start, span.end] for span in evidence.spans]
    return evidence.model_dump(include={"rule", "file", "line", "category", "outcome", "matched_terms"}) | {
        "spans": spans
    }


def _hits(columns: Iterable[Answer]) -> list[Answer]:
    """Every rule that hit on any engine, with the engines that say so."""
    found: dict[str, Answer] = {}
    for column in columns:
        for evidence in column.get("evidence", []):
            hit = found.setdefault(evidence["rule"], evidence | {"engines": []})
            hit["engines"].append(column["name"])
    return list(found.values())


async def _templates(decision: TurnDecision, guarded: FailSafeEngine, country: str | None) -> list[Answer]:
    """What the user would read: the template, and the refusal behind a check-in, in each locale."""
    slugs = dict.fromkeys(
        slug for slug in (decision.template_slug, decision.slug) if slug and decision.severity is None
    )
    if decision.severity and decision.template_slug:
        slugs = {decision.template_slug: None}
    found: list[Answer] = []
    for slug in slugs:
        texts: dict[str, str] = {}
        for locale in LOCALES:
            try:
                texts[locale] = (await guarded.render(slug, locale, country)).text
            except (EngineError, KeyError) as error:
                texts[locale] = f"cannot be rendered: {type(error).__name__}"
        found.append({"slug": slug, "texts": texts})
    return found


def considered(result: Considered) -> Answer:
    """What would come of drafts."""
    counts = {grade: sum(flip.grade == grade for flip in result.flips) for grade in GRADES}
    listed = [flip for grade in GRADES for flip in [f for f in result.flips if f.grade == grade][:LISTED]]
    return {
        "errors": [
            {
                "file": one.file,
                "line": one.line,
                "column": one.column,
                "code": one.code,
                "what": one.what,
                "mend": one.mend,
            }
            for one in result.errors
        ],
        "counts": counts,
        "flips": [_flip(flip) for flip in listed],
        "rules": result.rules,
        "again": result.again,
        "seconds": round(result.seconds, 3),
        "ready": result.ready,
    }


def _flip(flip: Flip) -> Answer:
    return {
        "place": f"{flip.slice}/{flip.id}",
        "locale": flip.locale,
        "grade": flip.grade,
        "kind": flip.kind,
        "text": flip.text,
        "was": str(flip.was),
        "now": str(flip.now),
    }
