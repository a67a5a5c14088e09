"""The nodes. Each does one thing, catches what its seam throws, and gives back the channels that it changes."""

from __future__ import annotations

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from carerails.contracts import Locale, Message, Reply, Retrieval, TurnDecision
from carerails.graph.deliveries import decision_of, page_of
from carerails.graph.desk import Desk, review_id
from carerails.graph.errors import TooManyTurns
from carerails.graph.faults import Fault, attempt
from carerails.graph.gate import RANK, checked, severer
from carerails.graph.outbox import Outbox
from carerails.graph.record import joined, redact, scrubbed
from carerails.graph.request import split_answered
from carerails.graph.review import assess_review_need, edited, output_faults, verified
from carerails.graph.seams import Seams
from carerails.graph.settings import AgentSettings
from carerails.graph.state import ENDING, Call, State, Update, fresh_turn
from carerails.graph.voice import FALLBACK, Voice


class Nodes:
    """The nodes of one graph, with what they need."""

    def __init__(self, seams: Seams, settings: AgentSettings, voice: Voice, outbox: Outbox, desk: Desk) -> None:
        self._seams, self._settings, self._voice = seams, settings, voice
        self._outbox, self._desk = outbox, desk

    async def intake(self, state: State, runtime: Runtime[Call]) -> Update:
        """Begin a turn: number it, forget the last one, keep what is unanswered."""
        call = runtime.context
        number = state.get("turn", 0)
        unanswered = number > 0 and state.get("reply") is None
        died = unanswered and call.supersedes != number
        if not died:
            number += 1
        if number > self._settings.max_turns:
            raise TooManyTurns(self._settings.max_turns)
        call.number = number
        update = fresh_turn(number, state.get("record", []) if unanswered else [], call.request_id)
        update["country"] = call.turn.country or state.get("country")
        if died and (page := await self._outbox.paged(call.thread_id, number)) and page.handoff.severity in ENDING:
            # It died between its page and its checkpoint: what a human was told is what the thread goes on with.
            update["disengaged"] = decision_of(page)
        return update

    async def guardrail_pre(self, state: State, runtime: Runtime[Call]) -> Update:
        """Ask the engine, once; redact the record; page a human if the decision says so."""
        call = runtime.context
        answered, new = split_answered(call.turn.messages)
        pending = tuple(Message(role="user", content=text) for text in state["record"])
        turn = call.turn.model_copy(
            update={
                "messages": (*answered, *pending, *new),
                "previous_locale": state.get("locale"),
                "country": state.get("country"),
            }
        )
        locale: Locale = state.get("locale") or call.floor.locale
        decision = severer(call.floor, await checked(self._seams.engine, turn, self._settings.check_s, locale=locale))
        clean, fault = redact(self._seams.redactor, new, decision.locale)
        record = joined(state["record"], clean)
        decision = scrubbed(decision, record)
        faults = [fault] if fault else []
        if decision.failure:
            faults.append(Fault(where="engine", kind=decision.failure.kind, detail=decision.failure.detail))
        standing = _standing(state.get("disengaged"), decision)
        call.decision = standing or decision
        if decision.severity in self._settings.page_on:
            faults += await self._page(call, decision)
        return {
            "decision": call.decision,
            "record": record,
            "locale": decision.locale,
            "disengaged": call.decision if call.decision.severity in ENDING else None,
            "faults": faults,
        }

    async def retrieve_context(self, state: State) -> Update:
        """Find cards for the redacted question."""
        question, locale = "\n".join(state["record"]), state["decision"].locale
        found = await attempt(
            "retriever", lambda: self._seams.retriever.retrieve(question, locale), Retrieval, self._settings.retrieve_s
        )
        if isinstance(found, Fault):
            return {"faults": [*state["faults"], found]}
        return {"passages": list(found.passages), "no_context": found.no_context}

    async def generate_response(self, state: State) -> Update:
        """Say what needs no model, if that is what there is to say; otherwise draft."""
        decision = state["decision"]
        if decision.decision != "allow":
            return {"draft": await self._voice.answer(decision)}
        if state["faults"]:
            return {"draft": await self._voice.refuse(FALLBACK, decision, state["faults"][-1].where)}
        if not state["passages"]:
            return {"draft": await self._voice.refuse("no-context", decision, state["no_context"] or "")}
        return await self._draft(state)

    async def review_response(self, state: State, config: RunnableConfig) -> Update:
        """Wait for a person, if the draft needs one. Runs again from its top on resume: it opens the same review."""
        need, draft = assess_review_need(state), state["draft"]
        if need is None or draft is None:
            return {}
        thread_id: str = config.get("configurable", {})["thread_id"]
        await self._desk.open(thread_id, state["turn"], need, draft, state["record"], state["passages"])
        answer = interrupt({"review_id": review_id(thread_id, state["turn"]), "reasons": list(need.reasons)})
        verdict = answer["decision"]
        if verdict == "edit":
            return {"verdict": "edit", "draft": edited(answer["text"])}
        if verdict == "reject":
            return {"verdict": "reject", "draft": await self._fallback(state["decision"], "rejected in review")}
        return {"verdict": "approve"}

    async def guardrail_post(self, state: State) -> Update:
        """Nothing that was drafted leaves unverified, unless a person let it go."""
        draft = state["draft"]
        if draft is None:
            return {"draft": await self._fallback(state["decision"], "nothing drafted")}
        if draft.kind != "answer" or state["verdict"] == "approve":
            return {}
        faults = output_faults(draft, verified(self._seams.citations, draft, state["passages"]))
        return {"draft": await self._fallback(state["decision"], ", ".join(faults))} if faults else {}

    async def closing(self, state: State) -> Update:
        """The footer under every reply; with it the turn is answered."""
        draft = state["draft"] or await self._fallback(state["decision"], "nothing drafted")
        return {"reply": await self._voice.close(draft, state["decision"])}

    async def _draft(self, state: State) -> Update:
        decision, passages = state["decision"], state["passages"]
        question = "\n".join(state["record"])
        draft = await attempt(
            "drafter",
            lambda: self._seams.drafter.draft(question, decision.locale, passages),
            Reply,
            self._settings.draft_s,
        )
        if isinstance(draft, Reply) and draft.kind == "refusal":
            # The drafter sees no answer in the cards. It may say so; the words are ours.
            return {"draft": await self._voice.refuse("no-context", decision, "drafter")}
        if isinstance(draft, Reply) and (draft.kind != "answer" or not draft.text.strip()):
            draft = Fault(where="drafter", kind="malformed", detail=draft.kind)
        if isinstance(draft, Fault):
            reply = await self._voice.refuse(FALLBACK, decision, "drafter")
            return {"draft": reply, "faults": [*state["faults"], draft]}
        verification = verified(self._seams.citations, draft, passages)
        faults = [] if verification else [Fault(where="citations", kind="exception")]
        return {"draft": draft, "verification": verification, "faults": [*state["faults"], *faults]}

    async def _page(self, call: Call, decision: TurnDecision) -> list[Fault]:
        """Page once a turn. That it fails never keeps the reply from the user."""
        try:
            await self._outbox.page(page_of(call, decision))
        except Exception as error:
            return [Fault.of("pager", error)]
        call.paged = True
        return []

    async def _fallback(self, decision: TurnDecision, rationale: str) -> Reply:
        return await self._voice.refuse(FALLBACK, decision, rationale)


def _standing(ended: TurnDecision | None, decision: TurnDecision) -> TurnDecision | None:
    """The decision that ended the conversation, said again, unless the new one is at least as severe."""
    if ended is None or RANK[decision.outcome] <= RANK[ended.outcome]:
        return None
    return ended.model_copy(update={"locale": decision.locale, "country": decision.country})
