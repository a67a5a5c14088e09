"""The agent: one LangGraph graph on any engine. It answers from cards or refuses, and never loses a red flag.

    gate -> intake -> guardrail_pre -> [retrieve_context] -> generate_response -> [review_response]
         -> guardrail_post -> closing

The package knows the contracts and nobody else; whoever composes an agent gives it its parts.
"""

from carerails.graph.agent import Agent
from carerails.graph.deliveries import Delivery, Handover, Page, Sink
from carerails.graph.desk import Review, Waiting
from carerails.graph.errors import AgentError
from carerails.graph.events import (
    Event,
    Failed,
    NodeCompleted,
    NodeSkipped,
    NodeStarted,
    Paused,
    Topology,
    TurnCompleted,
)
from carerails.graph.faults import Fault
from carerails.graph.review import ReviewNeed, assess_review_need
from carerails.graph.settings import AgentSettings
from carerails.graph.tools import passage_of
from carerails.graph.turns import AgentTurn

__all__ = [
    "Agent",
    "AgentError",
    "AgentSettings",
    "AgentTurn",
    "Delivery",
    "Event",
    "Failed",
    "Fault",
    "Handover",
    "NodeCompleted",
    "NodeSkipped",
    "NodeStarted",
    "Page",
    "Paused",
    "Review",
    "ReviewNeed",
    "Sink",
    "Topology",
    "TurnCompleted",
    "Waiting",
    "assess_review_need",
    "passage_of",
]
