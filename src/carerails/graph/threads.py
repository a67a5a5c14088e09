"""The threads in the store, and the graph that drives them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Literal, NamedTuple, TypeAlias

from langgraph.types import Command

from carerails.graph.build import Graph
from carerails.graph.events import Event, NodeTrace, Topology
from carerails.graph.locks import Locks
from carerails.graph.state import Call, Now
from carerails.graph.store import Store
from carerails.tracing import untraced

Emit: TypeAlias = Callable[[Event], None]
Durability = Literal["exit", "sync"]


class Standing(NamedTuple):
    """How a thread stands: its last turn, None where nobody ever talked; whether its graph waits in an interrupt."""

    now: Now | None
    paused: bool


class Threads:
    """Every thread of one store."""

    def __init__(self, graph: Graph, store: Store, topology: Topology) -> None:
        self._graph, self._store, self._locks, self._nodes = graph, store, Locks(), topology.nodes

    @asynccontextmanager
    async def hold(self, thread_id: str) -> AsyncGenerator[None, None]:
        """Two turns on one thread come one after the other, in this process and in others."""
        async with self._locks.hold(thread_id), self._store.exclusive(thread_id):
            yield

    async def stands(self, thread_id: str) -> Standing:
        """How a thread stands."""
        snapshot = await self._graph.aget_state(_config(thread_id))
        return Standing(snapshot.values.get("now"), bool(snapshot.interrupts))

    async def turn(self, call: Call, emit: Emit | None, durability: Durability) -> Standing:
        """Drive a new turn. New input makes LangGraph drop an interrupt, so whoever calls knows what waits there."""
        return await self._drive({}, call.thread_id, call, emit, durability)

    async def resume(self, thread_id: str, answer: dict[str, Any]) -> Standing:
        """Drive a paused turn on. LangGraph does it as often as it is asked: claim the review first."""
        return await self._drive(Command(resume=answer), thread_id, None, None, "exit")

    async def _drive(
        self,
        start: dict[str, Any] | Command[Any],
        thread_id: str,
        call: Call | None,
        emit: Emit | None,
        durability: Durability,
    ) -> Standing:
        trace = NodeTrace(self._nodes)
        values: dict[str, Any] = {}
        graph: Any = self._graph  # its own types are unknown in parts
        stream: AsyncIterator[tuple[str, dict[str, Any]]] = graph.astream(
            start,
            _config(thread_id),
            context=call,
            durability=durability,
            stream_mode=["values", "tasks"] if emit else ["values"],
        )
        with untraced():  # the state and the call would go to LangSmith where the environment says so
            async for mode, chunk in stream:
                if mode == "values":
                    values = chunk
                elif emit:
                    for event in trace.events(chunk):
                        emit(event)
        return Standing(values.get("now"), "__interrupt__" in values)


def topology_of(graph: Graph) -> Topology:
    """The graph as a drawing would show it."""
    drawing = graph.get_graph()
    return Topology(
        nodes=tuple(name for name in ORDER if name in drawing.nodes),
        edges=tuple((edge.source, edge.target) for edge in drawing.edges),
    )


#: The nodes in the order in which a turn meets them.
ORDER = (
    "intake",
    "guardrail_pre",
    "retrieve_context",
    "generate_response",
    "review_response",
    "guardrail_post",
    "closing",
)


def _config(thread_id: str) -> Any:
    return {"configurable": {"thread_id": thread_id}}
