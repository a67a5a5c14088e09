"""Refusals: what the user reads, refusal and escalation templates alike."""

from __future__ import annotations

from carerails.contracts import GuardrailEngine, Locale, Refusal


class Refusals:
    """`RefusalRenderer` on any engine."""

    def __init__(self, engine: GuardrailEngine) -> None:
        self._engine = engine

    async def render(self, slug: str, locale: Locale, country: str | None = None) -> Refusal:
        """The text of a template with the country's numbers. Raises KeyError for an unknown slug."""
        return await self._engine.render(slug, locale, country)
