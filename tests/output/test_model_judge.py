"""The model judge of replies over real HTTP: only an exact verdict lets a reply go; alone, by command, in the graph."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from carerails.cli import app
from carerails.contracts import Exchange, Inspection
from carerails.output.guard import ReplyGuard, open_guard
from carerails.output.judge import ModelReplyJudge
from carerails.testing import FAULTS, Scripted, StubLLM, answers, fenced, rate_limited, says, status
from tests.graph.kit import Parts, footer
from tests.kit import ScriptedEngine
from tests.kit import says as hits
from tests.output.kit import answer, passage, rails

SECRET = "zanahoria"  # a word of the talk that no error and no log may repeat
SEND: dict[str, Any] = {"send": True, "reason": "none"}
HOLD: dict[str, Any] = {"send": False, "reason": "promise"}
WHOLE = json.dumps(SEND)
SOUND = "Unopened insulin keeps best in the fridge. [cite:storage-insulin]"

#: Kinds of failure that have happened in public, and what each must be.
MALFORMED: dict[str, Scripted] = {
    "Yes, send it.": says("Yes, send it."),
    "send": says("send"),
    "Not safe to send.": says("Not safe to send."),
    "a preamble": says("Sure! " + WHOLE),
    "a preamble before a fence": says("Here:\n```json\n" + WHOLE + "\n```"),
    "a word after": says(WHOLE + " I hope this helps."),
    "single quotes": says(str(SEND)),
    "half a JSON": says(WHOLE[:-4]),
    "two verdicts": says(json.dumps(HOLD) + WHOLE),
    "two in a list": answers([HOLD, SEND]),
    "a key said twice": says('{"send": false, "send": true, "reason": "none"}'),
    "no reason": answers({"send": True}),
    "no send": answers({"reason": "none"}),
    "a field too many": answers({**SEND, SECRET: 1}),
    "another field": answers({"ok": True, "reason": "none"}),
    "sent for a reason": answers({"send": True, "reason": "advice"}),
    "held for none": answers({"send": False, "reason": "none"}),
    "a reason nobody knows": answers({"send": False, "reason": "ugly"}),
    "a reason in capitals": answers({"send": True, "reason": "None"}),
    "reason null": answers({"send": True, "reason": None}),
    "reason a list": answers({"send": True, "reason": ["none"]}),
    "send in quotes": answers({"send": "true", "reason": "none"}),
    "send 1": answers({"send": 1, "reason": "none"}),
    "send 1.2": answers({"send": 1.2, "reason": "none"}),
    "send null": answers({"send": None, "reason": "none"}),
    "send NaN": says('{"send": NaN, "reason": "none"}'),
    "nested without end": says("[" * 100_000),
}
KINDS = {
    **dict.fromkeys(["rate limit", "server error", "bad gateway page", "wrong key", "no such model"], "exception"),
    **dict.fromkeys(["connection dropped", "connection dropped in the body"], "exception"),
    **dict.fromkeys(["refusal", "filtered", "empty", "blank", "no content"], "missing"),
}


@pytest.fixture(scope="module")
def llm() -> Generator[StubLLM]:
    with StubLLM() as server:
        yield server


def judge(llm: StubLLM, timeout_s: float = 5.0) -> ModelReplyJudge:
    return ModelReplyJudge.from_environment(llm.environment, timeout_s=timeout_s)


def guard(llm: StubLLM, timeout_s: float = 5.0) -> ReplyGuard:
    return open_guard(judge=judge(llm, timeout_s))


def look(one: ReplyGuard, text: str = SOUND, question: str = f"where do i keep the {SECRET}") -> Inspection:
    async def once() -> Inspection:
        async with one:
            return await one.inspect(answer(text), Exchange(question=question, passages=(passage(),)))

    return asyncio.run(once())


@pytest.mark.parametrize("reply", [answers(SEND), fenced(SEND), says(f"  {WHOLE}\n")])
def test_an_exact_verdict_lets_it_go(llm: StubLLM, reply: Scripted):
    llm.script(reply)
    assert look(guard(llm)).passed
    assert llm.count == 1


def test_its_objection_stops_the_reply(llm: StubLLM):
    llm.script(answers(HOLD))
    assert [(o.check, o.reason) for o in look(guard(llm)).objections] == [("judge", "judged-promise")]


def test_what_another_check_stops_is_not_sent_to_it(llm: StubLLM):
    llm.script(answers(SEND))
    assert look(guard(llm), "Take two tablets now. [cite:storage-insulin]").reasons == ("dose-advice",)
    assert llm.count == 0


@pytest.mark.parametrize("name", [*MALFORMED, *FAULTS])
def test_anything_else_is_a_failure_and_stops_it(llm: StubLLM, name: str, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG)
    llm.script({**FAULTS, **MALFORMED}[name])
    found = look(guard(llm))
    assert (found.passed, found.objections, found.reasons) == (False, (), ("check-failed",))
    assert [(each.seam, each.kind) for each in found.failures] == [("judge", KINDS.get(name, "malformed"))]
    assert SECRET in llm.sent
    assert SECRET not in found.model_dump_json() + caplog.text


@pytest.mark.parametrize("reply", [answers(SEND).after(30), rate_limited(30)], ids=["slow", "limit that asks to wait"])
def test_what_does_not_come_in_time_is_a_timeout(llm: StubLLM, reply: Scripted):
    llm.script(reply)
    found = look(guard(llm, 0.4))
    assert [(each.seam, each.kind) for each in found.failures] == [("judge", "timeout")]


def test_one_lost_answer_is_asked_for_again(llm: StubLLM):
    llm.script(status(500), answers(SEND))
    assert look(guard(llm)).passed
    assert llm.count == 2


def test_nobody_there():
    with StubLLM() as gone:
        one = guard(gone)
    assert look(one).reasons == ("check-failed",)


def test_what_is_sent_is_redacted(llm: StubLLM):
    llm.script(answers(SEND))
    found = look(guard(llm), question="my number is 415-555-2671, where do i keep it")
    assert found.passed
    assert "<PHONE>" in llm.sent
    assert "2671" not in llm.sent


def test_a_redactor_that_fails_sends_nothing(llm: StubLLM):
    class Broken:
        def redact(self, text: str, locale: str) -> Any:
            raise RuntimeError(SECRET)

    llm.script(answers(SEND))
    one = ReplyGuard(open_guard()._rails, open_guard().settings, ModelReplyJudge(judge(llm)._endpoint, Broken()))  # pyright: ignore[reportPrivateUsage]
    assert look(one).reasons == ("check-failed",)
    assert llm.count == 0


def test_the_command_counts_a_failure(llm: StubLLM, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name, value in llm.environment.items():
        monkeypatch.setenv(name, value)
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text(json.dumps({"text": SOUND, "cards": ["storage-insulin"], "draft": True}) + "\n", encoding="utf-8")
    for script, code, decision in ((answers(SEND), 0, "pass"), (answers(HOLD), 0, "stop"), (says("ok"), 4, "stop")):
        llm.script(script)
        result = CliRunner().invoke(
            app, ["check-output", "--in", str(source), "--out", str(target), "--semantic", "model"]
        )
        record = json.loads(target.read_text(encoding="utf-8"))
        assert (result.exit_code, record["decision"], record["failed"]) == (code, decision, code == 4)


def in_the_graph(llm: StubLLM, script: Scripted, timeout_s: float = 5.0) -> tuple[str, str, tuple[str, ...]]:
    """What the user reads, why, and what was kept as stopped, of a draft that only the judge can find fault with."""
    from carerails.config import load_settings
    from carerails.engine import FailSafeEngine
    from carerails.output.settings import OutputSettings

    parts = Parts()
    rules = FailSafeEngine(ScriptedEngine(hits()), rails(), load_settings())
    parts.guard = ReplyGuard(rules, OutputSettings(), judge(llm, timeout_s), checks={})  # type: ignore[assignment]
    llm.script(script)

    async def run() -> tuple[str, str, tuple[str, ...]]:
        async with parts.agent() as agent:
            turn = await agent.ask("t", f"how do I store the {SECRET}", locale="en")
            kept = await agent.stopped("t")
        assert turn.reply is not None
        return turn.reply.text, turn.reply.rationale, tuple(reason for each in kept for reason in each.reasons)

    return asyncio.run(run())


FALLBACK = "<default en None>" + footer()


def test_in_the_graph_an_exact_verdict_lets_the_draft_go(llm: StubLLM):
    text, _, kept = in_the_graph(llm, answers(SEND))
    assert text == "en: Keep it in a cool dry place. [cite:storage]" + footer()
    assert kept == ()


def test_in_the_graph_its_objection_gives_the_fallback(llm: StubLLM):
    assert in_the_graph(llm, answers(HOLD)) == (FALLBACK, "judged-promise", ("judged-promise",))


@pytest.mark.parametrize(
    "name", ["rate limit", "server error", "connection dropped", "connection dropped in the body", "refusal", "prose",
             "send in quotes", "send 1.2", "a key said twice", "sent for a reason"],
)  # fmt: skip
def test_in_the_graph_every_failure_gives_the_fallback(llm: StubLLM, name: str):
    assert in_the_graph(llm, {**FAULTS, **MALFORMED}[name]) == (FALLBACK, "check-failed", ("check-failed",))


def test_in_the_graph_a_slow_answer_gives_the_fallback(llm: StubLLM):
    assert in_the_graph(llm, answers(SEND).after(30), 0.4) == (FALLBACK, "check-failed", ("check-failed",))
