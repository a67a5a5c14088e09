"""The actions of the example."""

import re

from nemoguardrails.actions import action

WORDS = {
    "emergency": r"chest pain|can'?t breathe|dolor (?:de|en el) pecho|no puedo respirar|"
    r"dor no peito|n[aã]o consigo respirar",
    "despair": r"kill myself|end my life|matarme|quitarme la vida|me matar|tirar minha vida",
    "doses": r"(?:how (?:much|many)|double|skip|split|half|stop|extra|more|less) "
    r".{0,40}(?:dose|pill|tablet|mg|tak|medic)|"
    r"(?:cu[aá]nt[ao]s?|doble|saltar|mitad|dejar|partir|m[aá]s|menos) .{0,40}(?:dosis|pastilla|mg|tom|remedio)|"
    r"(?:quant[ao]s?|dobrar|pular|metade|parar|partir|mais|menos) .{0,40}(?:dose|comprimido|mg|tom|rem[eé]dio)",
}


@action(name="mentions", is_system_action=True)
async def mentions(text: str, what: str) -> bool:
    """Whether a text holds one of the words."""
    return re.search(WORDS[what], text.lower()) is not None
