"""A carerails engine in front of LangChain: what is not allowed never reaches the model."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent  # pyright: ignore[reportUnknownVariableType]
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import Runnable

from carerails.config import load_settings
from carerails.engine import FailSafeEngine
from carerails.langchain import RailsMiddleware, rails_runnable, turn_of
from carerails_native import NativeEngine
from tests.kit import ScriptedEngine, fails

FLAG, DOSE, SAFE = "his slurred speech is new", "can i double the dose", "how do i store insulin"


class Counting(GenericFakeChatModel):
    calls: list[int] = []  # noqa: RUF012  pydantic copies it

    def _generate(self, *args: Any, **kwargs: Any) -> Any:
        self.calls.append(1)
        return super()._generate(*args, **kwargs)


@pytest.fixture(name="engine")
def _engine(rails: Path) -> FailSafeEngine:
    native = NativeEngine(rails)
    return FailSafeEngine(native, native.policy, load_settings())


def agent(engine: FailSafeEngine) -> tuple[Any, Counting]:
    model = Counting(messages=iter([AIMessage(content="Keep it cool.")] * 3))
    return create_agent(model, [], middleware=[RailsMiddleware(engine, "en", "US")]), model


def invoke(running: Any, messages: list[BaseMessage], sync: bool) -> AIMessage:
    asked = {"messages": messages}
    answer = running.invoke(asked) if sync else asyncio.run(running.ainvoke(asked))
    return answer["messages"][-1]


@pytest.mark.parametrize("sync", [True, False])
@pytest.mark.parametrize(("text", "decision"), [(FLAG, "escalate"), (DOSE, "refuse"), (SAFE, None)])
def test_only_what_is_allowed_reaches_the_model(engine: FailSafeEngine, text: str, decision: str | None, sync: bool):
    running, model = agent(engine)
    said = invoke(running, [HumanMessage(content=text)], sync)
    assert len(model.calls) == (decision is None)
    if decision is None:
        assert said.content == "Keep it cool."
    else:
        record = said.additional_kwargs["carerails"]
        assert record["decision"] == decision
        template = asyncio.run(engine.render(record["template_slug"], "en", "US"))
        assert said.content == template.text


def test_both_of_two_messages_are_checked_and_answered_ones_are_not(engine: FailSafeEngine):
    running, model = agent(engine)
    two: list[BaseMessage] = [HumanMessage(content=FLAG), HumanMessage(content=SAFE)]
    assert "carerails" in invoke(running, two, sync=True).additional_kwargs
    assert model.calls == []
    answered: list[BaseMessage] = [HumanMessage(content=FLAG), AIMessage(content="..."), HumanMessage(content=SAFE)]
    assert invoke(running, answered, sync=True).content == "Keep it cool."


def test_a_check_that_fails_calls_no_model(rails: Path):
    broken = FailSafeEngine(ScriptedEngine(fails(RuntimeError("x"))), NativeEngine(rails).policy, load_settings())
    running, model = agent(broken)
    record = invoke(running, [HumanMessage(content=SAFE)], sync=True).additional_kwargs["carerails"]
    assert (record["decision"], record["failed"], model.calls) == ("escalate", True, [])


def test_as_a_runnable_it_gives_decisions(engine: FailSafeEngine):
    runnable: Runnable[Any, Any] = rails_runnable(engine)
    assert runnable.invoke(FLAG).severity == "emergency"
    assert runnable.invoke([SystemMessage(content=FLAG), HumanMessage(content=SAFE)]).decision == "allow"
    assert [one.decision for one in runnable.batch([DOSE, SAFE])] == ["refuse", "allow"]

    async def in_a_loop() -> list[str]:
        return [(await runnable.ainvoke(HumanMessage(content=DOSE))).decision, runnable.invoke(FLAG).decision]

    assert asyncio.run(in_a_loop()) == ["refuse", "escalate"]


def test_parts_of_a_message_are_kept(engine: FailSafeEngine):
    parts: list[str | dict[Any, Any]] = [
        {"type": "text", "text": FLAG},
        {"type": "image_url", "image_url": {"url": "x"}},
    ]
    decision = asyncio.run(engine.check(turn_of([HumanMessage(content=parts)])))
    assert decision.severity == "emergency"
