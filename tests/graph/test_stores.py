"""The stores: what names them, what they bring back to life, and that a transaction is one."""

from __future__ import annotations

import asyncio
import builtins
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from carerails.contracts import Evidence, Failure, Inspection, Objection, Reply, Span, Turn, TurnDecision
from carerails.errors import UsageError
from carerails.graph.faults import Fault
from carerails.graph.state import Memory, Now
from carerails.graph.store import open_store, serializer
from tests.graph.kit import Parts, card

DECISION = TurnDecision(
    decision="escalate",
    severity="emergency",
    template_slug="emergency-medical",
    evidence=(
        Evidence(
            rule="r",
            file="f.co",
            line=3,
            category="stroke",
            outcome="emergency",
            matched_terms=("a", "b"),
            spans=(Span(message=0, start=1, end=2),),
        ),
    ),
)


NOW = Now(
    number=3,
    record=("a", "b"),
    decision=DECISION,
    passages=(card("es-419"),),
    draft=Reply(kind="answer", text="x", citations=("a",)),
    inspection=Inspection(
        objections=(Objection(check="phrases", reason="diagnosis", rule="r", file="f.co", line=3, terms=("y",)),),
        failures=(Failure(seam="output", kind="timeout"),),
    ),
    faults=(Fault(where="drafter", kind="timeout"),),
)


@pytest.mark.parametrize("value", [NOW, Now(number=1), Memory(locale="pt-BR", disengaged=DECISION), {"a": None}])
def test_what_the_state_holds_comes_back_as_it_was(value: object):
    serde = serializer()
    assert serde.loads_typed(serde.dumps_typed(value)) == value


def test_what_is_not_on_the_list_does_not_come_back_to_life():
    """A checkpoint that somebody tampered with builds no object of their choice."""
    serde = serializer()
    back = serde.loads_typed(serde.dumps_typed(Turn.of("x")))
    assert not isinstance(back, Turn)


def test_a_forged_constructor_is_not_called(tmp_path: Path):
    import ormsgpack

    target = tmp_path / "made"
    forged = ormsgpack.Ext(1, ormsgpack.packb(("pathlib", "Path.touch", [str(target)])))
    called = ormsgpack.Ext(0, ormsgpack.packb(("os", "mkdir", str(target))))
    for payload in (forged, called):
        serializer().loads_typed(("msgpack", ormsgpack.packb(payload)))
    assert not target.exists()


@pytest.mark.parametrize("where", ["mysql://host/db", "http://x"])
def test_an_unknown_store_says_which_there_are(where: str):
    with pytest.raises(UsageError, match="postgresql://"):
        open_store(where)


def test_a_path_whose_directory_is_missing_says_so(tmp_path: Path):
    with pytest.raises(UsageError, match="no such directory"), Parts().agent(str(tmp_path / "no" / "t.db")):
        pass


def test_a_path_that_is_a_directory_says_so(tmp_path: Path):
    with pytest.raises(UsageError, match="is a directory"), Parts().agent(str(tmp_path)):
        pass


def test_a_sqlite_url_is_a_path(tmp_path: Path):
    with Parts().agent(f"sqlite:///{tmp_path}/t.db") as agent:
        agent.ask_sync("t", "hello")
    assert (tmp_path / "t.db").is_file()


def test_postgres_without_its_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.startswith("psycopg"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(UsageError, match=r"carerails\[postgres\]"), Parts().agent("postgresql://nowhere/x"):
        pass


def test_a_transaction_is_all_or_nothing(store: str):
    async def run() -> None:
        opened = open_store(store)
        await opened.open()
        put = "INSERT INTO carerails_outbox (key, kind, thread, turn, body, created) VALUES (?, 'page', 't', 1, '', 0)"
        with pytest.raises(Exception, match=r"carerails_nowhere") as caught:
            await opened.write((put, ("a",)), ("INSERT INTO carerails_nowhere VALUES (1)", ()))
        assert opened.lost(caught.value)
        assert await opened.read("SELECT key FROM carerails_outbox") == []
        assert await opened.write((put, ("b",)), (f"{put} ON CONFLICT DO NOTHING RETURNING key", ("c",))) == [("c",)]
        assert await opened.read("SELECT key FROM carerails_outbox WHERE thread = ? ORDER BY key", "t") == [
            ("b",),
            ("c",),
        ]
        await opened.close()

    asyncio.run(run())


def test_two_agents_may_start_on_an_empty_database_at_once(postgres_store: str):
    async def run() -> None:
        agents = [Parts().agent(postgres_store) for _ in range(3)]
        turns = await asyncio.gather(*(agent.ask(f"t{i}", "hello") for i, agent in enumerate(agents)))
        assert [turn.turn for turn in turns] == [1, 1, 1]
        for agent in agents:
            agent.close()

    asyncio.run(run())


def test_a_turn_costs_one_checkpoint_and_a_red_flag_pays_for_more(tmp_path: Path):
    """Durability `exit`, except where a side effect is."""
    path = tmp_path / "t.db"

    def checkpoints(text: str) -> int:
        with sqlite3.connect(path) as connection:
            before = connection.execute("SELECT count(*) FROM checkpoints").fetchone()[0]
            agent.ask_sync("t", text)
            return connection.execute("SELECT count(*) FROM checkpoints").fetchone()[0] - before

    with Parts().agent(str(path)) as agent:
        agent.ask_sync("t", "hello")
        assert checkpoints("how do i store it") == 1
        assert checkpoints("stroke") > 1
