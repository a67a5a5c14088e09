"""A card to write into a temporary directory, whole or with one thing changed."""

from __future__ import annotations

from pathlib import Path

CARD = """\
topic: storage
medicines: [insulin]
about: [fridge, travel, heat]
source: Written for a test; synthetic
licence: Apache-2.0
texts:
  en:
    title: Keeping insulin cool
    asks:
      - how do i keep my insulin cold when i travel
      - does insulin go in the fridge
      - where do i store my insulin at home
      - my insulin was in a hot car
      - is insulin ok out of the fridge
      - insulin and hot weather
    sentences:
      - Insulin that is not yet open keeps best in the fridge.
      - The leaflet says how long an open insulin pen may stay outside.
      - On a trip a cool bag keeps insulin away from heat and ice.
      - A pharmacist can tell you whether insulin that got hot is still good.
  es-419:
    title: Mantener fresca la insulina
    asks:
      - como llevo la insulina fria de viaje
      - la insulina va en la heladera
      - donde guardo la insulina en casa
      - la insulina quedo en el auto con calor
      - la insulina puede estar fuera de la nevera
      - insulina y calor
    sentences:
      - La insulina sin abrir se conserva mejor en la heladera.
      - El prospecto aclara hasta cuándo sirve la insulina que ya está abierta.
      - De viaje, una bolsa fresca protege la insulina del calor y del hielo.
      - En la farmacia te dicen si la insulina que pasó calor todavía sirve.
  pt-BR:
    title: Manter a insulina fresca
    asks:
      - como levo a insulina gelada na viagem
      - a insulina vai na geladeira
      - onde guardo a insulina em casa
      - a insulina ficou no carro quente
      - a insulina pode ficar fora da geladeira
      - insulina e calor
    sentences:
      - A insulina fechada fica melhor guardada na geladeira.
      - A bula diz quanto tempo a insulina aberta pode ficar fora.
      - Na viagem, uma bolsa térmica protege a insulina do calor e do gelo.
      - Na farmácia dizem se a insulina que pegou calor ainda presta.
"""


def write_card(home: Path, name: str = "storage-insulin.yml", *changes: tuple[str, str]) -> Path:
    """Write the card, each change being a text in it and what stands there instead."""
    text = CARD
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def line_with(text: str) -> int:
    """The line of the card that holds a text, counted from 1."""
    return next(number for number, line in enumerate(CARD.splitlines(), 1) if text in line)
