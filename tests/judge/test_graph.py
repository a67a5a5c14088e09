"""The model judge inside the agent: what it adds ends the turn before any drafting, and its failure is no answer."""

from __future__ import annotations

from collections.abc import Generator, Sequence

import pytest

from carerails.agents import Assembly, open_agent
from carerails.contracts import Locale, Passage, Reply
from carerails.graph import Agent
from carerails.knowledge.retrieval import CardRetriever
from carerails.testing import FAULTS, StubLLM, answers
from tests.judge.kit import CALM, by_word, verdict

WORDS = {"quelpar": verdict("overdose", physical=0.9), "dosimar": verdict("none", dosing=0.95)}


class Counting:
    """A drafter that counts."""

    drafts = 0

    async def draft(self, question: str, locale: Locale, passages: Sequence[Passage]) -> Reply:
        self.drafts += 1
        said = f"{passages[0].sentences[0]} [cite:{passages[0].card}]"
        return Reply(kind="answer", text=said, citations=(passages[0].card,), rationale="")


@pytest.fixture(scope="module")
def llm() -> Generator[StubLLM]:
    with StubLLM() as server:
        yield server


@pytest.fixture(scope="module")
def drafter() -> Counting:
    return Counting()


@pytest.fixture(scope="module")
def agent(llm: StubLLM, drafter: Counting) -> Generator[Agent]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in llm.environment.items():
            patch.setenv(name, value)
        patch.setattr("carerails.semantic.is_installed", lambda: False)
        made = open_agent(Assembly(judge="model"), drafter=drafter, retriever=CardRetriever(semantic=False))
    with made:
        yield made


QUESTION = "How do I store insulin?"


def test_a_calm_turn_is_answered_after_one_call(agent: Agent, llm: StubLLM, drafter: Counting) -> None:
    llm.script(answers(CALM))
    before = drafter.drafts
    turn = agent.ask_sync("calm", QUESTION, locale="en")
    assert turn.reply is not None
    assert (turn.reply.kind, drafter.drafts - before, llm.count) == ("answer", 1, 1)


@pytest.mark.parametrize(
    ("text", "kind", "calls"),
    [
        ("there is some quelpar by the window, how do I store insulin?", "escalation", 1),
        ("some dosimar by the window, how do I store insulin?", "refusal", 1),
        ("my chest hurts and my left arm is numb", "escalation", 0),
    ],
)
def test_what_it_adds_ends_the_turn(
    agent: Agent, llm: StubLLM, drafter: Counting, text: str, kind: str, calls: int
) -> None:
    llm.script(by_word(WORDS))
    before = drafter.drafts
    turn = agent.ask_sync(f"ends {kind} {calls}", text, locale="en")
    assert turn.reply is not None
    assert (turn.reply.kind, drafter.drafts - before, llm.count) == (kind, 0, calls)


def test_its_failure_is_no_answer(agent: Agent, llm: StubLLM, drafter: Counting) -> None:
    llm.script(FAULTS["prose"])
    before = drafter.drafts
    turn = agent.ask_sync("fails", QUESTION, locale="en")
    assert turn.reply is not None
    assert (turn.reply.kind, drafter.drafts - before) == ("escalation", 0)
    llm.script(answers(CALM))
    assert agent.ask_sync("fails", QUESTION, locale="en").decision.failed is False
