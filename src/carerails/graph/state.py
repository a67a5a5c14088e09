"""What a thread remembers. Nothing here is raw: the user's words come in by `Call`, which no store ever sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, TypedDict

from carerails.contracts import Locale, NoContext, Passage, Reply, Turn, TurnDecision, Verification
from carerails.graph.faults import Fault

Verdict = Literal["approve", "edit", "reject"]

#: What ends the conversation.
ENDING = ("emergency", "crisis")

#: Stands in the record for a message that could not be redacted.
WITHHELD = "<withheld>"


class State(TypedDict):
    """The channels of the graph.

    The first four go from turn to turn; every other one belongs to one turn and is reset by `fresh_turn`.

    Attributes:
        turn: number of the turn, from 1. A turn that died is taken up again under its number.
        locale: of the last turn.
        country: the last one that a request named.
        disengaged: the emergency or crisis that ended the conversation.
        request_id: the caller's own key of the turn's request.
        record: the unanswered user messages, redacted; the question is made of them.
        decision: the engine's and the floor's together; its terms are redacted too.
        passages: what the drafter may use.
        no_context: why there are none.
        draft: what is to be said, without the footer.
        verification: of the draft's citations; None where the check could not say.
        verdict: what a person decided about the draft.
        reply: what was said; None as long as the turn is unanswered.
        faults: the seams that failed.
    """

    turn: int
    locale: Locale
    country: str | None
    disengaged: TurnDecision | None
    request_id: str | None
    record: list[str]
    decision: TurnDecision
    passages: list[Passage]
    no_context: NoContext | None
    draft: Reply | None
    verification: Verification | None
    verdict: Verdict | None
    reply: Reply | None
    faults: list[Fault]


#: A turn that nobody decided is refused.
UNDECIDED = TurnDecision(decision="refuse", slug="default", template_slug="default")

#: What a node gives back: the channels that it changes.
Update: TypeAlias = dict[str, Any]

#: What a turn hands to the next one.
KEPT = frozenset({"turn", "locale", "country", "disengaged"})


def fresh_turn(number: int, record: Sequence[str], request_id: str | None) -> Update:
    """The beginning of a turn: nothing of the last one but what is unanswered."""
    return {
        "turn": number,
        "request_id": request_id,
        "record": list(record),
        "decision": UNDECIDED,
        "passages": [],
        "no_context": None,
        "draft": None,
        "verification": None,
        "verdict": None,
        "reply": None,
        "faults": [],
    }


@dataclass(slots=True)
class Call:
    """One request on its way through the graph; lives in memory only.

    Attributes:
        turn: what the user said, as they said it.
        floor: what the gate decided.
        thread_id: of the talk.
        request_id: the caller's own key, by which a repeated request is known.
        supersedes: number of the turn that waits for a person, whose place this one takes.
        number: the turn's number, once it is known.
        decision: what was decided, once it is: it stands even if the rest of the turn fails.
        paged: whether a human was paged.
    """

    turn: Turn
    floor: TurnDecision
    thread_id: str = ""
    request_id: str | None = None
    supersedes: int | None = None
    number: int = 0
    decision: TurnDecision | None = None
    paged: bool = False
