"""What the agent says without a model: templates and the footer. It always says something."""

from __future__ import annotations

import logging
from functools import partial

from carerails.contracts import (
    TEMPLATE_OF,
    GuardrailEngine,
    Locale,
    Refusal,
    RefusalSlug,
    Reply,
    RestingTemplate,
    TurnDecision,
)
from carerails.graph.faults import Fault, attempt

FOOTER = "footer"
FALLBACK: RefusalSlug = "default"

#: For when neither engine nor floor can render. Numbers come from config, so here is none.
LAST_RESORT: dict[str, dict[Locale, str]] = {
    "escalation": {
        "en": "This may need help right now. Please call your local emergency number, or ask someone near you to call.",
        "es-419": "Esto puede necesitar ayuda ya. Llama al número de emergencias de tu país o pide que alguien llame.",
        "pt-BR": "Isso pode precisar de ajuda agora. Ligue para a emergência da sua região ou peça que alguém ligue.",
    },
    "refusal": {
        "en": "I can't help with that right now. Your pharmacist or doctor can guide you.",
        "es-419": "Con eso no te puedo ayudar ahora. Tu farmacia o tu médico pueden orientarte.",
        "pt-BR": "Com isso não consigo ajudar agora. A farmácia ou o seu médico podem orientar.",
    },
    FOOTER: {
        "en": "Demonstration, not medical advice.",
        "es-419": "Demostración: no es un consejo médico.",
        "pt-BR": "Demonstração: não é orientação médica.",
    },
}
_ESCALATIONS = frozenset(TEMPLATE_OF.values())

log = logging.getLogger(__name__)


class Voice:
    """Renders with the engine; where it cannot, with the floor; where neither can, from `LAST_RESORT`."""

    def __init__(self, engine: GuardrailEngine, floor: GuardrailEngine, deadline_s: float) -> None:
        self._deadline_s = deadline_s
        self._renderers = (engine, floor) if engine is not floor else (engine,)

    async def say(self, slug: str, locale: Locale, country: str | None) -> str:
        """The text of a template. Never raises, never empty."""
        said = await self._rendered(slug, locale, country)
        if said:
            return said
        kind = FOOTER if slug == FOOTER else "escalation" if slug in _ESCALATIONS else "refusal"
        return LAST_RESORT[kind][locale]

    async def _rendered(self, slug: str, locale: Locale, country: str | None) -> str:
        """What an engine makes of a template; empty where none does."""
        for renderer in self._renderers:
            said = await attempt("engine", partial(renderer.render, slug, locale, country), Refusal, self._deadline_s)
            if isinstance(said, Refusal) and said.text.strip():
                return said.text
            log.error("template %s not rendered: %s", slug, said if isinstance(said, Fault) else "empty")
        return ""

    async def refuse(self, slug: RefusalSlug, decision: TurnDecision, rationale: str) -> Reply:
        """A refusal in the decision's locale."""
        text = await self.say(slug, decision.locale, decision.country)
        return Reply(kind="refusal", text=text, template=slug, rationale=rationale)

    async def rest(self, template: RestingTemplate, decision: TurnDecision, rationale: str) -> Reply:
        """What is said while the model is left alone; the fallback, where the rails have no such text."""
        text = await self._rendered(template, decision.locale, decision.country)
        if not text:
            return await self.refuse(FALLBACK, decision, rationale)
        return Reply(kind="refusal", text=text, template=template, rationale=rationale)

    async def answer(self, decision: TurnDecision) -> Reply:
        """What a decision other than allow says by itself."""
        where = decision.category or ""
        if decision.decision == "refuse":
            return await self.refuse(decision.slug or FALLBACK, decision, where)
        text = await self.say(decision.template_slug or FALLBACK, decision.locale, decision.country)
        if decision.decision == "escalate":
            return Reply(kind="escalation", text=text, template=decision.template_slug, rationale=where)
        if decision.slug:
            text += "\n\n" + await self.say(decision.slug, decision.locale, decision.country)
        return Reply(kind="check-in", text=text, template=decision.template_slug, rationale=where)

    async def close(self, reply: Reply, decision: TurnDecision) -> Reply:
        """The reply as it is sent: with the footer."""
        footer = await self.say(FOOTER, decision.locale, decision.country)
        return reply.model_copy(update={"text": f"{reply.text}\n\n{footer}"})
