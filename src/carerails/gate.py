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
        floor = await self._floor.check(turn)
        decision = await self._engine.check(turn)
        if floor.severity and RANK[floor.outcome] < RANK[decision.outcome]:
            return floor.model_copy(
                update={"engine": decision.engine, "failed": decision.failed, "failure": decision.failure}
            )
        return decision
