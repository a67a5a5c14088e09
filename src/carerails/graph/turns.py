"""What the agent answers to a call."""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from carerails.contracts import Frozen, Passage, Reply, TurnDecision
from carerails.graph.faults import Fault
from carerails.graph.state import ENDING, Now

Status = Literal["complete", "paused_for_review"]


class AgentTurn(Frozen):
    """One turn, as it stands.

    Attributes:
        status: answered, or waiting for a person.
        reply: what the user reads; None while it waits.
        decision: what was decided. Matched terms that held personal data are `<redacted>`. Spans count the messages of
            the turn, those first that an earlier turn left unanswered.
        thread_id: of the talk.
        turn: number of the turn, from 1; 0 where the gate answered before the turn had one.
        review_id: of the review that it waits for.
        passages: the cards that the reply cites.
        disengaged: an emergency or a crisis ended the conversation; every later turn says so again.
        faults: seams that failed on the way; a turn that has some was not fully checked, and is not an ordinary one.
    """

    status: Status
    reply: Reply | None
    decision: TurnDecision
    thread_id: str
    turn: int
    review_id: str | None = None
    passages: tuple[Passage, ...] = ()
    disengaged: bool = False
    faults: tuple[Fault, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> AgentTurn:
        if (self.status == "complete") != (self.reply is not None) or (self.reply is None) != bool(self.review_id):
            raise ValueError("a turn is answered, or it waits for a review")
        return self


def turn_of(now: Now, thread_id: str, review_id: str | None) -> AgentTurn:
    """The turn as it is told; `review_id` where it is paused."""
    cited = set(now.reply.citations) if now.reply else set[str]()
    return AgentTurn(
        status="paused_for_review" if review_id else "complete",
        reply=now.reply,
        decision=now.decision,
        thread_id=thread_id,
        turn=now.number,
        review_id=review_id,
        passages=tuple(passage for passage in now.passages if passage.card in cited),
        disengaged=now.decision.severity in ENDING,
        faults=now.faults,
    )
