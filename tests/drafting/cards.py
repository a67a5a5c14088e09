"""Passages for tests, in three locales."""

from __future__ import annotations

from carerails.contracts import Locale, Passage

_SENTENCES: dict[Locale, tuple[str, ...]] = {
    "en": (
        "Unopened insulin keeps best in the fridge.",
        "An insulin pen in use may stay at room temperature.",
        "On a trip, a cool bag keeps insulin away from heat.",
        "Insulin that was frozen is not used any more.",
        "Your pharmacist can show you what the insulin leaflet says about storing.",
    ),
    "es-419": (
        "La insulina sin abrir se guarda mejor en el refrigerador.",
        "La insulina en uso puede quedar a temperatura ambiente.",
        "En un viaje, una bolsa térmica protege la insulina del calor.",
        "La insulina que se congeló ya no se usa.",
        "En la farmacia te muestran qué dice el prospecto de la insulina.",
    ),
    "pt-BR": (
        "A insulina fechada fica melhor na geladeira.",
        "A insulina em uso pode ficar em temperatura ambiente.",
        "Na viagem, uma bolsa térmica protege a insulina do calor.",
        "Insulina que congelou não se usa mais.",
        "Na farmácia mostram o que diz a bula da insulina.",
    ),
}


def passage(card: str = "storage-insulin", locale: Locale = "en", sentences: tuple[str, ...] | None = None) -> Passage:
    """A card on keeping insulin, or any sentences under its id."""
    return Passage(card=card, locale=locale, title="Insulin", sentences=sentences or _SENTENCES[locale])
