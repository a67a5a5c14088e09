"""What a thread remembers and what it must not: nothing leaks between turns, nor between threads."""

from __future__ import annotations

import asyncio
from typing import Any, get_type_hints

import pytest

from carerails.contracts import Locale, Reply, Retrieval
from carerails.graph import AgentTurn
from carerails.graph.errors import TurnFailed
from carerails.graph.state import Memory, State
from tests.graph.kit import Parts, footer


def talk(store: str, *texts: str, parts: Parts | None = None, **settings: Any) -> list[AgentTurn]:
    async def run() -> list[AgentTurn]:
        async with (parts or Parts()).agent(store, **settings) as agent:
            return [await agent.ask("t", text) for text in texts]

    return asyncio.run(run())


def text(turn: AgentTurn) -> str:
    assert turn.reply is not None
    return turn.reply.text


def test_a_thread_has_a_memory_and_a_turn_and_nothing_beside():
    """Known failure 25: every turn begins with a new `Now`, so what is no part of `Memory` cannot be left over."""
    assert set(get_type_hints(State)) == {"memory", "now"}
    assert set(Memory.model_fields) == {"locale", "country", "disengaged"}


def test_nothing_of_a_turn_is_left_in_the_next(store: str):
    """Known failures 19 and 25: urgent, then an answer, then a refusal, then no card."""
    turns = talk(store, "rash", "how do i store it", "double", "how tall is it")
    assert [turn.turn for turn in turns] == [1, 2, 3, 4]
    assert [turn.decision.outcome for turn in turns] == ["urgent", "allow", "refuse", "allow"]
    assert [turn.reply.kind for turn in turns if turn.reply] == ["escalation", "answer", "refusal", "refusal"]
    assert [turn.reply.citations for turn in turns if turn.reply] == [(), ("storage",), (), ()]
    assert [len(turn.passages) for turn in turns] == [0, 1, 0, 0]
    assert [turn.decision.evidence == () for turn in turns] == [False, True, False, True]


def test_a_fault_is_of_its_turn_only(store: str):
    parts = Parts()

    async def run() -> list[AgentTurn]:
        async with parts.agent(store) as agent:
            parts.drafter.broken = RuntimeError()
            first = await agent.ask("t", "store")
            parts.drafter.broken = None
            return [first, await agent.ask("t", "store")]

    first, second = asyncio.run(run())
    assert (len(first.faults), second.faults) == (1, ())
    assert text(second).startswith("en: Keep it")


@pytest.mark.parametrize(
    ("first", "then", "expected"),
    [
        ("stroke", "thanks, how do i store it", "emergency-medical"),
        ("suicide", "double", "mental-health-crisis"),
        ("suicide", "rash", "mental-health-crisis"),
        ("suicide", "stroke", "emergency-medical"),  # a more severe one wins
        ("stroke", "suicide", "emergency-medical"),
    ],
)
def test_a_disengaged_thread_says_the_same_again(store: str, first: str, then: str, expected: str):
    parts = Parts()
    turns = talk(store, first, then, "ok", parts=parts)
    assert [text(turn) for turn in turns[1:]] == [f"<{expected} en None>" + footer()] * 2
    assert all(turn.disengaged for turn in turns)
    assert (parts.retriever.calls, parts.drafter.calls) == (0, 0)
    assert parts.engine.calls == 3  # checked anew each time


def test_another_thread_is_engaged(store: str):
    async def run() -> AgentTurn:
        async with Parts().agent(store) as agent:
            await agent.ask("t", "stroke")
            return await agent.ask("another", "how do i store it")

    turn = asyncio.run(run())
    assert (turn.turn, turn.disengaged, turn.decision.outcome) == (1, False, "allow")


def test_a_repeated_escalation_does_not_page_and_a_new_one_does(store: str):
    """Once a turn: the template that is said again pages nobody."""

    async def run() -> list[str]:
        async with Parts().agent(store) as agent:
            for said in ("stroke", "ok", "suicide", "thanks"):
                await agent.ask("t", said)
            return [delivery.key for delivery in await agent.deliveries("t")]

    assert asyncio.run(run()) == ["page:t:1", "page:t:3"]


def test_the_profile_says_who_is_paged(store: str):
    async def run(**settings: Any) -> int:
        async with Parts().agent(store, **settings) as agent:
            await agent.ask("t", "rash")
            return len(await agent.deliveries("t"))

    assert asyncio.run(run()) == 0
    assert asyncio.run(run(page_on=frozenset({"urgent"}))) == 1


def test_the_locale_is_the_requests_then_the_threads_then_the_detected_one(store: str):
    """Known failure 11: two words are no reason to change the language."""

    async def run() -> list[str]:
        async with Parts().agent(store) as agent:
            turns = [
                await agent.ask("t", "¿double?"),  # detected
                await agent.ask("t", "double"),  # the thread's
                await agent.ask("t", "double", locale="pt-BR", country="BR"),
                await agent.ask("t", "double"),
                await agent.ask("u", "double"),
            ]
            return [text(turn).split("\n\n")[1] for turn in turns]

    assert asyncio.run(run()) == [
        "<footer es-419 None>",
        "<footer es-419 None>",
        "<footer pt-BR BR>",
        "<footer pt-BR BR>",
        "<footer en None>",
    ]


def test_a_repeated_request_is_not_taken_twice(store: str):
    parts = Parts()

    async def run() -> list[AgentTurn]:
        async with parts.agent(store) as agent:
            first = await agent.ask("t", "stroke", request_id="r1")
            again = await agent.ask("t", "stroke", request_id="r1")
            assert len(await agent.deliveries("t")) == 1
            return [first, again, await agent.ask("t", "stroke", request_id="r2")]

    first, again, other = asyncio.run(run())
    assert again == first
    assert other.turn == 2


def test_two_turns_on_one_thread_come_one_after_the_other(store: str):
    """Known failure 19: the second begins when the first is answered."""
    parts = Parts()
    running: list[int] = []

    async def slow(question: str, locale: Locale, passages: object) -> Reply:
        running.append(len(running))
        before = list(running)
        await asyncio.sleep(0.02)
        assert running == before
        return Reply(kind="answer", text=f"{question} [cite:storage]", citations=("storage",))

    parts.drafter.draft = slow  # type: ignore[method-assign]

    async def run() -> list[AgentTurn]:
        async with parts.agent(store) as agent:
            return await asyncio.gather(*(agent.ask("t", f"store {i}") for i in range(4)))

    turns = asyncio.run(run())
    assert [turn.turn for turn in turns] == [1, 2, 3, 4]
    assert [text(turn).split(" [")[0] for turn in turns] == [f"store {i}" for i in range(4)]


def test_fifty_talks_at_once_do_not_cross(store: str):
    """Known failure 19: mixed locales, kinds and countries, five turns each, all at the same time."""
    locales: tuple[Locale, ...] = ("en", "es-419", "pt-BR")
    countries = ("US", "MX", "BR", "AR")
    words = ("store", "double", "rash", "hopeless", "nothing")
    said = {
        "store": "{locale}: Keep it in a cool dry place. [cite:storage]",
        "double": "<out-of-scope-dosing {locale} {country}>",
        "rash": "<urgent-care {locale} {country}>",
        "hopeless": "<supportive-check-in {locale} {country}>",
        "nothing": "<no-context {locale} {country}>",
    }

    async def run() -> None:
        parts = Parts()
        async with parts.agent(store) as agent:

            async def one(number: int) -> None:
                locale, country = locales[number % 3], countries[number % 4]
                own = {"locale": locale, "country": country}
                for step in range(5):
                    word = words[(number + step) % 5]
                    first: dict[str, str] = own if step == 0 else {}
                    turn = await agent.ask(f"talk {number}", f"{word} {number}", **first)  # type: ignore[arg-type]
                    assert turn.turn == step + 1
                    assert text(turn) == said[word].format(**own) + footer(locale, country)
                    await asyncio.sleep(0)

            await asyncio.gather(*(one(number) for number in range(50)))
        assert sorted(parts.drafter.questions) == sorted(f"store {number}" for number in range(50))

    asyncio.run(run())


def test_a_talk_goes_on_after_a_restart(store: str):
    talk(store, "stroke")
    (turn,) = talk(store, "hello again")
    assert (turn.turn, turn.disengaged) == (2, True)


def test_a_turn_that_died_is_taken_up_under_its_number_with_all_that_was_said(store: str):
    """Known failure 3: the message of the turn that died is unanswered, so it is checked with the next one."""
    parts = Parts()
    retrieve = parts.retriever.retrieve

    async def die(question: str, locale: Locale) -> Retrieval:
        raise asyncio.CancelledError  # what no node catches

    async def run() -> AgentTurn:
        async with parts.agent(store) as agent:
            parts.retriever.retrieve = die  # type: ignore[method-assign]
            with pytest.raises((TurnFailed, asyncio.CancelledError)):  # the latter before Python 3.11
                await agent.ask("t", "store one")
            parts.retriever.retrieve = retrieve  # type: ignore[method-assign]
            return await agent.ask("t", "and two")

    turn = asyncio.run(run())
    assert turn.turn == 1
    assert parts.drafter.questions == ["store one\nand two"]
