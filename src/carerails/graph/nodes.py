"""The nodes. Each does one thing, catches what its seam throws, and gives back the channels that it changes."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import cast

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import set_config_context
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from carerails.contracts import RANK, ClaimReport, Exchange, Message, Redacted, Reply, RestingTemplate, TurnDecision
from carerails.gate import severer
from carerails.graph.backlog import Backlog, Question
from carerails.graph.composing import Composer, faults_of, inspected
from carerails.graph.context import Finder
from carerails.graph.deliveries import decision_of, page_of
from carerails.graph.desk import Desk, Waiting, review_id
from carerails.graph.errors import TooManyTurns
from carerails.graph.faults import Fault
from carerails.graph.gate import checked
from carerails.graph.outbox import Outbox
from carerails.graph.record import joined, redact, scrubbed
from carerails.graph.request import split_answered
from carerails.graph.review import UNCHECKED, assess_review_need, edited
from carerails.graph.screened import ScreenedTurns
from carerails.graph.seams import Seams
from carerails.graph.settings import AgentSettings
from carerails.graph.state import ENDING, WITHHELD, Call, Memory, Now, State, Update, Verdict, changed
from carerails.graph.stopped import Stopped, StoppedReplies
from carerails.graph.voice import FALLBACK, Voice

#: Why nothing was drafted.
OPEN, NO_REPLY = "circuit open", "no-reply"
#: What the user reads while the circuit is open, by what is done about the question.
RESTING: Mapping[str, RestingTemplate] = {
    "template": "resting",
    "person": "resting-person",
    "queue": "resting-queue",
}
#: Faults of a turn that was to be answered, for which the circuit takes it as failed.
_BLAMED = ("redactor", "retriever", "screener")

log = logging.getLogger(__name__)

#: Before the first turn.
NEVER = Now(number=0)


class Nodes:
    """The nodes of one graph, with what they need."""

    def __init__(
        self,
        seams: Seams,
        settings: AgentSettings,
        voice: Voice,
        outbox: Outbox,
        desk: Desk,
        composer: Composer,
        backlog: Backlog,
        stopped: StoppedReplies,
        finder: Finder,
        screened: ScreenedTurns,
    ) -> None:
        self._seams, self._settings, self._voice = seams, settings, voice
        self._outbox, self._desk, self._composer = outbox, desk, composer
        self._backlog, self._stopped = backlog, stopped
        self._finder, self._screened = finder, screened

    async def intake(self, state: State, runtime: Runtime[Call]) -> Update:
        """Begin a turn: number it, forget the last one, keep what is unanswered."""
        call, memory, last = runtime.context, state.get("memory", Memory()), state.get("now", NEVER)
        unanswered = last.number > 0 and last.reply is None
        died = unanswered and call.supersedes != last.number
        call.number = last.number if died else last.number + 1
        if call.number > self._settings.max_turns:
            raise TooManyTurns(self._settings.max_turns)
        ended = [memory.disengaged, call.ended]
        if died and (page := await self._outbox.paged(call.thread_id, call.number)):
            # It died between its page and its checkpoint: what a human was told is what the thread goes on with.
            ended.append(decision_of(page))
        kept = {"country": call.turn.country or memory.country, "disengaged": _worst(ended)}
        record = last.record if unanswered else ()
        return {
            "memory": memory.model_copy(update=kept),
            "now": Now(number=call.number, request_id=call.request_id, record=record),
        }

    async def guardrail_pre(self, state: State, runtime: Runtime[Call]) -> Update:
        """Ask the engine, once; redact the record; page a human if the decision says so."""
        call, memory, pending = runtime.context, state["memory"], state["now"].record
        answered, new = split_answered(call.turn.messages)
        waiting = tuple(Message(role="user", content=text) for text in pending)
        turn = call.turn.model_copy(
            update={
                "messages": (*answered, *waiting, *new),
                "previous_locale": memory.locale,
                "country": memory.country,
            }
        )
        found = await checked(
            self._seams.engine, turn, self._settings.check_s, locale=memory.locale or call.floor.locale
        )
        decision = severer(call.floor, found)
        clean, fault = redact(self._seams.redactor, new, decision.locale)
        record = joined(pending, clean)
        decision = scrubbed(decision, record)
        faults = [fault] if fault else []
        if decision.failure:
            faults.append(Fault(where="engine", kind=decision.failure.kind, detail=decision.failure.detail))
        call.decision = _standing(memory.disengaged, decision) or decision
        if decision.severity in self._settings.page_on:
            faults += await self._page(call, decision)
        kept = {"locale": decision.locale, "disengaged": _worst([call.decision])}
        return {
            "memory": memory.model_copy(update=kept),
            **changed(state, decision=call.decision, record=record, faults=tuple(faults)),
        }

    async def retrieve_context(self, state: State, runtime: Runtime[Call]) -> Update:
        """Find cards for the redacted question, and keep out of the context what does not belong there."""
        now = state["now"]
        found = await self._finder.find(runtime.context.thread_id, now.number, now.question, now.decision.locale)
        if found.faults:
            return changed(state, faults=(*now.faults, *found.faults))
        return changed(state, passages=found.passages, no_context=found.no_context, unjudged=found.unjudged)

    async def generate_response(self, state: State, runtime: Runtime[Call]) -> Update:
        """Say what needs no model, if that is what there is to say; otherwise draft, and look at the draft."""
        now = state["now"]
        if now.decision.decision != "allow":
            return changed(state, draft=await self._voice.answer(now.decision))
        if now.faults:
            fault = now.faults[-1]
            more = await self._composer.blame(runtime.context.tenant) if fault.where in _BLAMED else None
            faults = (*now.faults, more) if more else now.faults
            return changed(state, draft=await self._fallback(state, fault.where), faults=faults)
        if not now.passages:
            why = now.no_context or "screened out"
            return changed(
                state,
                draft=await self._voice.refuse("no-context", now.decision, why),
                faults=(*now.faults, *now.unjudged),
            )
        return await self._draft(state, runtime.context)

    async def review_response(self, state: State, config: RunnableConfig) -> Update:
        """Wait for a person, if the draft needs one. Runs again from its top on resume: it opens the same review."""
        now, need = state["now"], assess_review_need(state)
        if need is None or now.draft is None:
            return {}
        thread_id: str = config.get("configurable", {})["thread_id"]
        waiting = Waiting(need=need, question=now.question, draft=now.draft, passages=now.passages)
        await self._desk.open(thread_id, now.number, waiting)
        asked = {"review_id": review_id(thread_id, now.number), "reasons": list(need.reasons)}
        with set_config_context(config) as context:  # LangGraph sets it for coroutines from Python 3.11 on only
            answer = context.run(interrupt, asked)
        verdict: Verdict = answer["decision"]
        if verdict == "edit":
            return changed(state, verdict=verdict, draft=edited(answer["text"]), inspection=None)
        if verdict == "reject":
            return changed(state, verdict=verdict, draft=await self._fallback(state, "rejected in review"))
        return changed(state, verdict=verdict)

    async def guardrail_post(self, state: State, config: RunnableConfig) -> Update:
        """Nothing that was drafted leaves unless the guard let it pass, or a person let it go."""
        now = state["now"]
        if now.draft is None:
            return changed(state, draft=await self._fallback(state, "nothing drafted"))
        if now.draft.kind != "answer" or now.verdict == "approve":
            return {}
        found = now.inspection
        if found is None:  # an edit, which nobody has looked at since
            exchange = Exchange(question=now.question, locale=now.decision.locale, passages=now.passages)
            found = await inspected(self._seams.guard, now.draft, exchange, self._settings.guard_s)
            faults = (*now.faults, *faults_of(found))
        else:
            faults = now.faults
        if found.passed:
            return changed(state, inspection=found)
        await self._keep(config.get("configurable", {})["thread_id"], now, found.reasons, now.draft.text)
        rationale = ", ".join(found.reasons)
        return changed(state, draft=await self._fallback(state, rationale), inspection=found, faults=faults)

    async def closing(self, state: State) -> Update:
        """The footer under every reply; with it the turn is answered."""
        now = state["now"]
        draft = now.draft or await self._fallback(state, "nothing drafted")
        return changed(state, reply=await self._voice.close(draft, now.decision))

    async def _draft(self, state: State, call: Call) -> Update:
        now = state["now"]
        made = await self._composer.compose(call.tenant, now.question, now.decision.locale, now.passages)
        faults = (*now.faults, *now.unjudged, *made.faults, *await self._keep_claims(call, now, made.claims))
        if not made.admitted:
            fault = await self._rest(call, now)
            # What could not be handed on is not said to be.
            template = "resting" if fault else RESTING[self._settings.circuit.serve]
            draft = await self._voice.rest(template, now.decision, OPEN)
            return changed(state, draft=draft, faults=(*faults, fault) if fault else faults)
        if made.draft is None:
            await self._keep(call.thread_id, now, (NO_REPLY, *made.broken), made.raw)
            return changed(state, draft=await self._fallback(state, faults[-1].where), faults=faults)
        if made.draft.kind == "refusal":
            # The drafter sees no answer in the cards. It may say so; the words are ours.
            return changed(state, draft=await self._voice.refuse("no-context", now.decision, "drafter"), faults=faults)
        return changed(state, draft=made.draft, inspection=made.inspection, faults=faults)

    async def _keep_claims(self, call: Call, now: Now, claims: tuple[ClaimReport, ...]) -> tuple[Fault, ...]:
        """Keep what became of the claims. That it fails is told, and keeps no answer from the user."""
        try:
            await self._screened.put(call.thread_id, now.number, claims, claims[0].model if claims else "")
        except Exception as error:
            return (Fault.of("store", error),)
        return ()

    async def _rest(self, call: Call, now: Now) -> Fault | None:
        """What is done about a question while the circuit is open, besides what the user reads."""
        how = self._settings.circuit.serve
        decision = now.decision
        try:
            if how == "person":
                await self._outbox.hand_over(call.thread_id, now.number, decision, call.turn.channel)
            elif how == "queue":
                await self._backlog.put(
                    Question(call.thread_id, now.number, call.tenant, now.question, decision.locale, decision.country)
                )
        except Exception as error:
            return Fault.of("store", error)
        return None

    async def _keep(self, thread_id: str, now: Now, reasons: tuple[str, ...], raw: str) -> None:
        """Keep a reply that is not sent, redacted. That it fails never keeps the fallback from the user."""
        try:
            clean = cast("object", self._seams.redactor.redact(raw, now.decision.locale))
            text = clean.text if isinstance(clean, Redacted) else WITHHELD
            await self._stopped.put(thread_id, Stopped(now.number, reasons or (UNCHECKED,), now.question, text))
        except Exception as error:
            log.error("a stopped reply could not be kept: %s", type(error).__name__)

    async def _page(self, call: Call, decision: TurnDecision) -> list[Fault]:
        """Page once a turn. That it fails never keeps the reply from the user."""
        if call.paged:
            return []
        call.paged = True
        try:
            await self._outbox.page(page_of(call, decision))
        except Exception as error:
            call.paged = False
            return [Fault.of("pager", error)]
        return []

    async def _fallback(self, state: State, rationale: str) -> Reply:
        return await self._voice.refuse(FALLBACK, state["now"].decision, rationale)


def _standing(ended: TurnDecision | None, decision: TurnDecision) -> TurnDecision | None:
    """The decision that ended the conversation, said again, unless the new one is at least as severe."""
    if ended is None or RANK[decision.outcome] <= RANK[ended.outcome]:
        return None
    return ended.model_copy(update={"locale": decision.locale, "country": decision.country})


def _worst(decisions: Iterable[TurnDecision | None]) -> TurnDecision | None:
    """The most severe of those that end a conversation."""
    ending = [decision for decision in decisions if decision and decision.severity in ENDING]
    return min(ending, key=lambda decision: RANK[decision.outcome], default=None)
