"""How a deployment runs the graph."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from carerails.contracts import Frozen, Severity

Seconds = Annotated[float, Field(gt=0, le=600)]


class AgentSettings(Frozen):
    """Limits, deadlines, and who is asked.

    Attributes:
        human_review: a reply that the output checks would not pass waits for a person; without it, it is not sent.
        max_turns: turns of one thread, and messages of one request.
        page_on: severities that page a human.
        check_s: seconds for the engine's check.
        retrieve_s: seconds for the retriever.
        draft_s: seconds for the drafter.
        red_flag_s: seconds that a red flag waits for graph and store before the gate answers by itself.
        retry_s: seconds before a page that could not be handed on is tried again; doubled up to a minute.
    """

    human_review: bool = False
    max_turns: Annotated[int, Field(ge=1, le=10_000)] = 200
    page_on: frozenset[Severity] = frozenset({"emergency", "crisis"})
    check_s: Seconds = 10.0
    retrieve_s: Seconds = 5.0
    draft_s: Seconds = 60.0
    red_flag_s: Seconds = 2.0
    retry_s: Seconds = 1.0
