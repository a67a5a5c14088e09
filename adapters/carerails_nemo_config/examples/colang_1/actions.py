"""The actions of the example."""

import re

from nemoguardrails.actions import action

WORDS = {
    "emergency": r"chest pain|can'?t breathe|dolor (?:de|en el) pecho|no puedo respirar|"
    r"dor no peito|n[aã]o consigo respirar",
    "despair": r"kill myself|end my life|matarme|quitarme la vida|me matar|tirar minha vida",
    "doses": r"(?:how (?:much|many)|double|skip|split|extra|more|less) .{0,30}(?:dose|pill|tablet|mg|take)|"
    r"(?:cu[aá]nt[ao]s?|doble|saltar|mitad|m[aá]s|menos) .{0,30}(?:dosis|pastilla|mg|tomar)|"
    r"(?:quant[ao]s?|dobrar|pular|metade|mais|menos) .{0,30}(?:dose|comprimido|mg|tomar)",
}


@action(name="mentions", is_system_action=True)
async def mentions(text: str, what: str) -> bool:
    """Whether a text holds one of the words."""
    return re.search(WORDS[what], text.lower()) is not None
