"""The always-on gate: the native floor's red flags in front of any engine; nothing behind it can lower them."""

from __future__ import annotations

from carerails.contracts import RANK, GuardrailEngine, Turn, TurnDecision


class GatedEngine:
    """Any engine behind the floor. Where the floor escalates, the more severe of both decisions stands."""

    def __init__(self, engine: GuardrailEngine, floor: GuardrailEngine) -> None:
        self._engine, self._floor = engine, floor
        self.fingerprint = engine.fingerprint  # the floor is of the same rails

    async def check(self, turn: Turn) -> TurnDecision:
        """Decide one turn."""
        return severer(await self._floor.check(turn), await self._engine.check(turn))


def severer(floor: TurnDecision, decision: TurnDecision) -> TurnDecision:
    """Where the floor escalates, the more severe of both stands; a failure of either stays told."""
    if floor.severity is None:
        return decision
    failure = decision.failure or floor.failure
    told = {"failed": failure is not None, "failure": failure}
    if RANK[floor.outcome] >= RANK[decision.outcome]:
        return decision.model_copy(update=told)
    own = {"engine": decision.engine, "locale": decision.locale, "country": decision.country}
    return floor.model_copy(update=own | told)
