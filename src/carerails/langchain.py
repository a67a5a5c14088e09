"""Any engine in front of a LangChain agent, as middleware, or of anything else in LangChain, as a `Runnable`.

    from langchain.agents import create_agent
    from carerails.langchain import RailsMiddleware

    async with open_engine("native") as engine:
        agent = create_agent(model, tools, middleware=[RailsMiddleware(engine)])

Needs the extra `langchain`. Everything that the agent's user said since it last spoke is checked before the first call
of a model. What is not allowed ends the run with the template's text: no model is called, and the decision is in the
message's `additional_kwargs["carerails"]`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar, cast

from langchain.agents.middleware import AgentMiddleware, AgentState, hook_config
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable, RunnableLambda
from langgraph.runtime import Runtime

from carerails.contracts import GuardrailEngine, Locale, Message, Role, Turn, TurnDecision
from carerails.records import write_decision

Value = TypeVar("Value")
Said = str | BaseMessage | Sequence[BaseMessage]


class RailsMiddleware(AgentMiddleware[Any, Any]):
    """Checks what the user said before the agent sees it.

    Args:
        engine: open, for as long as the agent runs.
        locale: of the templates; None: detected.
        country: of the emergency numbers; None: the profile's.
    """

    def __init__(self, engine: GuardrailEngine, locale: Locale | None = None, country: str | None = None) -> None:
        super().__init__()
        self._engine = engine
        self._locale: Locale | None = locale
        self._country = country

    @hook_config(can_jump_to=["end"])
    def before_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """As `abefore_agent`, for agents that are invoked from sync code."""
        return _wait(self._check(state))

    @hook_config(can_jump_to=["end"])
    async def abefore_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """None where the turn is allowed, else the reply, and an end."""
        return await self._check(state)

    async def _check(self, state: AgentState[Any]) -> dict[str, Any] | None:
        messages = cast("list[BaseMessage]", state["messages"])
        turn = turn_of(messages, self._locale, self._country)
        decision = await self._engine.check(turn)
        if decision.template_slug is None:
            return None
        slugs = dict.fromkeys(slug for slug in (decision.template_slug, decision.slug) if slug)
        texts = [(await self._engine.render(slug, decision.locale, decision.country)).text for slug in slugs]
        record = write_decision("", decision, 0.0)
        for key in ("id", "latency_us"):
            del record[key]
        reply = AIMessage(content="\n\n".join(texts), additional_kwargs={"carerails": record})
        return {"messages": [reply], "jump_to": "end"}


def rails_runnable(engine: GuardrailEngine) -> Runnable[Said, TurnDecision]:
    """The engine's check as a `Runnable`: a text, a message or messages in, a `TurnDecision` out."""

    async def check(said: Said) -> TurnDecision:
        if isinstance(said, str):
            return await engine.check(Turn.of(said))
        return await engine.check(turn_of([said] if isinstance(said, BaseMessage) else said))

    return cast("Runnable[Said, TurnDecision]", RunnableLambda(lambda said: _wait(check(said)), afunc=check))  # pyright: ignore


def turn_of(messages: Sequence[BaseMessage], locale: Locale | None = None, country: str | None = None) -> Turn:
    """LangChain's messages as a turn; a kind of message that is not known counts as the user's."""
    return Turn(
        messages=tuple(Message(role=_role(message), content=cast("Any", message.content)) for message in messages),
        locale=locale,
        country=country,
    )


def _role(message: BaseMessage) -> Role:
    roles: dict[str, Role] = {"ai": "assistant", "system": "system", "developer": "system", "tool": "tool"}
    return roles.get(message.type, "user")


def _wait(work: Coroutine[Any, Any, Value]) -> Value:
    """The value of a coroutine, from sync code, also where an event loop runs in this thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


__all__ = ["RailsMiddleware", "rails_runnable", "turn_of"]
