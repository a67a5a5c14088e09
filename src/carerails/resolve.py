"""From what hit to what happens: the decision table (docs/decisions/0001) as code, the same for every engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from carerails.config import Settings
from carerails.contracts import (
    RANK,
    TEMPLATE_OF,
    Evidence,
    Failure,
    Findings,
    Opinion,
    Outcome,
    RefusalSlug,
    RuleHit,
    Severity,
    Span,
    TurnDecision,
)
from carerails.matching import Scan
from carerails.policy import Policy, Rule
from carerails.text import Prepared

#: The opinion that a judged rule of a category and outcome goes by.
About = Callable[[str, Outcome], "Opinion | None"]
CHECK_FAILED = "check-failed"
OWN_IDENTIFIERS: RefusalSlug = "pii-blocked"


class _Claim(NamedTuple):
    """One reason for one outcome: a rule that hit, a failure, or a problem of the input."""

    outcome: Outcome
    priority: int
    category: str
    slug: RefusalSlug | None = None
    hit: RuleHit | None = None
    rule: Rule | None = None


def resolve(
    findings: Findings,
    prepared: Prepared,
    country: str | None,
    policy: Policy,
    settings: Settings,
    engine: str,
    about: About | None = None,
) -> TurnDecision:
    """Decide one turn.

    All hits are kept as evidence; the first outcome of `PRECEDENCE` wins, then the rule's declared priority, then the
    order of checks. `about` gives the opinion behind a judged rule.
    """
    claims = [
        *_of_hits(findings.hits, policy, settings),
        *(_Claim(ruling.outcome, 0, ruling.category, ruling.slug) for ruling in findings.rulings),
        *_of_failures(findings.failures, settings),
        *_of_input(prepared),
    ]
    country = settings.country(prepared.locale, country)
    if not claims:
        return TurnDecision(decision="allow", locale=prepared.locale, country=country, engine=engine)
    claims.sort(key=lambda claim: (RANK[claim.outcome], -claim.priority))
    first = claims[0]
    severity: Severity | None = first.outcome if first.outcome in ("emergency", "crisis", "urgent") else None
    slugs: list[RefusalSlug] = [claim.slug for claim in claims if claim.slug and severity is None]
    slug = slugs[0] if slugs else None
    failure = findings.failures[0] if findings.failures else None
    scan = policy.scan(prepared.text)
    return TurnDecision(
        decision="escalate" if severity else "check-in" if first.outcome == "check-in" else "refuse",
        severity=severity,
        category=first.category,
        subcategories=tuple(dict.fromkeys(c.category for c in claims[1:] if c.category != first.category)),
        slug=slug,
        template_slug=TEMPLATE_OF.get(first.outcome) or slug,
        evidence=tuple(_evidence(c.hit, c.rule, policy, prepared, scan, about) for c in claims if c.hit and c.rule),
        locale=prepared.locale,
        country=country,
        engine=engine,
        failed=failure is not None,
        failure=failure,
    )


def _of_hits(hits: Iterable[RuleHit], policy: Policy, settings: Settings) -> Iterable[_Claim]:
    for hit in hits:
        rule = policy.rule(hit.rule)
        meta = rule.meta
        if meta.slug == OWN_IDENTIFIERS and settings.profile.own_identifiers != "block":
            continue
        yield _Claim(meta.outcome, meta.priority, meta.category, meta.slug, hit, rule)


def _of_failures(failures: Sequence[Failure], settings: Settings) -> Iterable[_Claim]:
    """A failure is never a pass: detection escalates, a judge does as the profile says, everything else refuses."""
    escalates = settings.profile.judge.on_failure == "escalate"
    for failure in failures:
        if failure.seam == "detection" or (failure.seam == "judge" and escalates):
            yield _Claim("urgent", 0, CHECK_FAILED)
        else:
            yield _Claim("refuse", 0, CHECK_FAILED, "default")


def _of_input(prepared: Prepared) -> Iterable[_Claim]:
    if prepared.problem == "image":
        yield _Claim("refuse", 0, "interpretation", "out-of-scope-interpretation")
    elif prepared.problem:
        yield _Claim("refuse", 0, prepared.problem, "input-malformed")


def _evidence(
    hit: RuleHit, rule: Rule, policy: Policy, prepared: Prepared, scan: Scan, about: About | None
) -> Evidence:
    """Find the hit's terms again, in the rails and in the user's own text."""
    spans: dict[Span, None] = {}  # a set in the order of the text: a long message may have thousands
    file, line = rule.file, rule.line
    for number, match in enumerate(policy.locate(hit.rule, hit.terms, prepared.text, scan)):
        if number == 0:
            file, line = match.file, match.line
        span = prepared.locate(match.start, match.end)
        if span:
            spans[span] = None
    opinion = about(rule.meta.category, rule.meta.outcome) if about and hit.rule in policy.judged else None
    return Evidence(
        rule=hit.rule,
        file=file,
        line=line,
        category=rule.meta.category,
        outcome=rule.meta.outcome,
        matched_terms=tuple(dict.fromkeys(prepared.original(span) for span in spans)),
        spans=tuple(spans),
        score=opinion.score if opinion else None,
        near=opinion.near if opinion else (),
    )
