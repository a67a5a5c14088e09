"""What a turn says, and what it does not call to say it."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from carerails.contracts import Locale, Message, ReplyKind, TurnDecision
from carerails.graph import AgentTurn
from tests.graph.kit import Parts, footer


def ask(parts: Parts, text: str | None, **more: object) -> AgentTurn:
    async def run() -> AgentTurn:
        async with parts.agent() as agent:
            return await agent.ask("t", text, **more)  # type: ignore[arg-type]

    return asyncio.run(run())


def test_the_graph_has_the_nodes_of_its_design_in_that_order():
    async def run(human_review: bool):
        async with Parts().agent(human_review=human_review) as agent:
            return await agent.topology()

    plain = ["intake", "guardrail_pre", "retrieve_context", "generate_response", "guardrail_post", "closing"]
    reviewed = [*plain[:4], "review_response", *plain[4:]]
    assert list(asyncio.run(run(False)).nodes) == plain
    topology = asyncio.run(run(True))
    assert list(topology.nodes) == reviewed
    path = ["__start__", *reviewed, "__end__"]
    skip = ("guardrail_pre", "generate_response")
    assert set(topology.edges) == {*pairwise(path), skip}


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("stroke", "escalation", "<emergency-medical en None>"),
        ("suicide", "escalation", "<mental-health-crisis en None>"),
        ("rash", "escalation", "<urgent-care en None>"),
        ("hopeless", "check-in", "<supportive-check-in en None>"),
        ("hopeless, double", "check-in", "<supportive-check-in en None>\n\n<out-of-scope-dosing en None>"),
        ("double", "refusal", "<out-of-scope-dosing en None>"),
        ("stroke, double, how do i store it", "escalation", "<emergency-medical en None>"),
    ],
)
def test_a_short_circuit_calls_no_model(text: str, kind: ReplyKind, said: str):
    """Known failure 22: neither retriever nor drafter is called, and the footer is there all the same."""
    parts = Parts()
    turn = ask(parts, text)
    assert turn.reply is not None
    assert (turn.reply.kind, turn.reply.text) == (kind, said + footer())
    assert (parts.retriever.calls, parts.drafter.calls) == (0, 0)
    assert parts.engine.calls == 1


def test_no_card_is_a_refusal_without_a_model_call():
    """Known failure 22."""
    parts = Parts()
    turn = ask(parts, "how tall is it")
    assert turn.reply is not None
    assert (turn.reply.kind, turn.reply.text) == ("refusal", "<no-context en None>" + footer())
    assert turn.reply.rationale == "no-match"
    assert (parts.retriever.calls, parts.drafter.calls) == (1, 0)


def test_an_answer_cites_its_cards_and_carries_the_footer():
    parts = Parts()
    turn = ask(parts, "how do i store it")
    assert turn.reply is not None
    assert (turn.status, turn.reply.kind, turn.reply.citations) == ("complete", "answer", ("storage",))
    assert turn.reply.text == "en: Keep it in a cool dry place. [cite:storage]" + footer()
    assert [passage.card for passage in turn.passages] == ["storage"]
    assert (parts.engine.calls, parts.retriever.calls, parts.drafter.calls) == (1, 1, 1)
    assert turn.faults == ()


@pytest.mark.parametrize("question", ["store uncited", "store invented", "store persona"])
def test_an_unverified_reply_never_leaves(question: str):
    turn = ask(Parts(), question)
    assert turn.reply is not None
    assert (turn.reply.kind, turn.reply.text) == ("refusal", "<default en None>" + footer())
    assert turn.passages == ()


def test_every_message_since_the_last_answer_is_checked():
    """Known failure 3: two user messages in a row, the red flag in the first."""
    said = [
        Message(role="user", content="rash"),
        Message(role="assistant", content="answered"),
        Message(role="user", content="stroke"),
        Message(role="user", content="how do i store it"),
    ]
    parts = Parts()
    turn = ask(parts, None, messages=said)
    assert turn.decision.category == "stroke"
    for engine in (parts.floor, parts.engine):
        assert engine.turns[0].messages == tuple(said)


def test_the_question_is_all_that_is_unanswered_and_nothing_that_was_answered():
    """Known failure 3, the other way round: what the model sees is what was checked."""
    said = [
        Message(role="user", content="old"),
        Message(role="assistant", content="answered"),
        Message(role="user", content="how do i"),
        Message(role="user", content=[{"type": "text", "text": "store"}, {"type": "text", "text": "it"}]),
    ]
    parts = Parts()
    ask(parts, None, messages=said)
    assert parts.drafter.questions == ["how do i\nstore\nit"]


@pytest.mark.parametrize("channel", ["chat", "voice"])
def test_the_floor_hears_what_the_engine_is_deaf_to(channel: str):
    parts = Parts()
    parts.engine.deaf = ("stroke", "double")
    turn = ask(parts, "stroke", channel=channel)
    assert (turn.decision.outcome, turn.decision.engine) == ("emergency", "stub")
    turn = ask(parts, "double", channel=channel)
    assert turn.decision.outcome == "allow"  # the floor adds red flags and nothing else


@pytest.mark.parametrize(
    ("locale", "country", "said"),
    [("pt-BR", None, "pt-BR None"), ("es-419", "MX", "es-419 MX"), (None, "GB", "en GB")],
)
def test_locale_and_country_choose_the_template(locale: Locale | None, country: str | None, said: str):
    turn = ask(Parts(), "stroke", locale=locale, country=country)
    assert turn.reply is not None
    assert turn.reply.text == f"<emergency-medical {said}>\n\n<footer {said}>"


@pytest.mark.parametrize(("kind", "said"), [("refusal", "no-context"), ("escalation", "default")])
def test_a_drafter_has_no_words_of_its_own_but_answers(kind: ReplyKind, said: str):
    """A model that declines, or that plays the gate, is not quoted."""
    from carerails.contracts import Reply

    parts = Parts()
    parts.drafter.nonsense = Reply(kind=kind, text="take two and call me")
    turn = ask(parts, "store")
    assert turn.reply is not None
    assert turn.reply.text == f"<{said} en None>" + footer()


def test_an_urgent_turn_goes_on():
    turn = ask(Parts(), "rash")
    assert not turn.disengaged


def test_a_refusal_carries_what_was_decided():
    decision: TurnDecision = ask(Parts(), "double").decision
    assert (decision.outcome, decision.slug, decision.evidence[0].rule) == (
        "refuse",
        "out-of-scope-dosing",
        "rule double",
    )
