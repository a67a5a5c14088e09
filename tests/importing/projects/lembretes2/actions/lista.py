# ruff: noqa
import re

from nemoguardrails.actions import action


@action(name="verifica_lista")
async def verifica(texto: str) -> bool:
    """Falso quando alguém fala de golpe."""
    achado = re.search("|".join(["pix premiado", r"clique\s+no link"]), texto)
    if achado:
        return False
    return True


@action()
def conta(texto: str):
    total = 0
    while texto:
        total += 1
    return total
