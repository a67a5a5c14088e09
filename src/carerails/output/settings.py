"""What a deployment lets a reply hold, and when it leaves the model alone. Part of the profile; knows nobody."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, model_validator

from carerails.breaker import BreakerLimits
from carerails.contracts import Frozen

Word = Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$")]
Host = Annotated[str, Field(pattern=r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$")]
Number = Annotated[float, Field(allow_inf_nan=False)]
JudgeName = Literal["off", "local", "model"]
Share = Annotated[float, Field(ge=0, le=1)]
Phone = Annotated[str, Field(pattern=r"\d")]


class Quantity(Frozen):
    """A number that a reply may carry: in this unit, from `min` to `max`, both allowed."""

    unit: Annotated[str, Field(min_length=1, max_length=20)]
    min: Number
    max: Number

    @model_validator(mode="after")
    def _consistent(self) -> Quantity:
        if self.min > self.max:
            raise ValueError("min is more than max")
        return self


class OutputSettings(Frozen):
    """The field rules of replies.

    Attributes:
        max_chars: of the text.
        max_citations: cards that one reply may cite.
        actions: what a reply may ask the application to do, a closed set; none: no reply may ask for anything.
        quantities: numbers that a reply may carry, by name.
        min_confidence: a reply that says it is less sure than this is stopped.
        domains: hosts of web and e-mail addresses that a reply may name, with all below them; none: no address at all.
        phones: telephone numbers that a reply may name though nobody has said them; those of `numbers.yml` always are.
        window: characters of a stream that are held back at least, for what is split across chunks.
        judge: who is asked about what no other check finds: `local` the judge that learns from the examples of the
            rails (extra `semantic`), `model` a language model.
        deadline_s: seconds for the rails, and for the judge.
    """

    max_chars: Annotated[int, Field(ge=1, le=20_000)] = 4_000
    max_citations: Annotated[int, Field(ge=1, le=100)] = 20
    actions: tuple[Word, ...] = ()
    quantities: Mapping[Word, Quantity] = Field(default_factory=dict[str, Quantity])
    min_confidence: Share = 0.0
    domains: tuple[Host, ...] = ()
    phones: tuple[Phone, ...] = ()
    window: Annotated[int, Field(ge=100, le=4_000)] = 400
    judge: JudgeName = "off"
    deadline_s: Annotated[float, Field(gt=0, le=60)] = 5.0


class CircuitSettings(BreakerLimits):
    """When the whole agent is left alone, and what it says then.

    Attributes:
        counts_stopped: a reply that the checks stop is a failure too, not only one that never came. Not by default:
            what is asked can bring it about, so a tenant could close the agent to itself, and the check has worked.
            With human review it never is, for a person looks at it.
        serve: besides the fallback text that the user reads: nothing (`template`), call a person (`person`), or keep
            the question and answer it when the circuit closes (`queue`).
        webhook: where the alert is sent, one for each opening; None: it is only logged.
    """

    counts_stopped: bool = False
    serve: Literal["template", "person", "queue"] = "template"
    webhook: Annotated[str, Field(pattern=r"^https?://[^\s]+$")] | None = None
