"""The always-on gate: the native floor on all that the user said and nobody answered, before whatever can fail."""

from __future__ import annotations

from carerails.contracts import TEMPLATE_OF, Failure, GuardrailEngine, Locale, Turn, TurnDecision
from carerails.graph.faults import Fault, attempt


class Gate:
    """Stands in front of the graph, for chat and voice alike."""

    def __init__(self, floor: GuardrailEngine, deadline_s: float) -> None:
        self._floor, self._deadline_s = floor, deadline_s

    async def check(self, turn: Turn) -> TurnDecision:
        """The floor's decision. Never raises."""
        return await checked(self._floor, turn, self._deadline_s)


async def checked(engine: GuardrailEngine, turn: Turn, deadline_s: float, locale: Locale = "en") -> TurnDecision:
    """An engine's decision. Never raises: one that does not decide has failed, and a failed check escalates.

    Args:
        engine: floor or engine.
        turn: what it is asked.
        deadline_s: seconds it may take.
        locale: of the failed decision, where the turn names none.
    """
    answer = await attempt("engine", lambda: engine.check(turn), TurnDecision, deadline_s)
    if not isinstance(answer, Fault):
        return answer
    return TurnDecision(
        decision="escalate",
        severity="urgent",
        category="check-failed",
        template_slug=TEMPLATE_OF["urgent"],
        locale=turn.locale or turn.previous_locale or locale,
        country=turn.country,
        failed=True,
        failure=Failure(seam="detection", kind=answer.kind, detail=answer.detail),
    )
