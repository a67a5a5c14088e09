"""What leaves the agent besides the answer to a call, and where it goes."""

from __future__ import annotations

from typing import Literal, Protocol

from carerails.contracts import Channel, Frozen, Handoff, Locale, TurnDecision
from carerails.graph.state import Call


class Page(Frozen):
    """Calls a human to a conversation."""

    thread_id: str
    turn: int
    handoff: Handoff
    locale: Locale
    country: str | None = None
    channel: Channel = "chat"


class Handover(Frozen):
    """Asks a person to answer a turn that the agent cannot: the circuit is open. Nothing of the talk is in it."""

    thread_id: str
    turn: int
    locale: Locale
    country: str | None = None
    channel: Channel = "chat"


class Delivery(Frozen):
    """Something that leaves the agent besides the answer to a call.

    A page; a reply that a person let go, or that waited for the model to come back; a talk that a person is to take up.

    Attributes:
        key: unique and stable: the same key is the same delivery, however often it comes.
        body: JSON of a `Page`, a `Reply` or a `Handover`.
    """

    key: str
    kind: Literal["page", "reply", "handover"]
    thread_id: str
    turn: int
    body: str


class Sink(Protocol):
    """Takes deliveries to where people are."""

    async def deliver(self, delivery: Delivery) -> None:
        """Hand it on; raise if that failed. After a crash or from two processes a key may come again: take it once."""
        ...


def decision_of(page: Page) -> TurnDecision:
    """The escalation that a page stands for, without its evidence."""
    handoff = page.handoff
    return TurnDecision(
        decision="escalate",
        severity=handoff.severity,
        category=handoff.category,
        subcategories=handoff.subcategories,
        template_slug=handoff.template_slug,
        locale=page.locale,
        country=page.country,
    )


def page_of(call: Call, decision: TurnDecision) -> Page:
    """The page that an escalation stands for."""
    handoff = decision.escalation().handoff
    if handoff is None:
        raise ValueError("only an escalation pages")
    return Page(
        thread_id=call.thread_id,
        turn=call.number,
        handoff=handoff,
        locale=decision.locale,
        country=decision.country,
        channel=call.turn.channel,
    )
