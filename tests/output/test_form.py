"""The form of a deployment: what its model is asked, how it is read, and the fallback for what does not fit."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Generator
from typing import Any

import pytest

from carerails.contracts import Reply
from carerails.drafting import DraftError, ModelDrafter
from carerails.output.form import form_of
from carerails.output.settings import OutputSettings, Quantity
from carerails.testing import FAULTS, Scripted, StubLLM, answers, fenced, says
from tests.graph.kit import Parts, footer
from tests.output.kit import passage

SECRET = "5511987654321"
RULES = OutputSettings(
    max_chars=200,
    max_citations=2,
    actions=("remind", "call-back"),
    quantities={"water": Quantity(unit="ml", min=50, max=500)},
    min_confidence=0.5,
)
GOOD: dict[str, Any] = {
    "kind": "answer",
    "text": "Keep it in a cool dry place. [cite:storage]",
    "citations": ["storage"],
    "confidence": 0.9,
    "action": None,
    "quantities": {"water": None},
}
PLAIN = {key: GOOD[key] for key in ("kind", "text", "citations")}
#: What breaks a rule, and what is told of it.
BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "not sure enough": ({"confidence": 0.4}, "confidence-too-low"),
    "not said how sure": ({"confidence": None}, "confidence-missing"),
    "surer than sure": ({"confidence": 1.2}, "confidence-less_than_equal"),
    "sure in words": ({"confidence": "high"}, "confidence-float_type"),
    "sure in quotes": ({"confidence": "0.9"}, "confidence-float_type"),
    "true": ({"confidence": True}, "confidence-float_type"),
    "an action of its own": ({"action": "call-doctor"}, "action-not-in-set"),
    "another unit": ({"quantities": {"water": {"value": 100, "unit": "l"}}}, "quantities-wrong-unit"),
    "too much water": ({"quantities": {"water": {"value": 501, "unit": "ml"}}}, "quantities-out-of-range"),
    "a quantity of its own": ({"quantities": {"dose": {"value": 2, "unit": "ml"}}}, "quantities-unknown-quantity"),
    "too long": ({"text": "x" * 201}, "text-too-long"),
    "too many citations": ({"citations": ["storage"] * 3}, "citations-too-many"),
    "a field of its own": ({SECRET: 1}, "reply-extra_forbidden"),
    "another kind": ({"kind": "escalation"}, "kind-literal_error"),
}


@pytest.fixture(scope="module")
def llm() -> Generator[StubLLM]:
    with StubLLM() as server:
        yield server


def drafter(llm: StubLLM, rules: OutputSettings = RULES, timeout_s: float = 5.0) -> ModelDrafter:
    one = ModelDrafter.from_environment(llm.environment, timeout_s=timeout_s, retries=0, form=form_of(rules))
    one.start()
    return one


def draft(llm: StubLLM, rules: OutputSettings = RULES) -> Reply:
    async def once() -> Reply:
        one = drafter(llm, rules)
        try:
            return await one.draft("where do i keep it", "en", [passage()])
        finally:
            await one.close()

    return asyncio.run(once())


@pytest.mark.parametrize("reply", [answers(GOOD), fenced(GOOD), answers({**GOOD, "action": "remind"})])
def test_what_fits_is_a_draft(llm: StubLLM, reply: Scripted):
    llm.script(reply)
    assert draft(llm).text == GOOD["text"]


def test_the_model_is_asked_for_what_the_profile_asks_for(llm: StubLLM):
    llm.script(answers(GOOD))
    draft(llm)
    (sent,) = llm.requests
    schema = sent.body["response_format"]["json_schema"]["schema"]
    assert list(schema["properties"]) == schema["required"] == list(GOOD)
    assert schema["properties"]["action"]["enum"] == ["remind", "call-back", None]
    system = sent.messages[0]["content"]
    assert all(word in system for word in ('"confidence"', "remind, call-back", '"water"', "50 to 500", '"ml"'))


def test_without_such_rules_it_is_asked_for_the_envelope_alone(llm: StubLLM):
    llm.script(answers(PLAIN))
    assert draft(llm, OutputSettings()).text == GOOD["text"]
    (sent,) = llm.requests
    assert list(sent.body["response_format"]["json_schema"]["schema"]["properties"]) == list(PLAIN)
    assert '"confidence"' not in sent.messages[0]["content"]


@pytest.mark.parametrize("name", BROKEN)
def test_what_breaks_a_rule_is_no_draft(llm: StubLLM, name: str):
    changes, told = BROKEN[name]
    llm.script(answers({**GOOD, **changes}))
    with pytest.raises(DraftError) as raised:
        draft(llm)
    assert (raised.value.kind, raised.value.errors) == ("malformed", (told,))
    assert SECRET not in str(raised.value)


def in_the_graph(
    llm: StubLLM, script: Scripted, timeout_s: float = 5.0
) -> tuple[str, list[tuple[tuple[str, ...], str]]]:
    """What the user reads of a draft, and what was kept as stopped: why, and what the model said."""
    parts = Parts()
    parts.drafter = drafter(llm, timeout_s=timeout_s)  # type: ignore[assignment]
    llm.script(script)

    async def run() -> tuple[str, list[tuple[tuple[str, ...], str]]]:
        async with parts.agent() as agent:
            turn = await agent.ask("t", "how do I store it", locale="en")
            kept = await agent.stopped("t")
        assert turn.reply is not None
        return turn.reply.text, [(each.reasons, each.raw) for each in kept]

    return asyncio.run(run())


FALLBACK = "<default en None>" + footer()


def test_in_the_graph_what_fits_is_sent(llm: StubLLM):
    assert in_the_graph(llm, answers(GOOD)) == (GOOD["text"] + footer(), [])


@pytest.mark.parametrize("name", BROKEN)
def test_in_the_graph_what_breaks_a_rule_is_kept_redacted_and_the_fallback_served(llm: StubLLM, name: str):
    changes, told = BROKEN[name]
    answer = {**GOOD, "text": f"Call {SECRET}. [cite:storage]", **changes}
    text, ((reasons, raw),) = in_the_graph(llm, answers(answer))
    assert (text, reasons) == (FALLBACK, ("no-reply", told))
    assert raw == json.dumps(answer).replace(SECRET, "<PHONE>")


@pytest.mark.parametrize("name", FAULTS)
def test_in_the_graph_every_failure_of_the_endpoint_gives_the_fallback(llm: StubLLM, name: str):
    text, ((reasons, _),) = in_the_graph(llm, FAULTS[name])
    assert (text, reasons[0]) == (FALLBACK, "no-reply")


def test_in_the_graph_a_slow_answer_gives_the_fallback(llm: StubLLM):
    assert in_the_graph(llm, answers(GOOD).after(30), 0.3) == (FALLBACK, [(("no-reply",), "")])


def test_prose_is_kept_too(llm: StubLLM):
    text, kept = in_the_graph(llm, says(f"Sure! Just call {SECRET}."))
    assert (text, kept) == (FALLBACK, [(("no-reply", "reply-json_invalid"), "Sure! Just call <PHONE>.")])
