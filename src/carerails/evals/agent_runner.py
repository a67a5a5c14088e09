"""Plays the agent's slices on one engine: whole conversations, and reviews with a scripted draft and reviewer."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from carerails.agents import Assembly, open_agent
from carerails.contracts import Locale, Message, Passage, Reply, Retrieval
from carerails.drafting import MarkerCitations, cited
from carerails.evals.agent_cases import AgentSlice, Conversation, Expected, Question, Review
from carerails.evals.agent_scoring import AgentResult, Said
from carerails.graph import Agent, AgentError, AgentSettings, AgentTurn
from carerails.graph.errors import EditRejected
from carerails.knowledge.cards import Knowledge
from carerails.knowledge.retrieval import CardRetriever


def run_agent(
    engine: str, pieces: Sequence[AgentSlice], rails: Path | None = None, semantic: bool | None = None
) -> Iterator[AgentResult]:
    """Every case of every slice on one engine, in order.

    Raises:
        UsageError: the engine, the rails or the cards cannot be loaded.
    """
    with Player(engine, rails, semantic) as player:
        for piece in pieces:
            for case in piece.cases:
                yield player.play(piece.name, case)


class Player:
    """An agent on one engine, and a second one whose drafts are scripted; both open as long as this is."""

    def __init__(self, engine: str, rails: Path | None = None, semantic: bool | None = None) -> None:
        assembly = Assembly(engine=engine, rails=rails)
        retriever = CardRetriever(semantic=semantic)
        self._engine = engine
        self._script = _Script(retriever.knowledge)
        self._agent = open_agent(assembly, retriever=retriever)
        self._desk = open_agent(
            assembly,
            agent_settings=AgentSettings(human_review=True),
            retriever=self._script,
            drafter=self._script,
        )
        self._open = ExitStack()

    def __enter__(self) -> Player:
        self._open.enter_context(self._agent)
        self._open.enter_context(self._desk)
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def play(self, piece: str, case: Question | Conversation | Review, repeat: int = 0) -> AgentResult:
        """One case on a thread of its own."""
        thread = f"{piece}/{case.id}/{repeat}"
        if isinstance(case, Review):
            return _review(self._desk, self._script, self._engine, piece, thread, case)
        said = tuple(_talk(self._agent, thread, case))
        return AgentResult(engine=self._engine, slice=piece, case=case, said=said)


class _Script:
    """A retriever that offers and a drafter that says what the case at hand prescribes."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self.case: Review | None = None

    async def retrieve(self, question: str, locale: Locale) -> Retrieval:
        cards = self.case.passages if self.case else ()
        return Retrieval(passages=tuple(self._knowledge[card].passage(locale) for card in cards))

    async def draft(self, question: str, locale: Locale, passages: Sequence[Passage]) -> Reply:
        text = self.case.draft if self.case else ""
        return Reply(kind="answer", text=text, citations=cited(text))


def _talk(agent: Agent, thread: str, case: Question | Conversation) -> Iterator[Said]:
    for step in case.steps:
        messages = [Message(role="user", content=text) for text in step.messages]
        locale = step.requested(case.locale)
        ask = partial(agent.ask_sync, thread, messages=messages, locale=locale, country=step.country)
        yield _timed(ask, step.expect)


def _review(agent: Agent, script: _Script, engine: str, name: str, thread: str, case: Review) -> AgentResult:
    """Ask, let the scripted reviewer act, and take what left in the end."""
    script.case = case
    said = _timed(lambda: agent.ask_sync(thread, case.text, locale=case.locale), case.expect)
    waited, edit_refused = said.waited, None
    if waited and case.then:
        text = case.then
        said = _timed(lambda: agent.ask_sync(thread, text, locale=case.locale), case.expect)
    elif waited and case.action:
        action, text = case.action, case.edited_text
        edit_refused = False if action == "edit" else None
        try:
            said = _timed(lambda: agent.resume_sync(thread, action, text), case.expect, refusable=True)
        except EditRejected:
            edit_refused = True  # the review stays open: the reviewer gives up
            said = _timed(lambda: agent.resume_sync(thread, "reject"), case.expect)
    return AgentResult(engine=engine, slice=name, case=case, said=(said,), waited=waited, edit_refused=edit_refused)


def _timed(call: Callable[[], AgentTurn], expected: Expected, *, refusable: bool = False) -> Said:
    begin = time.perf_counter_ns()
    try:
        turn = call()
    except EditRejected:
        if refusable:
            raise
        return Said(kind=None, failed=True)
    except AgentError:
        return Said(kind=None, failed=True)
    return _said(turn, expected, (time.perf_counter_ns() - begin) / 1000)


def _said(turn: AgentTurn, expected: Expected, latency_us: float) -> Said:
    reply, decision = turn.reply, turn.decision
    failed = bool(turn.faults) or decision.failed
    escalated = decision.decision == "escalate"
    if reply is None:
        return Said(kind=None, escalated=escalated, waited=True, failed=failed, latency_us=latency_us)
    body = reply.text.rpartition("\n\n")[0]  # without the footer, which cites nothing
    checked = MarkerCitations().verify(reply.model_copy(update={"text": body}), turn.passages)
    return Said(
        kind=reply.kind,
        template=reply.template,
        slug=reply.template if reply.kind == "refusal" else decision.slug,
        locale=decision.locale,
        citations=reply.citations,
        cited=checked.sound,
        shown=tuple(number for number in expected.shows if number in reply.text),
        escalated=escalated,
        failed=failed,
        latency_us=latency_us,
    )
