"""The gate: a red flag gets its reply with the number, whatever else is wrong."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from carerails.contracts import Failure, Message, Turn, TurnDecision
from carerails.gate import severer
from carerails.graph import AgentError, AgentTurn, Event, Topology, TurnCompleted
from carerails.graph.errors import InvalidRequest, MissingThread, StoreUnavailable, TooManyTurns, TurnFailed
from tests.graph.conftest import Server
from tests.graph.kit import ListSink, Parts

ESCALATION = "<emergency-medical en MX>\n\n<footer en MX>"


async def flagged(parts: Parts, sink: ListSink | None, store: str = ":memory:", **request: Any) -> AgentTurn:
    async with parts.agent(store, sink) as agent:
        whole: dict[str, Any] = {"thread_id": "t", "text": "stroke", "country": "MX", **request}
        return await agent.ask(**whole)


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        ({"thread_id": ""}, MissingThread),
        ({"thread_id": None}, MissingThread),
        ({"locale": "tlh"}, InvalidRequest),
        ({"channel": "smoke"}, InvalidRequest),
        ({"messages": [Message(role="user", content="stroke")]}, InvalidRequest),  # and a text
        ({"text": None, "messages": [{"role": "king", "content": "stroke"}]}, InvalidRequest),
        ({"text": None, "messages": ["stroke"]}, InvalidRequest),
        ({"text": None, "messages": [Message(role="user", content="stroke")] * 201}, TooManyTurns),
    ],
)
def test_an_invalid_request_with_a_red_flag_is_answered_and_paged(request_: dict[str, Any], error: type[AgentError]):
    """The floor hears it before anything is validated; without a red flag the same request is an error with a mend."""
    sink = ListSink()
    turn = asyncio.run(flagged(Parts(), sink, **request_))
    assert turn.reply is not None
    assert (turn.status, turn.reply.kind, turn.reply.text) == ("complete", "escalation", ESCALATION)
    assert [fault.where for fault in turn.faults] == ["request"]
    assert len(sink.taken) == 1
    harmless: dict[str, Any] = {**request_, "text": None if request_.get("text", "") is None else "hello"}
    if "messages" in request_:
        harmless["messages"] = [_harmless(message) for message in request_["messages"]]
    with pytest.raises(error) as caught:
        asyncio.run(flagged(Parts(), None, **harmless))
    assert caught.value.mend


def _harmless(message: Any) -> Any:
    """The same kind of message, saying hello."""
    if isinstance(message, Message):
        return Message(role="user", content="hello")
    return "hello" if isinstance(message, str) else {"role": message["role"], "content": "hello"}


def test_a_country_that_is_none_is_an_error_and_no_reason_to_be_silent():
    turn = asyncio.run(flagged(Parts(), None, country="Mexico"))
    assert turn.reply is not None
    assert turn.reply.text == "<emergency-medical en None>\n\n<footer en None>"


def test_a_missing_thread_never_starts_afresh():
    """Known failure 25."""
    with pytest.raises(MissingThread, match="no thread_id"):
        asyncio.run(flagged(Parts(), None, thread_id=None, text="how do i store it"))


def test_a_talk_that_is_too_long_ends_but_for_red_flags(store: str):
    async def run() -> AgentTurn:
        async with Parts().agent(store, max_turns=2) as agent:
            await agent.ask("t", "hello")
            await agent.ask("t", "hello")
            with pytest.raises(TooManyTurns):
                await agent.ask("t", "hello")
            turn = await agent.ask("t", "stroke")
            assert len(await agent.deliveries("t")) == 1
            return turn

    turn = asyncio.run(run())
    assert turn.decision.outcome == "emergency"


def test_with_the_database_down_red_flags_are_answered_and_paged(postgres_server: Server):
    """The server dies under a running agent, and comes back."""
    url, sink = postgres_server.database(), ListSink()

    async def run() -> None:
        async with Parts().agent(url, sink) as agent:
            await agent.ask("t", "hello")
            await asyncio.to_thread(postgres_server.stop)
            try:
                turn = await agent.ask("t", "stroke", country="MX")
                assert turn.reply is not None
                assert (turn.reply.text, turn.disengaged) == (ESCALATION, True)
                assert [fault.where for fault in turn.faults] == ["store"]
                with pytest.raises(StoreUnavailable):
                    await agent.ask("t", "how do i store it")
            finally:
                await asyncio.to_thread(postgres_server.start)
            for _ in range(20):  # the first calls may find connections that died
                try:
                    again = await agent.ask("t", "how do i store it")
                    break
                except StoreUnavailable:
                    await asyncio.sleep(0.1)
            else:
                raise AssertionError("it never came back")
            assert again.turn == 2

    asyncio.run(run())
    assert [delivery.kind for delivery in sink.taken] == ["page"]


def test_an_agent_starts_without_its_database_and_finds_it_later(postgres_server: Server):
    url = postgres_server.database()
    postgres_server.stop()

    async def run() -> None:
        async with Parts().agent(url) as agent:
            turn = await agent.ask("t", "stroke")
            assert turn.decision.outcome == "emergency"
            assert [fault.where for fault in turn.faults] == [
                "store",
                "pager",
            ]  # the table is down, and no sink is there
            with pytest.raises(StoreUnavailable):
                await agent.ask("t", "hello")
            await asyncio.to_thread(postgres_server.start)
            await asyncio.sleep(1.1)
            assert (await agent.ask("t", "hello")).turn == 1

    try:
        asyncio.run(run())
    except BaseException:
        postgres_server.start()
        raise


def test_a_sqlite_file_that_somebody_locks_is_a_store_that_is_down(tmp_path: Path):
    path = tmp_path / "t.db"

    async def run() -> None:
        async with Parts().agent(str(path)) as agent:
            await agent.ask("t", "hello")
            with closing(sqlite3.connect(path)) as holder:
                holder.execute("BEGIN IMMEDIATE")
                turn = await agent.ask("t", "stroke")
                assert turn.decision.outcome == "emergency"
                assert "store" in [fault.where for fault in turn.faults]
                with pytest.raises(StoreUnavailable):
                    await agent.ask("u", "how do i store it")
            assert (await agent.ask("t", "hello")).status == "complete"

    asyncio.run(run())


def test_what_the_gate_says_holds_on_the_thread_and_nothing_of_it_is_raw(tmp_path: Path):
    """The store is away for one turn; when it is back, the conversation is over all the same."""
    path, parts, sink = tmp_path / "t.db", Parts(), ListSink()
    parts.redactor.broken = RuntimeError()

    async def run() -> None:
        async with parts.agent(str(path), sink) as agent:
            await agent.ask("t", "double")
            with closing(sqlite3.connect(path)) as holder:
                holder.execute("BEGIN IMMEDIATE")
                turn = await agent.ask("t", "stroke")
                assert turn.decision.matched_terms == ("<redacted>",)
            turn = await agent.ask("t", "hello")
            assert (turn.disengaged, turn.decision.category) == (True, "stroke")
            assert (await agent.ask("t", "hello")).disengaged
            assert not (await agent.ask("u", "double")).disengaged

    asyncio.run(run())
    (page,) = sink.taken
    assert '"matched_terms":["<redacted>"]' in page.body


def test_the_stream_answers_a_red_flag_without_a_store_too(monkeypatch: pytest.MonkeyPatch):
    """Known failure 4: streaming has no way around the gate, and no way to lose it."""
    from carerails.graph.sqlite import SqliteStore

    async def down(self: SqliteStore) -> None:
        raise StoreUnavailable("OperationalError")

    monkeypatch.setattr(SqliteStore, "open", down)

    async def run() -> list[Event]:
        async with Parts().agent() as agent:
            return [event async for event in agent.stream("t", "stroke")]

    first, last = asyncio.run(run())
    assert isinstance(first, Topology)
    assert isinstance(last, TurnCompleted)
    assert last.turn.decision.outcome == "emergency"


def test_a_red_flag_does_not_wait_for_a_slow_turn_and_is_paged_once(store: str):
    """The gate answers; the graph goes on, and the conversation is over when it is done."""
    parts, sink = Parts(), ListSink()
    check = parts.engine.check

    async def slow(turn: Turn) -> TurnDecision:
        await asyncio.sleep(0.2)
        return await check(turn)

    parts.engine.check = slow  # type: ignore[method-assign]

    async def run() -> None:
        async with parts.agent(store, sink, red_flag_s=0.05) as agent:
            started = time.monotonic()
            turn = await agent.ask("t", "stroke")
            assert time.monotonic() - started < 0.15
            assert (turn.decision.outcome, [fault.where for fault in turn.faults]) == ("emergency", ["graph"])
            again = await agent.ask("t", "hello")
            assert (again.turn, again.disengaged) == (2, True)

    asyncio.run(run())
    assert len(sink.taken) == 1


def test_what_the_engine_found_stands_when_the_rest_of_the_turn_fails(monkeypatch: pytest.MonkeyPatch):
    """The floor is silent, the engine is not, and then something nobody expected."""
    from carerails.graph.nodes import Nodes

    async def broken(self: Nodes, state: object) -> object:
        raise ZeroDivisionError

    monkeypatch.setattr(Nodes, "generate_response", broken)
    parts, sink = Parts(), ListSink()
    parts.floor.deaf = ("stroke",)
    turn = asyncio.run(flagged(parts, sink))
    assert turn.reply is not None
    assert turn.reply.text == ESCALATION
    assert len(sink.taken) == 1  # by the graph, before it failed; not once more by the gate
    with pytest.raises(TurnFailed, match="ZeroDivisionError"):
        asyncio.run(flagged(parts, None, text="hello"))


def escalation(severity: str, *, failed: bool = False) -> TurnDecision:
    failure = Failure(seam="detection", kind="timeout") if failed else None
    own: dict[str, Any] = {"severity": severity, "failed": failed, "failure": failure}
    return TurnDecision(decision="escalate", template_slug="urgent-care", engine="floor", **own)


REFUSED = TurnDecision(decision="refuse", slug="default", template_slug="default", engine="engine", locale="pt-BR")
ALLOWED = TurnDecision(decision="allow", engine="engine", locale="pt-BR")


@pytest.mark.parametrize(
    ("floor", "behind", "outcome", "failed"),
    [
        (ALLOWED, REFUSED, "refuse", False),
        (REFUSED, ALLOWED, "allow", False),  # only red flags pass through the gate
        (escalation("urgent"), ALLOWED, "urgent", False),
        (escalation("crisis"), escalation("emergency"), "emergency", False),
        (escalation("emergency"), escalation("crisis"), "emergency", False),
        (escalation("urgent", failed=True), ALLOWED, "urgent", True),
        (escalation("urgent", failed=True), escalation("crisis"), "crisis", True),
        (escalation("crisis"), escalation("urgent", failed=True), "crisis", True),
    ],
)
def test_the_more_severe_stands_and_no_failure_is_lost(
    floor: TurnDecision, behind: TurnDecision, outcome: str, failed: bool
):
    both = severer(floor, behind)
    assert (both.outcome, both.failed, both.engine, both.locale) == (outcome, failed, behind.engine, behind.locale)
