"""Escalation: the red flags of a turn, as a view of the engine's one decision."""

from __future__ import annotations

from carerails.contracts import EscalationDecision, GuardrailEngine, Turn


class Escalation:
    """`EscalationDetector` on any engine."""

    def __init__(self, engine: GuardrailEngine) -> None:
        self._engine = engine

    async def detect(self, turn: Turn) -> EscalationDecision:
        """Decide whether the turn escalates. A check that fails escalates."""
        return (await self._engine.check(turn)).escalation()
