"""The agent's structured reply: read strictly, by the deployment's field rules; never an exception, data or errors.

Nothing is guessed and nothing is mended: `"0.9"` is no number, `1.2` is no share, an unknown key is an error. Errors
name fields and rules, and never what stood there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from carerails.contracts import Frozen, Reply
from carerails.drafting.envelope import Envelope
from carerails.llm import EndpointError, read_answer
from carerails.output.settings import OutputSettings, Word


class Amount(Frozen):
    """One number of a reply, in its unit."""

    value: Annotated[float, Field(strict=True, allow_inf_nan=False)]
    unit: str


class StructuredReply(Envelope):
    """What a model may answer: the envelope of a draft, and what only some deployments ask for.

    Attributes:
        action: what the application is to do; None: nothing.
        confidence: how sure the model says it is, from 0 to 1.
        quantities: numbers by name; None: the model gives none of that name.
    """

    action: Word | None = None
    confidence: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = None
    quantities: dict[str, Amount | None] = Field(default_factory=dict[str, "Amount | None"])

    def reply(self) -> Reply:
        """As a graph takes it."""
        return Reply(kind=self.kind, text=self.text, citations=tuple(self.citations))


class FieldError(Frozen):
    """One field that does not fit: `field` is a name of ours, `error` a word for the rule that it breaks."""

    field: str
    error: str

    def __str__(self) -> str:
        return f"{self.field}-{self.error}"


@dataclass(frozen=True, slots=True)
class Parsed:
    """A reply, or why there is none; never both."""

    data: StructuredReply | None
    errors: tuple[FieldError, ...] = ()


def parse_reply(raw: object, rules: OutputSettings) -> Parsed:
    """Read what a model said.

    Args:
        raw: its text; anything else is an error like any other.
        rules: of the deployment.
    """
    if not isinstance(raw, str):
        return Parsed(None, (FieldError(field="reply", error="not-text"),))
    try:
        data = read_answer(raw, StructuredReply)
    except EndpointError as error:
        field, _, what = error.detail.partition(": ")
        return Parsed(None, (FieldError(field=field, error=what),))
    errors = tuple(_broken(data, rules))
    return Parsed(None if errors else data, errors)


def _broken(data: StructuredReply, rules: OutputSettings) -> Iterator[FieldError]:
    """The deployment's rules that a well-formed reply breaks."""
    if len(data.text) > rules.max_chars:
        yield FieldError(field="text", error="too-long")
    if len(data.citations) > rules.max_citations:
        yield FieldError(field="citations", error="too-many")
    if data.action is not None and data.action not in rules.actions:
        yield FieldError(field="action", error="not-in-set")
    if data.confidence is not None and data.confidence < rules.min_confidence:
        yield FieldError(field="confidence", error="too-low")
    if data.confidence is None and rules.min_confidence > 0:
        yield FieldError(field="confidence", error="missing")
    for name, amount in data.quantities.items():
        known = rules.quantities.get(name)
        if known is None:
            yield FieldError(field="quantities", error="unknown-quantity")
        elif amount is None:
            continue
        elif amount.unit != known.unit:
            yield FieldError(field="quantities", error="wrong-unit")
        elif not known.min <= amount.value <= known.max:
            yield FieldError(field="quantities", error="out-of-range")
