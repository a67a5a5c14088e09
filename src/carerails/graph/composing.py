"""From cards to a draft that was looked at: the only place where the model is called, and the circuit around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from carerails.breaker import Ticket
from carerails.contracts import (
    ClaimReport,
    Exchange,
    Failure,
    Inspection,
    Locale,
    Objection,
    OutputGuard,
    Passage,
    Reply,
)
from carerails.errors import CarerailsError
from carerails.graph.circuit import Circuit
from carerails.graph.faults import Fault, attempt
from carerails.graph.grounding import REASONS, grounded
from carerails.graph.seams import Seams
from carerails.graph.settings import AgentSettings


@dataclass(frozen=True, slots=True)
class Composed:
    """What came of one attempt to answer.

    Attributes:
        draft: what the model said; None: nothing that can be used.
        inspection: of an answer; None where there is none.
        faults: what failed.
        claims: what became of the claims of an answer.
        raw: what the model said where it is no reply at all; never shown to anybody.
        broken: the rules of fields that it breaks then, by the drafter's own words.
        admitted: False: the circuit is open, and nothing was called.
    """

    draft: Reply | None = None
    inspection: Inspection | None = None
    faults: tuple[Fault, ...] = ()
    raw: str = ""
    broken: tuple[str, ...] = ()
    claims: tuple[ClaimReport, ...] = ()
    admitted: bool = True

    @property
    def sound(self) -> bool:
        """There is an answer and nothing is wrong with it, or the model says that there is none."""
        return self.draft is not None and (self.inspection is None or self.inspection.passed)


class Composer:
    """Asks the drafter, if the circuit lets it, and the guard about what it says."""

    def __init__(self, seams: Seams, settings: AgentSettings, circuit: Circuit) -> None:
        self._seams, self._settings, self._circuit = seams, settings, circuit

    async def compose(self, tenant: str, question: str, locale: Locale, passages: Sequence[Passage]) -> Composed:
        """One attempt. Never raises but for cancellation: a circuit that cannot be read counts as open."""
        try:
            ticket = await self._circuit.admit(tenant)
        except Exception as error:
            return Composed(faults=(Fault.of("circuit", error),))
        if ticket is None:
            return Composed(admitted=False)
        try:
            made = await self._made(question, locale, passages)
        except BaseException:
            await self._circuit.abandoned(tenant, ticket)
            raise
        fault = await self._told(tenant, ticket, made)
        return made if fault is None else replace(made, faults=(*made.faults, fault))

    async def blame(self, tenant: str) -> Fault | None:
        """A turn that failed before the model was reached."""
        try:
            ticket = await self._circuit.admit(tenant)
            if ticket is not None:
                await self._circuit.failed(tenant, ticket)
        except Exception as error:
            return Fault.of("circuit", error)
        return None

    async def _made(self, question: str, locale: Locale, passages: Sequence[Passage]) -> Composed:
        raw, broken = "", ()

        async def drafted() -> object:
            nonlocal raw, broken
            try:
                return await self._seams.drafter.draft(question, locale, passages)
            except Exception as error:
                raw = str(getattr(error, "raw", ""))
                if isinstance(error, CarerailsError):  # whose words are ours; a foreign error's may be the user's
                    broken = tuple(getattr(error, "errors", ()))
                raise

        draft = await attempt("drafter", drafted, Reply, self._settings.draft_s)
        if isinstance(draft, Reply) and draft.kind != "refusal" and (draft.kind != "answer" or not draft.text.strip()):
            draft = Fault(where="drafter", kind="malformed", detail=draft.kind)
        if isinstance(draft, Fault):
            return Composed(faults=(draft,), raw=raw, broken=broken)
        if draft.kind == "refusal":
            return Composed(draft=draft)
        exchange = Exchange(question=question, locale=locale, passages=tuple(passages))
        found = await inspected(self._seams.guard, draft, exchange, self._settings.guard_s)
        claims: tuple[ClaimReport, ...] = ()
        if self._seams.claims:
            deadline_s = self._settings.guard_s
            found, claims = await grounded(self._seams.claims, draft, passages, found, deadline_s=deadline_s)
            waits = self._settings.unsure == "review" and self._settings.human_review
            if not waits and self._settings.unsure != "hold":
                found = found.model_copy(update={"objections": tuple(filter(_stops, found.objections))})
        return Composed(draft, found, faults_of(found), claims=claims)

    async def _told(self, tenant: str, ticket: Ticket, made: Composed) -> Fault | None:
        """Tell the circuit how it went."""
        # A reply that is stopped shows that the agent works, unless the profile counts it; with human review it is no
        # loss yet, for a person looks at it.
        counts = self._settings.circuit.counts_stopped and not self._settings.human_review
        failed = bool(made.faults) or (not made.sound and counts)
        try:
            await (self._circuit.failed if failed else self._circuit.succeeded)(tenant, ticket)
        except Exception as error:
            return Fault.of("circuit", error)
        return None


def _stops(objection: Objection) -> bool:
    """Whether an objection keeps a reply back also where nobody is to look at what cannot be told."""
    return objection.reason != REASONS["unsure"]


async def inspected(guard: OutputGuard, reply: Reply, exchange: Exchange, deadline_s: float) -> Inspection:
    """What the guard says; a guard that does not say has failed. Never raises."""
    found = await attempt("guard", lambda: guard.inspect(reply, exchange), Inspection, deadline_s)
    if isinstance(found, Inspection):
        return found
    return Inspection(failures=(Failure(seam="output", kind=found.kind, detail=found.detail),))


def faults_of(inspection: Inspection) -> tuple[Fault, ...]:
    """The checks that did not run."""
    return tuple(Fault(where="guard", kind=failure.kind, detail=failure.detail) for failure in inspection.failures)
