"""The footer ends every reply that is sent."""

from __future__ import annotations

from collections.abc import Iterator

from carerails.contracts import Exchange, Objection, Reply
from carerails.output.settings import OutputSettings


def footer(reply: Reply, exchange: Exchange, settings: OutputSettings) -> Iterator[Objection]:
    """`missing-footer`, where one is due."""
    if exchange.footer is not None and not reply.text.rstrip().endswith(exchange.footer):
        yield Objection(check="footer", reason="missing-footer")
