"""Every seam breaks once: nothing that fails is a pass, and the turn says that it failed."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from carerails.graph import AgentTurn, Fault
from tests.graph.kit import Breakable, ListSink, Parts, footer

SECRET = "5511987654321"
NONSENSE: list[object] = [RuntimeError(SECRET), None, "not a contract", {}]


def ask(parts: Parts, text: str, store: str = ":memory:", sink: ListSink | None = None, **settings: Any) -> AgentTurn:
    async def run() -> AgentTurn:
        async with parts.agent(store, sink, **settings) as agent:
            return await agent.ask("t", text)

    return asyncio.run(run())


def where(turn: AgentTurn) -> list[str]:
    return [fault.where for fault in turn.faults]


@pytest.mark.parametrize("nonsense", NONSENSE)
@pytest.mark.parametrize(
    ("seam", "text", "kind"),
    [("retriever", "store", "refusal"), ("drafter", "store", "refusal"), ("guard", "store", "refusal")],
)
def test_a_broken_part_becomes_the_fallback(seam: str, text: str, kind: str, nonsense: object):
    """Known failures 2 and 8: an exception, and an answer of the wrong kind."""
    parts = Parts()
    part: Breakable = getattr(parts, seam)
    part.fail(nonsense)
    turn = ask(parts, text)
    assert turn.reply is not None
    assert (turn.reply.kind, turn.reply.text) == (kind, "<default en None>" + footer())
    assert where(turn) == [seam]
    assert SECRET not in turn.model_dump_json()


def test_a_retriever_that_fails_calls_no_model():
    parts = Parts()
    parts.retriever.broken = RuntimeError()
    ask(parts, "store")
    assert parts.drafter.calls == 0


@pytest.mark.parametrize("nonsense", NONSENSE)
def test_a_dead_engine_escalates_and_says_that_the_check_did_not_run(nonsense: object):
    """Known failure 9: nothing says "checked" of a check that did not run."""
    parts = Parts()
    parts.engine.fail(nonsense)
    turn = ask(parts, "how do i store it")
    assert turn.reply is not None
    assert (turn.reply.kind, turn.decision.outcome, turn.decision.category) == (
        "escalation",
        "urgent",
        "check-failed",
    )
    assert turn.decision.failed
    assert turn.decision.failure is not None
    assert where(turn) == ["engine"]
    assert SECRET not in turn.model_dump_json()


def test_an_engine_that_never_answers_has_failed():
    parts = Parts()

    async def hang(turn: object) -> object:
        await asyncio.sleep(3600)
        return turn

    parts.engine.check = hang  # type: ignore[method-assign,assignment]
    turn = ask(parts, "store", check_s=0.05)
    assert (turn.decision.outcome, turn.faults) == (
        "urgent",
        (Fault(where="engine", kind="timeout", detail="TimeoutError"),),
    )


def test_the_floor_speaks_for_a_dead_engine():
    """Known failure 21: the red-flag floor is untouched by what is wrong behind it."""
    parts = Parts()
    parts.engine.broken = RuntimeError()
    turn = ask(parts, "stroke")
    assert (turn.decision.outcome, turn.decision.category, turn.decision.failed) == ("emergency", "stroke", True)


def test_a_dead_floor_is_no_pass_either():
    parts = Parts()
    parts.floor.broken = RuntimeError()
    assert ask(parts, "store").decision.outcome == "urgent"
    turn = ask(parts, "stroke")
    assert (turn.decision.outcome, turn.decision.failed) == ("emergency", True)


@pytest.mark.parametrize("nonsense", NONSENSE)
def test_without_redaction_nothing_raw_is_stored_or_sent(tmp_path: Path, nonsense: object):
    parts = Parts()
    parts.redactor.fail(nonsense)
    path = tmp_path / "t.db"
    turn = ask(parts, f"store {SECRET} of mine", str(path))
    assert turn.reply is not None
    assert (turn.reply.kind, where(turn)) == ("refusal", ["redactor"])
    assert (parts.retriever.calls, parts.drafter.calls) == (0, 0)
    turn = ask(parts, f"stroke {SECRET}", str(path))
    assert turn.decision.outcome == "emergency"
    assert turn.decision.matched_terms == ("<redacted>",)
    kept = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert SECRET.encode() not in kept
    assert b"of mine" not in kept


def test_only_the_redacted_text_is_stored_and_sent(tmp_path: Path):
    parts = Parts()
    path = tmp_path / "t.db"
    for text in (f"how do i store {SECRET}", f"stroke {SECRET}", f"store uncited {SECRET}"):
        ask(parts, text, str(path), human_review=True)
    assert parts.drafter.questions[0] == "how do i store <PHONE>"
    assert parts.retriever.questions[0] == "how do i store <PHONE>"
    kept = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"how do i store <PHONE>" in kept
    assert SECRET.encode() not in kept


def test_templates_that_cannot_be_rendered_have_last_words():
    """Known failure 21: a red flag is answered even if no template can be rendered."""
    parts = Parts()
    parts.engine.mute = True
    turn = ask(parts, "stroke")
    assert turn.reply is not None
    assert turn.reply.text == "<emergency-medical en None>" + footer()  # the floor's
    parts.floor.mute = True
    turn = ask(parts, "stroke")
    assert turn.reply is not None
    assert "emergency number" in turn.reply.text
    assert turn.reply.text.endswith("Demonstration, not medical advice.")


def test_a_sink_that_fails_keeps_no_reply_from_the_user_and_is_asked_again():
    parts, sink = Parts(), ListSink()
    sink.broken = OSError()

    async def run() -> AgentTurn:
        async with parts.agent(sink=sink, retry_s=0.01) as agent:
            turn = await agent.ask("t", "stroke")
            await sink.wait(lambda sink: sink.calls >= 3)
            sink.broken = None
            await sink.wait(lambda sink: bool(sink.taken))
            return turn

    turn = asyncio.run(run())
    assert turn.decision.outcome == "emergency"
    assert [delivery.key for delivery in sink.taken] == ["page:t:1"]


def test_an_outbox_that_fails_keeps_no_reply_from_the_user(monkeypatch: pytest.MonkeyPatch):
    from carerails.graph.outbox import Outbox

    async def broken(self: Outbox, page: object) -> None:
        raise OSError

    monkeypatch.setattr(Outbox, "page", broken)
    turn = ask(Parts(), "stroke")
    assert (turn.decision.outcome, where(turn)) == ("emergency", ["pager"])


def test_parts_are_started_once_and_ready_before_the_first_turn():
    """Known failure 20: twenty first turns at once, right after the start."""
    parts = Parts(same=True)

    async def run() -> list[AgentTurn]:
        async with parts.agent() as agent:
            return await asyncio.gather(*(agent.ask(f"t{i}", "store") for i in range(20)))

    turns = asyncio.run(run())
    assert [turn.reply.kind for turn in turns if turn.reply] == ["answer"] * 20
    assert parts.engine.entered == 1


def test_a_part_that_does_not_start_says_so_by_name():
    """Known failure 21: a config error is told as it is, not as an internal error."""
    from carerails.errors import UsageError

    parts = Parts()

    async def broken(self: object) -> object:
        raise UsageError("unknown rail", "did you mean stroke?", "main.co:3")

    parts.engine.__class__ = type("Dead", (type(parts.engine),), {"__aenter__": broken})
    with pytest.raises(UsageError, match=r"main\.co:3: unknown rail"):
        ask(parts, "stroke")
