"""The System One endpoint: what is sent, what is read, and that every fault is a failure that says nothing."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from carerails.contracts import Answer, Asking, NoulAnswer, Question, ScoreAnswer, fits
from carerails.errors import UsageError
from carerails.screening import questions
from carerails.screening.errors import AnswerError
from carerails.screening.system_one import SystemOneModel
from carerails.testing.endpoint import Scripted, StubLLM
from tests.screening.kit import asking, system_one

SECRET = "the patient lives at Elm Street 9"
ASKING = asking(SECRET, "Keep it cool.")
ASKED = questions.of_units(ASKING.units)


@pytest.fixture
def stub() -> Iterator[StubLLM]:
    with StubLLM("/v1/systemone") as server:
        yield server


def model(stub: StubLLM, timeout_s: float = 5.0, retries: int = 0) -> SystemOneModel:
    return SystemOneModel("jev", api_key="key-1", base_url=stub.root, timeout_s=timeout_s, retries=retries)


def ask(model: SystemOneModel, asking: Asking = ASKING, asked: Mapping[str, Question] = ASKED) -> Mapping[str, Answer]:
    """One request in a loop of its own."""

    async def once() -> Mapping[str, Answer]:
        try:
            return await model.ask(asking, asked)
        finally:
            await model.close()

    return asyncio.run(once())


def test_one_request_carries_state_and_all_questions(stub: StubLLM) -> None:
    stub.script(system_one())
    answers = ask(model(stub))
    (request,) = stub.requests
    assert request.headers["authorization"] == "Bearer key-1"
    assert request.body["model"] == "jev"
    assert request.body["state"]["units"]["u1"]["text"] == SECRET
    assert request.body["state"]["question"] == ASKING.question
    assert set(request.body["questions"]) == set(ASKED)
    assert request.body["questions"]["u1.relevance"]["type"] == "score"
    assert len(request.body["questions"]["u1.relevance"]["criteria"]) == len(questions.LEVELS)
    assert all(fits(ASKED[name], answers[name]) for name in ASKED)
    assert answers["u1.relevance"] == ScoreAnswer(score=3.0, probabilities=(0.0, 0.0, 0.0, 1.0), confidence=1.0)
    assert answers["u2.instructions"] == NoulAnswer(noul=0.02)


def test_a_choice_is_read_with_its_options(stub: StubLLM) -> None:
    stub.script(system_one())
    asked = questions.of_claims(ASKING.units)
    answers = ask(model(stub), Asking(question="", locale="en", units=ASKING.units), asked)
    assert "question" not in stub.requests[0].body["state"]
    assert all(fits(asked[name], answers[name]) for name in asked)


FAULTS = [
    pytest.param(Scripted(status=401), "exception", id="401"),
    pytest.param(Scripted(status=403), "exception", id="403"),
    pytest.param(Scripted(status=413), "exception", id="413"),
    pytest.param(Scripted(status=429), "exception", id="429"),
    pytest.param(Scripted(status=500), "exception", id="500"),
    pytest.param(Scripted(status=503), "exception", id="503"),
    pytest.param(Scripted(status=529), "exception", id="529"),
    pytest.param(Scripted(body=b""), "malformed", id="empty"),
    pytest.param(Scripted(body=b"not json"), "malformed", id="garbage"),
    pytest.param(Scripted(body=b"[]"), "malformed", id="list"),
    pytest.param(Scripted(body=b"{}"), "malformed", id="no-answers"),
    pytest.param(Scripted(body=b'{"model": "m", "usage": {}, "answers": {"u1.relevance": 3}}'), "malformed", id="odd"),
    pytest.param(Scripted().dropped(), "exception", id="dropped"),
    pytest.param(Scripted(body=b'{"model": "m"}').cut_short(), "exception", id="cut-short"),
]


@pytest.mark.parametrize(("reply", "kind"), FAULTS)
def test_a_fault_is_a_failure_that_says_nothing(
    stub: StubLLM, reply: Scripted, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    echo = reply if reply.status == 200 else Scripted(reply.status, b'{"error": "%s"}' % SECRET.encode())
    stub.script(echo)
    with pytest.raises(AnswerError) as raised:
        ask(model(stub))
    assert raised.value.kind == kind
    assert raised.value.too_large == (reply.status == 413)
    assert raised.value.__cause__ is None
    assert raised.value.__context__ is None
    told = f"{raised.value!r}{caplog.text}"
    assert SECRET not in told
    assert "key-1" not in told


def test_a_slow_endpoint_is_a_timeout(stub: StubLLM) -> None:
    stub.script(Scripted().after(30))
    with pytest.raises(AnswerError) as raised:
        ask(model(stub, timeout_s=0.2))
    assert raised.value.kind == "timeout"


def test_a_throttled_request_is_tried_again(stub: StubLLM) -> None:
    stub.script(Scripted(status=529), system_one())
    answers = ask(model(stub, retries=1))
    assert stub.count == 2
    assert len(answers) == len(ASKED)


BAD = [
    ("u1.instructions", {"noul": 1.2}),
    ("u1.instructions", {"noul": -0.1}),
    ("u1.relevance", {"score": 3.7}),
    ("u1.relevance", {"score": 0.4}),  # on a scale from 0 to 1: not the mean of the levels
    ("u1.relevance", {"probabilities": {"0": 1.0}}),
    ("u1.relevance", {"probabilities": {"1": 0.5, "2": 0.5, "3": 0.0, "4": 0.0}}),
    ("u1.relevance", {"confidence": 2}),
]


@pytest.mark.parametrize(("name", "change"), BAD)
def test_an_answer_out_of_range_costs_that_answer_only(stub: StubLLM, name: str, change: dict[str, Any]) -> None:
    def spoil(answers: dict[str, Any]) -> object:
        answers[name] |= change
        return answers

    stub.script(system_one(spoil))
    answers = ask(model(stub))
    assert [each for each in ASKED if not fits(ASKED[each], answers.get(each))] == [name]


def test_nothing_is_sent_elsewhere(stub: StubLLM) -> None:
    stub.script(system_one())
    ask(model(stub))
    assert not stub.strays


@pytest.mark.parametrize("missing", ["TYPESAFE_API_KEY", "TYPESAFE_DEFAULT_MODEL"])
def test_a_missing_variable_is_named(missing: str) -> None:
    env = {"TYPESAFE_API_KEY": "k", "TYPESAFE_DEFAULT_MODEL": "m"}
    del env[missing]
    with pytest.raises(UsageError, match=missing):
        SystemOneModel.from_environment(env)
