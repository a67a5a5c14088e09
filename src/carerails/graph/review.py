"""When a person must look at a draft, and what their edit must pass."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from carerails.contracts import (
    Exchange,
    Frozen,
    GuardrailEngine,
    Locale,
    Message,
    OutputGuard,
    Passage,
    Reply,
    Turn,
    TurnDecision,
)
from carerails.graph.composing import inspected
from carerails.graph.gate import checked
from carerails.graph.state import State

_CITE = re.compile(r"\[cite:([^\]\s]+)\]")
_WORD = re.compile(r"\w")
#: The reason of a draft that nobody has looked at.
UNCHECKED = "check-failed"


class ReviewNeed(Frozen):
    """Why a draft waits for a person: the guard's reasons, at least one."""

    reasons: tuple[str, ...]


def assess_review_need(state: State) -> ReviewNeed | None:
    """Whether the draft must wait. Pure: it looks at the state and at nothing else.

    Templates never wait, acute red flags least of all: only an answer that was drafted does.
    """
    now = state["now"]
    if now.draft is None or now.draft.kind != "answer" or now.decision.decision != "allow":
        return None
    if now.inspection is None:
        return ReviewNeed(reasons=(UNCHECKED,))
    return None if now.inspection.passed else ReviewNeed(reasons=now.inspection.reasons)


def edited(text: str) -> Reply:
    """A reviewer's text as a reply: it cites what it marks."""
    return Reply(
        kind="answer", text=text, citations=tuple(dict.fromkeys(_CITE.findall(text))), rationale="edited in review"
    )


async def edit_faults(
    text: str,
    passages: Sequence[Passage],
    locale: Locale,
    guard: OutputGuard,
    engine: GuardrailEngine,
    deadline_s: float,
) -> tuple[str, ...]:
    """What is wrong with an edited text: the output checks, then the engine's refusal checks.

    A red flag in it is no fault: a reviewer may well say when to call for help.
    """
    exchange = Exchange(locale=locale, passages=tuple(passages))
    reasons = [*(await inspected(guard, edited(text), exchange, deadline_s)).reasons]
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
