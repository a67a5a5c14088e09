"""How a deployment runs the graph."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from carerails.contracts import Frozen, Severity
from carerails.graph.grounding import Unsure
from carerails.output.settings import CircuitSettings

Seconds = Annotated[float, Field(gt=0, le=600)]


class AgentSettings(Frozen):
    """Limits, deadlines, and who is asked.

    Attributes:
        human_review: a reply that the output checks would not pass waits for a person; without it, it is not sent.
        max_turns: turns of one thread, and messages of one request.
        page_on: severities that page a human.
        check_s: seconds for the engine's check.
        retrieve_s: seconds for the retriever.
        screen_s: seconds for screening what it finds.
        draft_s: seconds for the drafter.
        guard_s: seconds for all checks of what it says; as many for its claims.
        unsure: a reply with a claim that nobody can tell goes (`send`), waits for a person where there is one
            (`review`), or never goes by itself (`hold`).
        red_flag_s: seconds that a red flag waits for graph and store before the gate answers by itself.
        retry_s: seconds before a page that could not be handed on is tried again; doubled up to a minute.
        route: name of this agent as it is deployed; its circuits are its own.
        circuit: when the model is left alone, and what is said then.
    """

    human_review: bool = False
    max_turns: Annotated[int, Field(ge=1, le=10_000)] = 200
    page_on: frozenset[Severity] = frozenset({"emergency", "crisis"})
    check_s: Seconds = 10.0
    retrieve_s: Seconds = 5.0
    screen_s: Seconds = 10.0
    draft_s: Seconds = 60.0
    guard_s: Seconds = 10.0
    unsure: Unsure = "send"
    red_flag_s: Seconds = 2.0
    retry_s: Seconds = 1.0
    route: Annotated[str, Field(min_length=1, max_length=80)] = "agent"
    circuit: CircuitSettings = CircuitSettings()
