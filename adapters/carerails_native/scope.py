"""Scope: what the agent may answer, as a view of the engine's one decision."""

from __future__ import annotations

from carerails.contracts import GuardrailEngine, ScopeVerdict, Turn


class Scope:
    """`ScopeClassifier` on any engine."""

    def __init__(self, engine: GuardrailEngine) -> None:
        self._engine = engine

    async def classify(self, turn: Turn) -> ScopeVerdict:
        """Decide whether the turn is in scope. A check that fails refuses."""
        return (await self._engine.check(turn)).scope()
