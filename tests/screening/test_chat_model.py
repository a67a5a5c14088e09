"""Any language model: one strict object, each answer read by itself, and nothing made up that it did not say."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from carerails.contracts import Answer, ChoiceAnswer, NoulAnswer, Question, ScoreAnswer, fits
from carerails.llm import Endpoint
from carerails.screening import questions
from carerails.screening.chat_model import ChatModel
from carerails.screening.errors import AnswerError
from carerails.testing import answers, fenced, says
from carerails.testing.endpoint import Scripted, StubLLM
from tests.screening.kit import asking

SECRET = "the patient lives at Elm Street 9"
ASKING = asking(SECRET)
ASKED = questions.of_units(ASKING.units) | questions.of_claims(ASKING.units)
GOOD: dict[str, Any] = {
    "u1.relevance": {"level": 2, "sure": 0.7},
    "u1.contradiction": {"yes": 0.1},
    "u1.instructions": {"yes": 0.0},
    "u1.support": {"choice": "supports", "sure": 0.8},
}


@pytest.fixture(scope="module")
def stub() -> Iterator[StubLLM]:
    with StubLLM() as server:
        yield server


def ask(stub: StubLLM, *script: Any, asked: Mapping[str, Question] = ASKED) -> Mapping[str, Answer]:
    stub.script(*script)

    async def once() -> Mapping[str, Answer]:
        model = ChatModel(Endpoint("stub", api_key="k", base_url=stub.base_url, timeout_s=5, retries=0))
        try:
            return await model.ask(ASKING, asked)
        finally:
            await model.close()

    return asyncio.run(once())


@pytest.mark.parametrize("reply", [answers({"answers": GOOD}), fenced({"answers": GOOD})])
def test_the_rest_of_the_probability_is_spread_evenly(stub: StubLLM, reply: Scripted) -> None:
    found = ask(stub, reply)
    assert all(fits(question, found[name]) for name, question in ASKED.items())
    relevance, choice = found["u1.relevance"], found["u1.support"]
    assert isinstance(relevance, ScoreAnswer)
    assert relevance.probabilities == pytest.approx((0.1, 0.1, 0.7, 0.1))
    assert relevance.score == pytest.approx(1.8)
    assert found["u1.contradiction"] == NoulAnswer(noul=0.1)
    assert isinstance(choice, ChoiceAnswer)
    assert choice.probabilities == pytest.approx({"supports": 0.8, "does not support": 0.1, "cannot tell": 0.1})
    assert choice.confidence == pytest.approx(0.7)


def test_units_are_data_and_the_schema_wants_every_answer(stub: StubLLM) -> None:
    ask(stub, answers({"answers": GOOD}))
    system, data = stub.requests[0].messages
    assert SECRET not in system["content"]
    assert SECRET in data["content"]
    schema = stub.requests[0].body["response_format"]["json_schema"]["schema"]
    assert set(schema["properties"]["answers"]["required"]) == set(ASKED)


BAD: list[tuple[str, object]] = [
    ("u1.relevance", {"level": 4, "sure": 0.9}),
    ("u1.relevance", {"level": -1, "sure": 0.9}),
    ("u1.relevance", {"level": 2, "sure": 1.2}),
    ("u1.relevance", {"level": 2, "sure": 0.1}),  # then another level is likelier
    ("u1.relevance", {"level": True, "sure": 0.9}),
    ("u1.relevance", {"level": "2", "sure": 0.9}),
    ("u1.contradiction", {"yes": "no"}),
    ("u1.contradiction", {"yes": 8}),
    ("u1.contradiction", {}),
    ("u1.contradiction", 0.2),
    ("u1.instructions", {"yes": 0.1, "why": "it is safe"}),
    ("u1.support", {"choice": "Supports", "sure": 0.9}),
    ("u1.support", {"choice": "supports"}),
    ("u1.support", None),
]


@pytest.mark.parametrize(("name", "answer"), BAD)
def test_an_answer_that_does_not_fit_costs_that_answer_only(stub: StubLLM, name: str, answer: object) -> None:
    found = ask(stub, answers({"answers": GOOD | {name: answer}}))
    assert [each for each, question in ASKED.items() if not fits(question, found.get(each))] == [name]


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (says("The answers are: {}"), "malformed"),
        (says("{'answers': {}}"), "malformed"),
        (answers({"answers": []}), "malformed"),
        (answers({}), "malformed"),
        (answers({"answers": {}, "note": "x"}), "malformed"),
        (says('{"answers": {}, "answers": {}}'), "malformed"),
        (says(""), "missing"),
        (Scripted(status=401), "exception"),
        (Scripted(status=413), "exception"),
        (Scripted(status=429), "exception"),
        (Scripted(status=500), "exception"),
        (Scripted(body=b"garbage"), "malformed"),
        (Scripted().dropped(), "exception"),
    ],
)
def test_a_fault_is_a_failure_that_says_nothing(stub: StubLLM, reply: Scripted, kind: str) -> None:
    with pytest.raises(AnswerError) as raised:
        ask(stub, reply)
    assert raised.value.kind == kind
    assert raised.value.too_large == (reply.status == 413)
    assert SECRET not in repr(raised.value)
