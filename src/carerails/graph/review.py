"""When a person must look at a draft, and what their edit must pass."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal, cast

from carerails.contracts import (
    CitationChecker,
    Frozen,
    GuardrailEngine,
    Locale,
    Message,
    Passage,
    Reply,
    Turn,
    TurnDecision,
    Verification,
)
from carerails.graph.gate import checked
from carerails.graph.persona import persona_drift
from carerails.graph.state import State

Reason = Literal["citations-unchecked", "unknown-citation", "missing-citation", "gives-advice", "persona-drift"]
_CITE = re.compile(r"\[cite:([^\]\s]+)\]")
_WORD = re.compile(r"\w")


class ReviewNeed(Frozen):
    """Why a draft waits for a person; at least one reason."""

    reasons: tuple[Reason, ...]


def assess_review_need(state: State) -> ReviewNeed | None:
    """Whether the draft must wait. Pure: it looks at the state and at nothing else.

    Templates never wait, acute red flags least of all: only an answer that was drafted does.
    """
    now = state["now"]
    if now.draft is None or now.draft.kind != "answer" or now.decision.decision != "allow":
        return None
    reasons = output_faults(now.draft, now.verification)
    return ReviewNeed(reasons=reasons) if reasons else None


def output_faults(reply: Reply, verification: Verification | None) -> tuple[Reason, ...]:
    """What keeps an answer from being sent."""
    reasons: dict[Reason, bool] = {
        "citations-unchecked": verification is None,
        "unknown-citation": verification is not None and bool(verification.unknown),
        "missing-citation": not reply.citations or (verification is not None and bool(verification.uncited)),
        "gives-advice": verification is not None and bool(verification.advice),
        "persona-drift": bool(persona_drift(reply.text)),
    }
    return tuple(reason for reason, holds in reasons.items() if holds)


def verified(checker: CitationChecker, reply: Reply, passages: Sequence[Passage]) -> Verification | None:
    """What the citation check says; None where it could not say. Never raises."""
    try:
        answer = cast("object", checker.verify(reply, passages))
    except Exception:
        return None
    return answer if isinstance(answer, Verification) else None


def edited(text: str) -> Reply:
    """A reviewer's text as a reply: it cites what it marks."""
    return Reply(
        kind="answer", text=text, citations=tuple(dict.fromkeys(_CITE.findall(text))), rationale="edited in review"
    )


async def edit_faults(
    text: str,
    passages: Sequence[Passage],
    locale: Locale,
    checker: CitationChecker,
    engine: GuardrailEngine,
    deadline_s: float,
) -> tuple[str, ...]:
    """What is wrong with an edited text: the output checks, then the engine's refusal checks.

    A red flag in it is no fault: a reviewer may well say when to call for help.
    """
    reply = edited(text)
    reasons: list[str] = [*output_faults(reply, verified(checker, reply, passages))]
    own = _own_words(text, passages)
    if own:
        turn = Turn(messages=(Message(role="user", content=own),), locale=locale)
        reasons += _refusals(await checked(engine, turn, deadline_s))
    return tuple(reasons)


def _refusals(decision: TurnDecision) -> Iterable[str]:
    """The refusal that a text earns, also where a red flag hides it."""
    if decision.failed:
        return ("check-failed",)
    hidden = [evidence.category for evidence in decision.evidence if evidence.outcome == "refuse"]
    return (decision.slug,) if decision.slug else hidden[:1]


def _own_words(text: str, passages: Sequence[Passage]) -> str:
    """What of a text is neither a citation nor a sentence of a card: cards are linted and may say more than users."""
    text = _CITE.sub("", text)
    for passage in passages:
        for sentence in passage.sentences:
            text = text.replace(sentence, "")
    return text.strip() if _WORD.search(text) else ""
