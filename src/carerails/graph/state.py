"""What a thread remembers. Nothing here is raw: the user's words come in by `Call`, which no store ever sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, TypedDict

from carerails.contracts import Frozen, Inspection, Locale, NoContext, Passage, Reply, Turn, TurnDecision
from carerails.graph.faults import Fault

Verdict = Literal["approve", "edit", "reject"]

#: What ends the conversation.
ENDING = ("emergency", "crisis")

#: Stands in the record for a message that could not be redacted.
WITHHELD = "<withheld>"

#: A turn that nobody decided is refused.
UNDECIDED = TurnDecision(decision="refuse", slug="default", template_slug="default")


class Memory(Frozen):
    """What goes from turn to turn, and nothing else does.

    Attributes:
        locale: of the last turn.
        country: the last one that a request named.
        disengaged: the emergency or crisis that ended the conversation.
    """

    locale: Locale | None = None
    country: str | None = None
    disengaged: TurnDecision | None = None


class Now(Frozen):
    """One turn so far. Each begins with a new one, so that nothing of the last one can be left in it.

    Attributes:
        number: of the turn, from 1. A turn that died is taken up again under its number.
        request_id: the caller's own key of the turn's request.
        record: the unanswered user messages, redacted; the question is made of them.
        decision: the engine's and the floor's together; its terms are redacted too.
        passages: what the drafter may use.
        no_context: why there are none.
        unjudged: what of the cards could not be judged, and was left out.
        draft: what is to be said, without the footer.
        inspection: of the draft; None where nothing was drafted.
        verdict: what a person decided about the draft.
        reply: what was said; None as long as the turn is unanswered.
        faults: the seams that failed.
    """

    number: int
    request_id: str | None = None
    record: tuple[str, ...] = ()
    decision: TurnDecision = UNDECIDED
    passages: tuple[Passage, ...] = ()
    no_context: NoContext | None = None
    unjudged: tuple[Fault, ...] = ()
    draft: Reply | None = None
    inspection: Inspection | None = None
    verdict: Verdict | None = None
    reply: Reply | None = None
    faults: tuple[Fault, ...] = ()

    @property
    def question(self) -> str:
        """What retriever and drafter are asked."""
        return "\n".join(self.record)


class State(TypedDict):
    """The channels of the graph: two, for LangGraph takes its time for each of them at each step."""

    memory: Memory
    now: Now


#: What a node gives back: the channels that it changes.
Update: TypeAlias = dict[str, Any]


def changed(state: State, **fields: object) -> Update:
    """The turn so far, with these fields."""
    return {"now": state["now"].model_copy(update=fields)}


@dataclass(slots=True)
class Call:
    """One request on its way through the graph; lives in memory only.

    Attributes:
        turn: what the user said, as they said it.
        floor: what the gate decided.
        thread_id: of the talk.
        request_id: the caller's own key, by which a repeated request is known.
        tenant: whose circuit the turn is of.
        supersedes: number of the turn that waits for a person, whose place this one takes.
        ended: what the gate said on this thread while the graph could not: it ends the conversation like any other.
        number: the turn's number, once it is known.
        decision: what was decided, once it is: it stands even if the rest of the turn fails.
        paged: whether a human was paged, by the graph or by the gate, whichever came first.
    """

    turn: Turn
    floor: TurnDecision
    thread_id: str = ""
    request_id: str | None = None
    tenant: str = ""
    supersedes: int | None = None
    ended: TurnDecision | None = None
    number: int = 0
    decision: TurnDecision | None = None
    paged: bool = False
