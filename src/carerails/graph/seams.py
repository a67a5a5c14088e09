"""What the graph is given: all of it by Protocol, none of it known here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, fields
from typing import Any

from carerails.contracts import (
    ClaimChecker,
    Drafter,
    GuardrailEngine,
    OutputGuard,
    PassageScreener,
    Redactor,
    Retriever,
)


@dataclass(frozen=True, slots=True)
class Seams:
    """The parts of an agent. All are called on one thread, the agent's own.

    Attributes:
        engine: decides.
        floor: the native engine: decides before it, and whatever happens to it.
        retriever: finds cards.
        drafter: writes from them.
        redactor: takes personal data out.
        guard: checks what the drafter says.
        screener: looks at what the retriever finds; None: nobody does.
        claims: checks what the drafter claims against what it cites; None: nobody does.
    """

    engine: GuardrailEngine
    floor: GuardrailEngine
    retriever: Retriever
    drafter: Drafter
    redactor: Redactor
    guard: OutputGuard
    screener: PassageScreener | None = None
    claims: ClaimChecker | None = None

    def managed(self) -> Iterator[AbstractAsyncContextManager[Any]]:
        """The parts that want to be started, each once, the floor first."""
        parts = [self.floor, *(getattr(self, part.name) for part in fields(self))]
        for part in {id(part): part for part in parts}.values():
            if isinstance(part, AbstractAsyncContextManager):
                yield part
