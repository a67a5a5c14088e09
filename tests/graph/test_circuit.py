"""The circuit around the model: when it opens, who is told, what is said meanwhile, and that nothing is lost."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
from collections.abc import Awaitable, Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, get_args

import pytest

from carerails.breaker import BreakerState
from carerails.contracts import LOCALES, Locale, Passage, Reply, RestingTemplate
from carerails.graph import Agent, AgentTurn, Delivery
from carerails.graph.backlog import Backlog
from carerails.graph.circuit import Circuit, Opening
from carerails.graph.outbox import Outbox
from carerails.graph.store import open_store
from carerails.output.settings import CircuitSettings
from carerails.policy import Policy
from carerails.resources import data_dir
from tests.graph.kit import Breakable, ListSink, Parts, StubDrafter, footer

FALLBACK = "<default en None>" + footer()
RESTING = "<resting en None>" + footer()
SECRET = "5511987654321"


class Clock:
    """Seconds, as the test says."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def play(
    parts: Parts,
    scene: Callable[[Agent], Awaitable[Any]],
    store: str = ":memory:",
    clock: Callable[[], float] | None = None,
    sink: ListSink | None = None,
    **circuit: Any,
) -> Any:
    async def run() -> Any:
        agent = parts.agent(store, sink, circuit=CircuitSettings(**circuit))
        if clock:
            agent._clock = clock  # pyright: ignore[reportPrivateUsage]  the kit makes agents without a clock
        async with agent:
            return await scene(agent)

    return asyncio.run(run())


async def fail(agent: Agent, times: int = 5, tenant: str = "") -> list[AgentTurn]:
    return [await agent.ask(f"bad-{tenant}-{n}", "store", tenant=tenant) for n in range(times)]


def said(turn: AgentTurn) -> str:
    assert turn.reply is not None
    return turn.reply.text


def test_five_failures_open_it_and_the_model_is_not_called():
    """Known failure 22: a short-circuited turn calls no model."""
    parts, clock = Parts(), Clock()
    parts.drafter.fail(RuntimeError(SECRET))

    async def scene(agent: Agent) -> None:
        await fail(agent, 4)
        assert (await agent.circuit()).opened_at is None
        await fail(agent, 1)
        assert (await agent.circuit()).opened_at == clock.now
        parts.drafter.broken = None
        turn = await agent.ask("t", "store")
        assert (said(turn), turn.reply and turn.reply.rationale) == (RESTING, "circuit open")
        assert (parts.drafter.calls, parts.guard.calls) == (5, 0)

    play(parts, scene, clock=clock)


def test_one_success_between_failures_keeps_it_closed():
    parts = Parts()

    async def scene(agent: Agent) -> None:
        for _ in range(3):
            parts.drafter.broken = RuntimeError()
            await fail(agent, 4)
            parts.drafter.broken = None
            await agent.ask("good", "store")
        assert await agent.circuit() == BreakerState(era=(await agent.circuit()).era)

    play(parts, scene)


@pytest.mark.parametrize("seam", ["drafter", "guard", "retriever", "redactor"])
@pytest.mark.parametrize("nonsense", [RuntimeError(SECRET), None, "not a contract"])
def test_whatever_fails_before_a_sound_reply_counts(seam: str, nonsense: object):
    parts = Parts()
    part: Breakable = getattr(parts, seam)
    part.fail(nonsense)

    async def scene(agent: Agent) -> None:
        for turn in await fail(agent):
            assert said(turn) == FALLBACK
        assert (await agent.circuit()).opened_at is not None

    play(parts, scene)


@pytest.mark.parametrize(("counts", "opens"), [(True, True), (False, False)])
def test_replies_that_are_stopped_count_if_the_profile_says_so(counts: bool, opens: bool):
    async def scene(agent: Agent) -> None:
        for n in range(5):
            await agent.ask(f"t{n}", "store uncited")
        assert ((await agent.circuit()).opened_at is not None) == opens

    play(Parts(), scene, counts_stopped=counts)


def test_replies_that_wait_for_a_person_do_not_count():
    async def scene(agent: Agent) -> None:
        for n in range(7):
            turn = await agent.ask(f"t{n}", "store uncited")
            assert turn.status == "paused_for_review"
        assert await agent.circuit() == BreakerState()

    async def run() -> None:
        async with Parts().agent(human_review=True) as agent:
            await scene(agent)

    asyncio.run(run())


def test_turns_without_a_model_neither_open_nor_close_it():
    parts = Parts()
    parts.engine.deaf = ()

    async def scene(agent: Agent) -> None:
        for n in range(8):
            await agent.ask(f"a{n}", "double")
            await agent.ask(f"b{n}", "no card for that")
        assert await agent.circuit() == BreakerState()

    play(parts, scene)


def test_a_red_flag_is_answered_while_it_is_open():
    parts = Parts()
    parts.drafter.broken = RuntimeError()

    async def scene(agent: Agent) -> None:
        await fail(agent)
        turn = await agent.ask("t", "stroke")
        assert (turn.decision.outcome, turn.reply and turn.reply.kind) == ("emergency", "escalation")
        assert (await agent.ask("t", "store")).disengaged

    play(parts, scene)


@pytest.mark.parametrize(("serve", "slug"), [("template", ""), ("person", "-person"), ("queue", "-queue")])
@pytest.mark.parametrize("locale", LOCALES)
def test_while_it_is_open_the_user_reads_what_becomes_of_the_question(serve: str, slug: str, locale: Locale):
    parts = Parts()

    async def scene(agent: Agent) -> None:
        parts.drafter.broken = RuntimeError()
        await fail(agent)
        turn = await agent.ask("t", "store", locale=locale)
        assert said(turn) == f"<resting{slug} {locale} None>" + footer(locale)
        assert turn.reply is not None
        assert (turn.reply.kind, turn.reply.template) == ("refusal", f"resting{slug}")

    play(parts, scene, serve=serve)


@pytest.mark.parametrize("serve", ["person", "queue"])
def test_what_could_not_be_handed_on_is_not_said_to_be(serve: str, monkeypatch: pytest.MonkeyPatch):
    async def broken(self: object, *what: object) -> None:
        raise OSError(SECRET)

    parts = Parts()

    async def scene(agent: Agent) -> None:
        parts.drafter.broken = RuntimeError()
        await fail(agent)
        monkeypatch.setattr(Outbox, "hand_over", broken)
        monkeypatch.setattr(Backlog, "put", broken)
        turn = await agent.ask("t", "store")
        assert (said(turn), [fault.where for fault in turn.faults]) == (RESTING, ["store"])

    play(parts, scene, serve=serve)


def test_rails_without_such_texts_have_the_fallback(monkeypatch: pytest.MonkeyPatch):
    parts = Parts()
    render = parts.engine.render

    async def older(slug: str, locale: Locale, country: str | None = None) -> Any:
        if slug.startswith("resting"):
            raise KeyError(slug)
        return await render(slug, locale, country)

    for engine in (parts.engine, parts.floor):
        monkeypatch.setattr(engine, "render", older)

    async def scene(agent: Agent) -> None:
        parts.drafter.broken = RuntimeError()
        await fail(agent)
        assert said(await agent.ask("t", "store")) == FALLBACK

    play(parts, scene, serve="queue")


@pytest.mark.parametrize("slug", get_args(RestingTemplate))
def test_the_shipped_texts_say_where_to_turn_and_no_number_of_their_own(slug: str):
    policy = Policy.load(data_dir("rails"))
    texts = [policy.render(slug, locale, {"emergency": "EMERGENCY", "crisis": "CRISIS"}) for locale in LOCALES]
    assert len(set(texts)) == len(LOCALES)
    assert all("EMERGENCY" in text and len(text) < 320 for text in texts)
    for text, whom in zip(texts, ("pharmacist", "farmacia", "farmácia"), strict=True):
        assert whom in text


def test_each_tenant_has_its_own():
    parts = Parts()

    async def scene(agent: Agent) -> None:
        parts.drafter.broken = RuntimeError()
        await fail(agent, tenant="a")
        parts.drafter.broken = None
        assert said(await agent.ask("a", "store", tenant="a")) == RESTING
        assert "[cite:storage]" in said(await agent.ask("b", "store", tenant="b"))

    play(parts, scene)


def test_after_a_while_one_call_probes_and_closes_it():
    parts, clock = Parts(), Clock()

    async def scene(agent: Agent) -> None:
        parts.drafter.broken = RuntimeError()
        await fail(agent)
        clock.now += 301
        assert said(await agent.ask("p", "store")) == FALLBACK  # the probe fails, and it stays open
        assert said(await agent.ask("q", "store")) == RESTING
        assert parts.drafter.calls == 6
        parts.drafter.broken = None
        clock.now += 301
        assert "[cite:storage]" in said(await agent.ask("r", "store"))
        assert (await agent.circuit()).opened_at is None

    play(parts, scene, clock=clock)


def test_a_circuit_that_cannot_be_read_is_no_pass(monkeypatch: pytest.MonkeyPatch):
    async def broken(self: Circuit, tenant: str) -> None:
        raise OSError(SECRET)

    monkeypatch.setattr(Circuit, "admit", broken)
    parts = Parts()

    async def scene(agent: Agent) -> None:
        turn = await agent.ask("t", "store")
        assert (said(turn), [fault.where for fault in turn.faults], parts.drafter.calls) == (FALLBACK, ["circuit"], 0)
        assert SECRET not in turn.model_dump_json()
        assert (await agent.ask("t", "stroke")).decision.outcome == "emergency"

    play(parts, scene)


def test_a_circuit_that_cannot_be_told_keeps_no_sound_reply(monkeypatch: pytest.MonkeyPatch):
    async def broken(self: Circuit, tenant: str, ticket: object) -> None:
        raise OSError

    monkeypatch.setattr(Circuit, "succeeded", broken)

    async def scene(agent: Agent) -> None:
        turn = await agent.ask("t", "store")
        assert ("[cite:storage]" in said(turn), [fault.where for fault in turn.faults]) == (True, ["circuit"])

    play(Parts(), scene)


def test_a_stopped_reply_is_kept_without_personal_data():
    parts = Parts()

    async def scene(agent: Agent) -> None:
        await agent.ask("t", f"store uncited {SECRET}")
        (kept,) = await agent.stopped("t")
        assert (kept.reasons, kept.question) == (("missing-citation",), "store uncited <PHONE>")
        assert kept.raw == "en: Keep it in a cool dry place."

    play(parts, scene)


def test_what_is_no_reply_at_all_is_kept_too():
    class Malformed(RuntimeError):
        raw = f'{{"kind": "nonsense", "text": "call {SECRET}"}}'

    parts = Parts()
    parts.drafter.broken = Malformed()

    async def scene(agent: Agent) -> None:
        await agent.ask("t", "store")
        (kept,) = await agent.stopped("t")
        assert (kept.reasons, kept.raw) == (("no-reply",), '{"kind": "nonsense", "text": "call <PHONE>"}')

    play(parts, scene)


@pytest.mark.parametrize("nonsense", [RuntimeError(SECRET), None])
def test_a_redactor_that_fails_keeps_nothing_raw(nonsense: object):
    parts = Parts()

    async def scene(agent: Agent) -> None:
        await agent.ask("t", "store uncited")
        parts.redactor.fail(nonsense)
        await agent.ask("t2", f"store uncited {SECRET}")
        assert SECRET not in repr([await agent.stopped("t"), await agent.stopped("t2")])

    play(parts, scene)


class Hook(BaseHTTPRequestHandler):
    """Takes alerts; refuses the first."""

    taken: list[dict[str, Any]]
    refused = 0

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        first = not type(self).refused
        type(self).refused += first
        if not first:
            self.taken.append(body | {"idempotency": self.headers["Idempotency-Key"]})
        self.send_response(503 if first else 204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None: ...


def test_one_alert_an_opening_and_nothing_of_the_talk_in_it(caplog: pytest.LogCaptureFixture):
    Hook.taken, Hook.refused = [], 0
    server = HTTPServer(("127.0.0.1", 0), Hook)
    Thread(target=server.serve_forever, daemon=True).start()
    parts, clock = Parts(), Clock()

    async def scene(agent: Agent) -> None:
        parts.drafter.broken = RuntimeError()
        for _ in range(2):  # opened, probed in vain, closed, opened again
            await fail(agent, 7)
            clock.now += 301
            await fail(agent, 2)
            parts.drafter.broken = None
            clock.now += 301
            await agent.ask("t", "store")
            parts.drafter.broken = RuntimeError()
        while len(Hook.taken) < 2:  # noqa: ASYNC110  the hook is on another thread
            await asyncio.sleep(0.02)
        await asyncio.sleep(0.1)

    try:
        play(parts, scene, clock=clock, webhook=f"http://127.0.0.1:{server.server_port}/hook")
    finally:
        server.shutdown()
    assert len({alert["key"] for alert in Hook.taken}) == len(Hook.taken) == 2
    keys = {"event", "key", "route", "tenant", "failures", "opened_at", "open_s", "idempotency"}
    assert all(alert.keys() == keys and alert["idempotency"] == alert["key"] for alert in Hook.taken)
    assert [record.message for record in caplog.records].count(
        "circuit open: route agent, tenant -, 5 failures in a row; the model is left alone for 300 s"
    ) == 2
    assert "store" not in json.dumps(Hook.taken)


def test_a_person_is_called_once_a_turn():
    parts, sink = Parts(), ListSink()
    parts.drafter.broken = RuntimeError()

    async def scene(agent: Agent) -> None:
        await fail(agent)
        await agent.ask("t", f"store {SECRET}", request_id="r")
        await agent.ask("t", f"store {SECRET}", request_id="r")
        await sink.wait(lambda sink: bool(sink.taken))
        (delivery,) = await agent.deliveries("t")
        assert (delivery.kind, delivery.key) == ("handover", "handover:t:1")
        assert "store" not in delivery.body

    play(parts, scene, sink=sink, serve="person")


async def until(agent: Agent, thread: str, done: Callable[[tuple[Delivery, ...]], bool]) -> tuple[Delivery, ...]:
    while not done(found := await agent.deliveries(thread)):  # noqa: ASYNC110  it comes from the background
        await asyncio.sleep(0.02)
    return found


def test_a_question_waits_and_is_answered_once(store: str):
    parts, clock = Parts(), Clock()

    async def opened(agent: Agent) -> None:
        parts.drafter.broken = RuntimeError()
        await fail(agent)
        assert said(await agent.ask("t", "store")) == "<resting-queue en None>" + footer()

    async def closed(agent: Agent) -> None:
        parts.drafter.broken = None
        clock.now += 301
        await agent.ask("other", "store")
        (delivery,) = await until(agent, "t", bool)
        assert (delivery.kind, delivery.key) == ("reply", "reply:queue:t:1")
        assert Reply.model_validate_json(delivery.body).text == (
            "en: Keep it in a cool dry place. [cite:storage]" + footer()
        )
        await asyncio.sleep(0.1)
        assert len(await agent.deliveries("t")) == 1

    play(parts, opened, store, clock, serve="queue")
    play(parts, closed, store, clock, serve="queue")  # also after a restart


def test_a_belated_answer_is_not_said_after_an_emergency():
    """Known failure 31: an emergency ends the conversation, and nothing else is said there."""
    parts, clock = Parts(), Clock()

    async def scene(agent: Agent) -> None:
        parts.drafter.broken = RuntimeError()
        await fail(agent)
        await agent.ask("t", "store")
        await agent.ask("t", "stroke")
        await agent.ask("u", "store")
        parts.drafter.broken = None
        clock.now += 301
        await agent.ask("other", "store")
        await until(agent, "u", bool)
        assert [delivery.kind for delivery in await agent.deliveries("t")] == ["page"]

    play(parts, scene, clock=clock, serve="queue")


def test_a_question_that_cannot_be_answered_is_left_to_a_person():
    parts, clock = Parts(), Clock()

    async def scene(agent: Agent) -> None:
        parts.drafter.broken = RuntimeError()
        await fail(agent)
        await agent.ask("t", "store uncited")
        parts.drafter.broken = None
        clock.now += 301
        await agent.ask("other", "store")
        (delivery,) = await until(agent, "t", bool)
        assert delivery.kind == "handover"

    play(parts, scene, clock=clock, serve="queue")


class Flaky(StubDrafter):
    """Fails for a while, in the midst of many."""

    def __init__(self, bad: range) -> None:
        super().__init__()
        self.bad = bad

    async def draft(self, question: str, locale: Locale, passages: list[Passage]) -> Reply:  # type: ignore[override]
        await asyncio.sleep(0)
        if self.calls in self.bad:
            self.calls += 1
            raise RuntimeError
        return await super().draft(question, locale, passages)


def test_a_thousand_turns_through_an_opening_and_closing_circuit_lose_none(store: str):
    """Time passes with the questions: however slow the machine, some come while it is open, more when it may close."""
    parts, clock = Parts(), Clock()
    parts.drafter = Flaky(range(100, 112))

    async def scene(agent: Agent) -> None:
        slots = asyncio.Semaphore(64)

        async def ask(n: int) -> AgentTurn:
            async with slots:
                clock.now += 1
                return await agent.ask(f"t{n}", "store")

        turns = await asyncio.gather(*(ask(n) for n in range(1_000)))
        answered = [turn for turn in turns if turn.reply and turn.reply.kind == "answer"]
        broken = [turn for turn in turns if turn.faults]
        waiting = [turn for turn in turns if turn.reply and turn.reply.rationale == "circuit open"]
        assert len(answered) + len(broken) + len(waiting) == 1_000
        assert waiting
        assert len(broken) >= 5
        for turn in waiting:
            deliveries = await until(agent, turn.thread_id, bool)
            assert [delivery.kind for delivery in deliveries] == ["reply"]
        assert (await agent.circuit()).opened_at is None
        assert len({turn.thread_id for turn in turns}) == 1_000

    play(parts, scene, store, clock, open_s=100, serve="queue")


def test_of_many_that_ask_at_once_one_probes(store: str):
    """Two agents' circuits on one database, and a hundred questions each."""
    settings, clock, openings = CircuitSettings(), Clock(), list[Opening]()

    async def run() -> list[object]:
        stores = [open_store(store), open_store(store)]
        for each in stores:
            await each.open()
        circuits = [Circuit(each, "r", settings, clock=clock, opened=openings.append) for each in stores]
        tickets = [await circuits[n % 2].admit("") for n in range(8)]
        await asyncio.gather(*(circuits[n % 2].failed("", t) for n, t in enumerate(tickets) if t is not None))
        clock.now += 301
        probes = await asyncio.gather(*(circuits[n % 2].admit("") for n in range(200)))
        for each in stores:
            await each.close()
        return [probe for probe in probes if probe is not None]

    assert len(asyncio.run(run())) == 1
    assert len(openings) == 1


def _admits(path: str, now: float, begin: Any, out: Any) -> None:
    async def run() -> int:
        store = open_store(path)
        await store.open()
        circuit = Circuit(store, "r", CircuitSettings(), clock=lambda: now)
        begin.wait()
        tickets = [await circuit.admit("") for _ in range(20)]
        await store.close()
        return sum(ticket is not None for ticket in tickets)

    out.put(asyncio.run(run()))


def test_of_many_processes_one_probes(tmp_path: Path):
    path, now = str(tmp_path / "c.db"), 1_000.0

    async def opened() -> None:
        store = open_store(path)
        await store.open()
        circuit = Circuit(store, "r", CircuitSettings(), clock=lambda: now)
        for _ in range(5):
            ticket = await circuit.admit("")
            assert ticket is not None
            await circuit.failed("", ticket)
        await store.close()

    asyncio.run(opened())
    context = multiprocessing.get_context("spawn")
    begin, out = context.Barrier(3), context.Queue()
    workers = [context.Process(target=_admits, args=(path, now + 301, begin, out)) for _ in range(3)]
    for worker in workers:
        worker.start()
    counts = [out.get(timeout=60) for _ in workers]
    for worker in workers:
        worker.join()
    assert sum(counts) == 1


def test_a_tenant_whose_questions_are_answered_wrongly_does_not_close_the_agent_to_itself():
    """By the profile as it is shipped: a check that stops a reply has worked, and the agent with it."""

    async def scene(agent: Agent) -> None:
        for n in range(12):
            assert said(await agent.ask(f"t{n}", "store uncited", tenant="a")) == FALLBACK
        assert (await agent.circuit("a")).opened_at is None
        assert "[cite:storage]" in said(await agent.ask("u", "store", tenant="a"))

    play(Parts(), scene)
