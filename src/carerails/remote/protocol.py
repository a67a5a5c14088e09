"""The lines of the protocol, strictly read: docs/process-protocol.md."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from carerails.contracts import FailureKind, Findings, RuleHit, Ruling
from carerails.errors import EngineError

#: Raised when a line means something else than before; a new optional field does not change it.
VERSION = 1
#: Bytes of one line; a longer one is garbage.
LIMIT = 10_000_000

Line = dict[str, Any]
Answer = TypeVar("Answer", bound=BaseModel)
Word = Annotated[str, Field(min_length=1, max_length=200)]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Hello(_Strict):
    """Who the engine is. Answered before anything is loaded."""

    protocol: int
    name: Word
    version: Word
    capabilities: frozenset[Word]


class Ready(_Strict):
    """The engine is started. `notes` are lines for whoever started it."""

    ready: bool
    unsupported: Mapping[str, str] = {}
    notes: tuple[str, ...] = ()


class Found(_Strict):
    """Findings: hits as `[rule, [term, ...]]`."""

    hits: tuple[tuple[str, tuple[str, ...]], ...]
    rulings: tuple[Ruling, ...] = ()

    def findings(self) -> Findings:
        """As an engine says them."""
        return Findings(hits=tuple(RuleHit(rule=r, terms=t) for r, t in self.hits), rulings=self.rulings)

    @classmethod
    def line(cls, findings: Findings) -> Line:
        """As a line says them."""
        rulings = [ruling.model_dump() for ruling in findings.rulings]
        return {"hits": [[hit.rule, list(hit.terms)] for hit in findings.hits], "rulings": rulings}


class Rendered(_Strict):
    """The text of a template; null: there is no such template."""

    text: str | None


class Error(_Strict):
    """Why there is no answer. `detail` never holds the user's text."""

    kind: FailureKind
    detail: str = ""


def read(model: type[Answer], line: Mapping[str, Any]) -> Answer:
    """An answer as it must be.

    Raises:
        EngineError: the child says that it failed, or what it says is malformed.
    """
    body = {key: value for key, value in line.items() if key != "id"}
    failed: Error | None = None
    try:
        if "error" not in body:
            return model.model_validate_json(json.dumps(body), strict=True)
        failed = Error.model_validate(body["error"])
    except (ValidationError, ValueError):
        pass  # its message quotes what was sent: raised below, without it
    raise EngineError(failed.kind, failed.detail) if failed else EngineError("malformed", "not an answer")
