"""Engines `llm` and `prompt`: a model's answer is a decision or a failure, and nothing personal is sent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from carerails.contracts import Findings, Ruling, Turn
from carerails.engine import open_engine
from carerails.errors import EngineError, UsageError
from carerails.policy import Policy
from carerails.resources import data_dir
from carerails.testing import StubLLM, answers, completion, cut_off, fenced, raw, refuses, says, status
from carerails.testing.endpoint import Scripted
from carerails.testing.standin import PROSE, stand_in
from carerails_model import BareEngine, PromptEngine
from carerails_model.asking import MASKED, ModelEngine
from carerails_model.prompted import EACH, system_message

EMERGENCY = Ruling(outcome="emergency", category="read")


@pytest.fixture(scope="module", name="llm")
def _llm() -> Iterator[StubLLM]:
    with StubLLM() as server, pytest.MonkeyPatch.context() as patch:
        for name, value in server.environment.items():
            patch.setenv(name, value)
        yield server


@pytest.fixture(scope="module", name="policy")
def _policy() -> Policy:
    return Policy.load(data_dir("rails"))


@pytest.fixture(scope="module", name="prompt")
def _prompt(llm: StubLLM) -> PromptEngine:
    """Its prompt is written once; starting it again is quick."""
    return PromptEngine()


def ask(engine: ModelEngine, text: str) -> Findings:
    async def turn() -> Findings:
        await engine.start()
        try:
            return await engine.evaluate(text)
        finally:
            await engine.close()

    return asyncio.run(turn())


def envelope(rule: str = "none", kind: str = "answer", text: str = "Keep it in the box.", **more: Any) -> Scripted:
    return answers({"rule": rule, "kind": kind, "text": text, **more})


@pytest.mark.parametrize(
    ("reply", "ruling"),
    [
        ("Call 911 now.", EMERGENCY),
        ("Você não está sozinho. Ligue 188 agora.", Ruling(outcome="crisis", category="read")),
        ("No puedo ayudarte con eso.", Ruling(outcome="refuse", slug="default", category="read")),
        ("Keep it away from the sink.", None),
        ("I'm sorry it hurts. Food helps with that one.", None),
    ],
)
def test_a_bare_models_prose_is_read(llm: StubLLM, reply: str, ruling: Ruling | None):
    llm.script(says(reply))
    assert ask(BareEngine(), "hello").rulings == ((ruling,) if ruling else ())
    (request,) = llm.requests
    assert "response_format" not in request.body
    assert "red flag" not in request.text, "a bare model is told nothing of the rails"


@pytest.mark.parametrize(
    ("rule", "kind", "ruling"),
    [
        ("red flag stroke", "escalation", Ruling(outcome="emergency", category="stroke")),
        ("urgent dehydration", "escalation", Ruling(outcome="urgent", category="dehydration")),
        ("check in distress", "check-in", Ruling(outcome="check-in", category="emotional-distress")),
        ("scope dosing", "refusal", Ruling(outcome="refuse", slug="out-of-scope-dosing", category="dosing")),
        ("none", "answer", None),
    ],
)
def test_an_envelope_is_a_decision(llm: StubLLM, prompt: PromptEngine, rule: str, kind: str, ruling: Ruling | None):
    llm.script(envelope(rule, kind))
    assert ask(prompt, "hello").rulings == ((ruling,) if ruling else ())
    (request,) = llm.requests
    schema = request.body["response_format"]["json_schema"]["schema"]
    assert rule in schema["properties"]["rule"]["enum"]


WRONG: dict[str, tuple[Scripted, str]] = {
    "no such rule": (envelope("red flag strike", "escalation"), "malformed"),
    "a kind that is not the rule's": (envelope("red flag stroke", "answer"), "malformed"),
    "a refusal without a rule": (envelope("none", "refusal"), "malformed"),
    "a kind that does not exist": (envelope("none", "maybe"), "malformed"),
    "a field more": (envelope(sure=True), "malformed"),
    "a field missing": (answers({"rule": "none", "kind": "answer"}), "malformed"),
    "no text": (envelope(text=""), "malformed"),
    "prose": (says("No rule applies. It is safe."), "malformed"),
    "a preamble": (says('Sure! {"rule": "none", "kind": "answer", "text": "x"}'), "malformed"),
    "{}": (raw("{}"), "malformed"),
    "cut off": (cut_off('{"rule": "none"'), "malformed"),
    "the model refuses": (refuses(), "missing"),
    "blank": (completion({"content": " "}), "missing"),
    "500": (status(500), "exception"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_no_envelope_is_a_failure_and_never_a_pass(llm: StubLLM, prompt: PromptEngine, wrong: str):
    reply, kind = WRONG[wrong]
    llm.script(reply)
    with pytest.raises(EngineError) as raised:
        ask(prompt, "quetzal")
    assert raised.value.kind == kind
    assert "quetzal" not in repr(raised.value)
    assert raised.value.__context__ is None


def test_a_fence_around_the_whole_is_taken_off(llm: StubLLM, prompt: PromptEngine):
    llm.script(fenced({"rule": "none", "kind": "answer", "text": "x"}))
    assert ask(prompt, "hello") == Findings()


@pytest.mark.parametrize("reply", [status(500), raw("{}"), cut_off("Call"), completion({"content": ""})])
def test_a_bare_model_that_fails_is_a_failure(llm: StubLLM, reply: Scripted):
    llm.script(reply)
    with pytest.raises(EngineError):
        ask(BareEngine(), "hello")


@pytest.mark.parametrize("bare", [True, False])
def test_personal_data_stay_here(llm: StubLLM, prompt: PromptEngine, policy: Policy, bare: bool):
    llm.script(stand_in(policy))
    ask(
        BareEngine() if bare else prompt,
        "my phone is +1 305 555 0142 and my mail is ana.q@example.org, where do I keep insulin?",
    )
    assert "555" not in llm.requests[0].messages[-1]["content"]
    assert "ana.q" not in llm.sent
    assert "insulin" in llm.sent
    assert llm.strays == []


def test_what_cannot_be_redacted_is_not_sent(llm: StubLLM, monkeypatch: pytest.MonkeyPatch):
    llm.script(says("Fine."))

    def breaks(*_: object) -> str:
        raise ValueError

    monkeypatch.setattr("carerails.privacy.PresidioRedactor._settle", breaks)
    with pytest.raises(EngineError, match="redacted"):
        ask(BareEngine(), "help")
    assert llm.count == 0
    assert MASKED == "<REDACTED>"


def test_the_prompt_is_the_policy(policy: Policy):
    system = system_message(policy)
    for rule in policy.rules.values():
        assert f'"{rule.name}" ({rule.meta.outcome})' in system
    texts = [line[2:] for line in system.splitlines() if line.startswith("- ")]
    assert len(texts) > 2.5 * EACH * len(policy.rules), "nearly every rule has an example in each locale"


def test_a_slow_model_has_its_own_deadline(llm: StubLLM):
    llm.script(says("Call 911 now.").after(2.3))  # the profile's deadline is two seconds

    async def turn() -> str:
        async with open_engine("llm") as engine:
            return (await engine.check(Turn.of("hello"))).outcome

    assert asyncio.run(turn()) == "emergency"


@pytest.mark.parametrize("missing", ["OPENAI_API_KEY", "CARERAILS_MODEL"])
def test_without_an_endpoint_it_says_what_to_set(llm: StubLLM, missing: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(missing)
    with pytest.raises(UsageError, match=missing):
        BareEngine()


def test_the_stand_in_says_what_the_rails_say(llm: StubLLM, prompt: PromptEngine, policy: Policy):
    llm.script(stand_in(policy))
    assert ask(BareEngine(), "I want to kill myself tonight").rulings[0].outcome == "crisis"
    assert ask(prompt, "puedo tomar el doble de la dosis?").rulings[0].slug == "out-of-scope-dosing"
    assert json.loads(llm.requests[-1].messages[-1]["content"])["text"].startswith("puedo")
    assert PROSE.keys() == {"emergency", "crisis", "urgent", "check-in", "refuse", "allow"}
