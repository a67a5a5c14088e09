"""Human review: when a draft waits, what becomes of it, and that it becomes so once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from carerails.contracts import Failure, Inspection, Objection, Reply, TurnDecision
from carerails.graph import Agent, AgentError, AgentTurn, ReviewNeed, assess_review_need
from carerails.graph.errors import (
    AlreadyResumed,
    EditRejected,
    InvalidRequest,
    MissingThread,
    NothingToReview,
    ReviewIsOff,
    ReviewSuperseded,
    UnknownThread,
)
from carerails.graph.state import Memory, Now, State
from tests.graph.kit import ListSink, Parts, footer

ALLOW = TurnDecision(decision="allow")
STROKE = TurnDecision(decision="escalate", severity="emergency", template_slug="emergency-medical")
GOOD = Reply(kind="answer", text="Keep it cool. [cite:storage]", citations=("storage",))
SOUND = Inspection()
FAILED = Inspection(failures=(Failure(seam="output", kind="timeout"),))


def objected(*reasons: str) -> Inspection:
    return Inspection(objections=tuple(Objection(check="c", reason=reason) for reason in reasons))


@pytest.mark.parametrize(
    ("decision", "draft", "inspection", "reasons"),
    [
        (ALLOW, GOOD, SOUND, None),
        (ALLOW, None, None, None),
        (ALLOW, GOOD, None, ("check-failed",)),
        (ALLOW, GOOD, FAILED, ("check-failed",)),
        (ALLOW, GOOD, objected("unknown-citation"), ("unknown-citation",)),
        (ALLOW, GOOD, objected("diagnosis", "promise", "diagnosis"), ("diagnosis", "promise")),
        (ALLOW, Reply(kind="refusal", text="no"), None, None),
        (STROKE, Reply(kind="escalation", text="call"), None, None),  # an acute red flag never waits
        (STROKE, GOOD, objected("diagnosis"), None),
    ],
)
def test_the_need_is_a_pure_function_of_the_state(
    decision: TurnDecision, draft: Reply | None, inspection: Inspection | None, reasons: tuple[str, ...] | None
):
    now = Now(number=1, decision=decision, draft=draft, inspection=inspection)
    state = State(memory=Memory(), now=now)
    before = dict(state)
    need = assess_review_need(state)
    assert need == (ReviewNeed(reasons=reasons) if reasons else None)
    assert state == before


def run(store: str, scene: Callable[[Agent], Awaitable[Any]], parts: Parts | None = None, **more: Any) -> Any:
    async def play() -> Any:
        settings: dict[str, Any] = {"human_review": True, **more}
        async with (parts or Parts()).agent(store, **settings) as agent:
            return await scene(agent)

    return asyncio.run(play())


def text(turn: AgentTurn) -> str:
    assert turn.reply is not None
    return turn.reply.text


DRAFT = "en: Keep it in a cool dry place."


@pytest.mark.parametrize(
    ("decision", "edited", "kind", "said"),
    [
        ("approve", None, "answer", DRAFT),
        ("edit", "Cool and dry. [cite:storage]", "answer", "Cool and dry. [cite:storage]"),
        ("reject", None, "refusal", "<default en None>"),
    ],
)
def test_what_a_person_decides_is_what_is_sent(store: str, decision: Any, edited: str | None, kind: str, said: str):
    async def scene(agent: Agent) -> None:
        paused = await agent.ask("t", "store uncited")
        assert (paused.status, paused.reply, paused.turn) == ("paused_for_review", None, 1)
        (review,) = await agent.reviews()
        assert (review.id, review.thread_id, review.status) == (paused.review_id, "t", "pending")
        assert (review.waiting.question, review.waiting.draft.text) == ("store uncited", DRAFT)
        assert review.waiting.need.reasons == ("missing-citation",)
        turn = await agent.resume("t", decision, edited)
        assert turn.reply is not None
        assert (turn.status, turn.turn, turn.reply.kind, text(turn)) == ("complete", 1, kind, said + footer())
        assert await agent.reviews() == ()
        (delivery,) = await agent.deliveries("t")
        assert (delivery.kind, delivery.key) == ("reply", f"reply:{review.id}")
        assert Reply.model_validate_json(delivery.body) == turn.reply
        assert (await agent.ask("t", "how do i store it")).turn == 2

    run(store, scene)


def test_a_good_draft_does_not_wait(store: str):
    async def scene(agent: Agent) -> None:
        assert (await agent.ask("t", "how do i store it")).status == "complete"

    run(store, scene)


@pytest.mark.parametrize(
    ("edited", "reason"),
    [
        ("Keep it cool.", "missing-citation"),
        ("Keep it cool. [cite:invented]", "unknown-citation"),
        ("As your doctor, I say keep it cool. [cite:storage]", "persona-drift"),
        ("Just double it. [cite:storage]", "out-of-scope-dosing"),
        ("If it is a stroke, call. And double it. [cite:storage]", "dosing"),  # behind a red flag
    ],
)
def test_an_edit_that_fails_the_checks_is_rejected_and_the_review_stays_open(store: str, edited: str, reason: str):
    async def scene(agent: Agent) -> None:
        await agent.ask("t", "store uncited")
        with pytest.raises(EditRejected, match="mend the text") as caught:
            await agent.resume("t", "edit", edited)
        assert reason in caught.value.reasons
        assert len(await agent.reviews()) == 1
        assert text(await agent.resume("t", "edit", "Cool. [cite:storage]")) == "Cool. [cite:storage]" + footer()

    run(store, scene)


def test_an_edit_may_say_when_to_call_and_what_a_card_says(store: str):
    async def scene(agent: Agent) -> AgentTurn:
        await agent.ask("t", "store uncited")
        return await agent.resume(
            "t", "edit", "Keep it in a cool dry place. [cite:storage] For a stroke call. [cite:storage]"
        )

    assert text(run(store, scene)).startswith("Keep it in a cool dry place.")


def test_an_edit_that_cannot_be_checked_is_rejected(store: str):
    parts = Parts()

    async def scene(agent: Agent) -> None:
        await agent.ask("t", "store uncited")
        parts.engine.broken = RuntimeError()
        with pytest.raises(EditRejected, match="check-failed"):
            await agent.resume("t", "edit", "Cool. [cite:storage]")

    run(store, scene, parts)


@pytest.mark.parametrize("copies", [2, 8])
def test_of_resumes_at_once_one_is_carried_out(store: str, copies: int):
    """LangGraph itself would deliver each of them."""
    sink = ListSink()

    async def scene(agent: Agent) -> None:
        await agent.ask("t", "store uncited")
        outcomes = await asyncio.gather(*(agent.resume("t", "approve") for _ in range(copies)), return_exceptions=True)
        assert sorted(type(o).__name__ for o in outcomes) == sorted(["AgentTurn"] + ["AlreadyResumed"] * (copies - 1))
        await sink.wait(lambda sink: bool(sink.taken))
        assert len(await agent.deliveries("t")) == 1

    run(store, scene, sink=sink)
    assert len(sink.taken) == 1


def test_two_agents_on_one_postgres_resume_once_and_take_turns(postgres_store: str):
    """Several processes share a database: here two agents, each with its own loop and connections."""

    async def play() -> None:
        async with (
            Parts().agent(postgres_store, human_review=True) as one,
            Parts().agent(postgres_store, human_review=True) as two,
        ):
            await one.ask("t", "store uncited")
            outcomes = await asyncio.gather(
                *(agent.resume("t", "approve") for agent in (one, two) * 3), return_exceptions=True
            )
            assert sum(isinstance(outcome, AgentTurn) for outcome in outcomes) == 1
            assert sum(isinstance(outcome, AlreadyResumed) for outcome in outcomes) == 5
            turns = await asyncio.gather(*(agent.ask("t", "hello") for agent in (one, two) * 5))
            assert sorted(turn.turn for turn in turns) == list(range(2, 12))

    asyncio.run(play())


@pytest.mark.parametrize(
    ("before", "arguments", "error", "mend"),
    [
        ([], {"thread_id": "never"}, UnknownThread, "check the thread_id"),
        ([], {"thread_id": ""}, MissingThread, "send a thread_id"),
        (["hello"], {}, NothingToReview, "was answered"),
        (["store uncited"], {"decision": "maybe"}, InvalidRequest, "approve, edit, reject"),
        (["store uncited"], {"decision": "edit"}, InvalidRequest, "send edited_text"),
        (["store uncited"], {"decision": "edit", "edited_text": " "}, InvalidRequest, "send edited_text"),
        (["store uncited"], {"edited_text": "x"}, InvalidRequest, "send edited_text"),
        (["store uncited"], {"review_id": "another"}, ReviewSuperseded, "list what waits"),
        (["store uncited", "double"], {}, ReviewSuperseded, "list what waits"),
        (["store uncited", "resume"], {}, AlreadyResumed, "deliveries"),
        (["store uncited", "resume", "hello"], {}, NothingToReview, "was answered"),
    ],
)
def test_what_cannot_be_resumed_says_why(
    store: str, before: list[str], arguments: dict[str, Any], error: type[AgentError], mend: str
):
    """Known failure 24: a second resume, a finished thread; and every other mistake."""

    async def scene(agent: Agent) -> None:
        for said in before:
            await (agent.resume("t", "approve") if said == "resume" else agent.ask("t", said))
        whole: dict[str, Any] = {"thread_id": "t", "decision": "approve", **arguments}
        with pytest.raises(error, match=mend):
            await agent.resume(**whole)

    run(store, scene)


def test_without_human_review_there_is_nothing_to_resume(store: str):
    async def scene(agent: Agent) -> None:
        with pytest.raises(ReviewIsOff):
            await agent.resume("t", "approve")

    run(store, scene, human_review=False)


@pytest.mark.parametrize(
    ("said", "expected"),
    [("stroke", "emergency-medical"), ("suicide", "mental-health-crisis"), ("rash", "urgent-care")],
)
def test_a_red_flag_on_a_paused_thread_escalates(store: str, said: str, expected: str):
    """Known failure 24: it does not wait behind the review, which it supersedes."""

    async def scene(agent: Agent) -> None:
        await agent.ask("t", "store uncited")
        turn = await agent.ask("t", said)
        assert text(turn) == f"<{expected} en None>" + footer()
        assert turn.turn == 2
        assert await agent.reviews() == ()
        with pytest.raises(ReviewSuperseded):
            await agent.resume("t", "approve")
        pages = [d for d in await agent.deliveries("t") if d.kind == "page"]
        assert len(pages) == (0 if said == "rash" else 1)
        assert all(json.loads(page.body)["turn"] == 2 for page in pages)

    run(store, scene)


def test_a_new_message_on_a_paused_thread_is_taken_up_with_the_one_that_waits(store: str):
    """Known failure 3: both are unanswered, so both are checked, asked and, if need be, reviewed together."""
    parts = Parts()

    async def scene(agent: Agent) -> None:
        await agent.ask("t", "store uncited 123456789")
        again = await agent.ask("t", "in the fridge?")
        assert again.status == "paused_for_review"
        assert parts.drafter.questions[-1] == "store uncited <PHONE>\nin the fridge?"
        said = [message.content for message in parts.engine.turns[-1].messages]
        assert said == ["store uncited <PHONE>", "in the fridge?"]
        (review,) = await agent.reviews()
        assert (review.turn, review.id) == (2, again.review_id)
        assert text(await agent.resume("t", "approve")).startswith("en: Keep it")

    run(store, scene, parts)


def test_a_repeated_request_that_waits_is_told_that_it_waits(store: str):
    async def scene(agent: Agent) -> None:
        first = await agent.ask("t", "store uncited", request_id="r")
        again = await agent.ask("t", "store uncited", request_id="r")
        assert again == first
        await agent.resume("t", "approve")
        assert (await agent.ask("t", "store uncited", request_id="r")).status == "complete"

    run(store, scene)


def test_a_pause_outlives_the_process(store: str):
    async def pause(agent: Agent) -> None:
        await agent.ask("t", "store uncited")

    async def resume(agent: Agent) -> AgentTurn:
        assert len(await agent.reviews()) == 1
        return await agent.resume("t", "approve")

    run(store, pause)
    assert text(run(store, resume)) == DRAFT + footer()


def test_a_page_is_not_sent_again_when_its_thread_is_resumed(store: str):
    """Known failure 23: the interrupted node runs again from its top, the node that pages does not."""
    parts = Parts()

    async def scene(agent: Agent) -> list[str]:
        await agent.ask("t", "stroke")
        await agent.ask("u", "store uncited")
        await agent.resume("u", "approve")
        calls = parts.engine.calls
        assert calls == 2
        return [delivery.key for thread in ("t", "u") for delivery in await agent.deliveries(thread)]

    keys = run(store, scene, parts)
    assert keys[0] == "page:t:1"
    assert len(keys) == 2
