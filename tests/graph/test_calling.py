"""Known failure 18: called from sync code, a thread, a running loop, a graph node; nothing is left un-awaited."""

from __future__ import annotations

import asyncio
import threading
import warnings
from typing import Any, TypedDict

import pytest

from carerails.graph import AgentTurn
from carerails.graph.errors import AgentClosed
from tests.graph.kit import Parts


@pytest.fixture(autouse=True)
def _no_warnings():  # pyright: ignore[reportUnusedFunction]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def check(turn: AgentTurn, number: int = 1) -> None:
    assert turn.reply is not None
    assert (turn.reply.kind, turn.turn) == ("answer", number)


def test_from_plain_sync_code():
    agent = Parts().agent(human_review=True)
    check(agent.ask_sync("t", "store"))
    assert agent.ask_sync("u", "store uncited").status == "paused_for_review"
    check(agent.resume_sync("u", "approve"))
    agent.close()


def test_from_a_with_block():
    with Parts().agent() as agent:
        check(agent.ask_sync("t", "store"))


def test_from_threads():
    with Parts().agent() as agent:
        turns: list[AgentTurn] = []

        def talk(thread_id: str) -> None:
            turns.append(agent.ask_sync(thread_id, "store"))

        threads = [threading.Thread(target=talk, args=(f"t{number}",)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(turns) == 8
    for turn in turns:
        check(turn)


def test_sync_where_a_loop_is_running():
    async def run() -> None:
        async with Parts().agent() as agent:
            check(agent.ask_sync("t", "store"))
            check(await agent.ask("t", "store"), 2)
            check(await asyncio.to_thread(agent.ask_sync, "t", "store"), 3)

    asyncio.run(run())


def test_one_agent_from_two_loops():
    agent = Parts().agent()
    check(asyncio.run(agent.ask("t", "store")))
    check(asyncio.run(agent.ask("t", "store")), 2)
    agent.close()


def test_from_a_node_of_another_graph():
    from langgraph.graph import END, START, StateGraph

    class Other(TypedDict):
        turns: list[Any]

    with Parts().agent() as agent:

        async def awaits(state: Other) -> dict[str, Any]:
            return {"turns": [await agent.ask("t", "store")]}

        def blocks(state: Other) -> dict[str, Any]:
            return {"turns": [*state["turns"], agent.ask_sync("t", "store")]}

        graph: Any = StateGraph(Other)
        graph.add_node("awaits", awaits)
        graph.add_node("blocks", blocks)
        graph.add_edge(START, "awaits")
        graph.add_edge("awaits", "blocks")
        graph.add_edge("blocks", END)
        first, second = asyncio.run(graph.compile().ainvoke({"turns": []}))["turns"]
    check(first)
    check(second, 2)


def test_from_inside_itself():
    """A part may await its own agent; blocking there would wait for ever, and says so."""
    parts = Parts()
    agent = parts.agent()
    found: list[Any] = []
    retrieve = parts.retriever.retrieve

    async def nested(question: str, locale: Any) -> Any:
        if question == "store outer":
            found.append(await agent.ask("inner", "store"))
            try:
                agent.ask_sync("inner", "store")
            except AgentClosed as error:
                found.append(error)
        return await retrieve(question, locale)

    parts.retriever.retrieve = nested  # type: ignore[method-assign]
    check(agent.ask_sync("t", "store outer"))
    agent.close()
    check(found[0])
    assert "await the async method" in str(found[1])


def test_a_closed_agent_says_so():
    agent = Parts().agent()
    agent.ask_sync("t", "store")
    agent.close()
    agent.close()
    with pytest.raises(AgentClosed, match="open another one"):
        agent.ask_sync("t", "store")
    with pytest.raises(AgentClosed):
        asyncio.run(agent.ask("t", "store"))


def test_a_turn_goes_on_when_its_caller_is_cancelled():
    """What has begun is brought to its end: the thread is in order, and the next turn is the second."""
    parts = Parts()
    draft = parts.drafter.draft

    async def slow(question: str, *arguments: Any) -> Any:
        await asyncio.sleep(0.2)
        return await draft(question, *arguments)

    parts.drafter.draft = slow  # type: ignore[method-assign]

    async def run() -> None:
        async with parts.agent() as agent:
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(agent.ask("t", "store"), 0.05)
            check(await agent.ask("t", "store again"), 2)

    asyncio.run(run())
    assert parts.drafter.questions == ["store", "store again"]


def test_importing_the_package_imports_nothing_heavy():
    import subprocess
    import sys

    heavy = "('langgraph', 'psycopg', 'langchain_core')"
    code = f"import sys, carerails.graph; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
