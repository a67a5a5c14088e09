"""Whether the claims of a draft are borne out by what they cite, as part of what the guard says of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from carerails.contracts import (
    ClaimChecker,
    ClaimFate,
    ClaimReport,
    Failure,
    Grounding,
    Inspection,
    Objection,
    Passage,
    Reply,
)
from carerails.graph.faults import Fault, attempt

#: The reason that a person reads, for each fate of a claim that keeps a reply back.
REASONS: Mapping[ClaimFate, str] = {"unsupported": "unsupported-claim", "unsure": "unsure-claim"}
#: What happens to claims that nobody can tell: they go; a person looks where there is one; they never go unread.
Unsure = Literal["send", "review", "hold"]


async def grounded(
    checker: ClaimChecker, reply: Reply, passages: Sequence[Passage], inspection: Inspection, *, deadline_s: float
) -> tuple[Inspection, tuple[ClaimReport, ...]]:
    """The inspection with what is wrong with the claims, and the claims. Never raises but for cancellation."""
    found = await attempt("claims", lambda: checker.ground(reply, passages), Grounding, deadline_s)
    if isinstance(found, Fault):
        failure = Failure(seam="citation", kind=found.kind, detail=found.detail)
        return inspection.model_copy(update={"failures": (*inspection.failures, failure)}), ()
    fates = found.fates
    objections = tuple(Objection(check="claims", reason=reason) for fate, reason in REASONS.items() if fate in fates)
    failures = tuple(
        Failure(seam="citation", kind=claim.failure, detail="a claim was not judged")
        for claim in found.claims
        if claim.failure
    )
    told = {"objections": (*inspection.objections, *objections), "failures": (*inspection.failures, *failures[:1])}
    return inspection.model_copy(update=told), found.claims
