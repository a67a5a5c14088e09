"""The graph.

intake -> guardrail_pre -> [retrieve_context] -> generate_response -> [review_response] -> guardrail_post -> closing
"""

from __future__ import annotations

from typing import Any, TypeAlias

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from carerails.graph.nodes import Nodes
from carerails.graph.state import Call, State

Graph: TypeAlias = "CompiledStateGraph[State, Call, State, State]"


def build_graph(nodes: Nodes, saver: BaseCheckpointSaver[Any] | None, *, human_review: bool) -> Graph:
    """Compile it; without a saver, only to be looked at. `review_response` exists only with human review on."""
    graph: Any = StateGraph(State, context_schema=Call)  # its own types are unknown in parts
    graph.add_node("intake", nodes.intake)
    graph.add_node("guardrail_pre", nodes.guardrail_pre)
    graph.add_node("retrieve_context", nodes.retrieve_context)
    graph.add_node("generate_response", nodes.generate_response)
    graph.add_node("guardrail_post", nodes.guardrail_post)
    graph.add_node("closing", nodes.closing)
    graph.add_edge(START, "intake")
    graph.add_edge("intake", "guardrail_pre")
    graph.add_conditional_edges("guardrail_pre", after_guardrail, ["retrieve_context", "generate_response"])
    graph.add_edge("retrieve_context", "generate_response")
    if human_review:
        graph.add_node("review_response", nodes.review_response)
        graph.add_edge("generate_response", "review_response")
        graph.add_edge("review_response", "guardrail_post")
    else:
        graph.add_edge("generate_response", "guardrail_post")
    graph.add_edge("guardrail_post", "closing")
    graph.add_edge("closing", END)
    return graph.compile(checkpointer=saver)


async def after_guardrail(state: State) -> str:
    """Only a turn that is allowed, and whose question may be shown, goes to the cards.

    Async because LangGraph hands a plain function to another thread, which costs more than all nodes together.
    """
    free = state["now"].decision.decision == "allow" and not state["now"].faults
    return "retrieve_context" if free else "generate_response"
