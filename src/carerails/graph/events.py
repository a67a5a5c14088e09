"""What happens during a turn, as it happens. The reply itself comes whole: no half-checked text is ever sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from carerails.contracts import Frozen
from carerails.graph.errors import AgentError
from carerails.graph.turns import AgentTurn


class Topology(Frozen):
    """The graph that runs: its nodes in order, its edges, `__start__` and `__end__` included in the edges."""

    event: Literal["topology"] = "topology"
    nodes: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]


class NodeStarted(Frozen):
    """A node begins."""

    event: Literal["node_started"] = "node_started"
    node: str


class NodeCompleted(Frozen):
    """A node is through."""

    event: Literal["node_completed"] = "node_completed"
    node: str


class NodeSkipped(Frozen):
    """The turn passed a node by."""

    event: Literal["node_skipped"] = "node_skipped"
    node: str


class TurnCompleted(Frozen):
    """The turn is answered."""

    event: Literal["turn_completed"] = "turn_completed"
    turn: AgentTurn


class Paused(Frozen):
    """The turn waits for a person."""

    event: Literal["paused"] = "paused"
    turn: AgentTurn


class Failed(Frozen):
    """The turn could not be completed."""

    event: Literal["error"] = "error"
    code: str
    what: str
    mend: str

    @classmethod
    def of(cls, error: AgentError) -> Failed:
        """The event of an error."""
        return cls(code=error.code, what=error.what, mend=error.mend)


Event: TypeAlias = Topology | NodeStarted | NodeCompleted | NodeSkipped | TurnCompleted | Paused | Failed


class NodeTrace:
    """Turns LangGraph's task events into ours, and notices the nodes that were passed by."""

    def __init__(self, nodes: Sequence[str]) -> None:
        self._ahead = list(nodes)

    def events(self, task: Mapping[str, Any]) -> Iterator[Event]:
        """The events of one chunk of stream mode `tasks`."""
        node: str = task["name"]
        if "triggers" in task:
            while node in self._ahead and self._ahead[0] != node:
                yield NodeSkipped(node=self._ahead.pop(0))
            self._ahead = [name for name in self._ahead if name != node]
            yield NodeStarted(node=node)
        elif not task["error"] and not task["interrupts"]:
            yield NodeCompleted(node=node)
