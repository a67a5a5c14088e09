"""What a model must answer: one strict JSON object, or it is a failure. Nothing is guessed, nothing is mended."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from carerails.drafting.errors import DraftError
from carerails.llm import EndpointError, read_answer

#: Characters of an answer, and ids in it: beyond these it is no answer to one question.
MAX_TEXT, MAX_CITATIONS = 4_000, 20


class Envelope(BaseModel):
    """The model's answer: the kind, the text with its `[cite:ID]` markers, and the ids in order of the text."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    kind: Literal["answer"]
    text: Annotated[str, Field(min_length=1, max_length=MAX_TEXT, pattern=r"\S")]
    citations: Annotated[list[Annotated[str, Field(min_length=1, max_length=80)]], Field(max_length=MAX_CITATIONS)]


def response_format(more: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The envelope for `response_format`, with further fields, each by the JSON schema of its value.

    Strict schemas take no bounds on lengths and need every field; what comes back is checked against the rest.
    """
    properties = {
        "kind": {"type": "string", "enum": ["answer"]},
        "text": {"type": "string", "description": "The answer, with a [cite:ID] marker beside every claim."},
        "citations": {
            "type": "array",
            "items": {"type": "string"},
            "description": "The ids of the markers, each once, in order of the text.",
        },
        **(more or {}),
    }
    schema = {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}
    return {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": schema}}


def read_envelope(content: str) -> Envelope:
    """Read the answer.

    Raises:
        DraftError: `malformed`; names the field that does not fit, never what stands in it.
    """
    try:
        return read_answer(content, Envelope)
    except EndpointError as error:
        raise DraftError(error.kind, error.detail, content) from None


@dataclass(frozen=True, slots=True)
class Form:
    """What a model is asked to answer, and how that is read.

    Attributes:
        response_format: as chat completions takes it.
        asks: what the prompt says of fields beside those of the envelope, a line each.
        read: gives the envelope of an answer, or raises a `DraftError` that says nothing of what stands in it.
    """

    response_format: Mapping[str, Any]
    asks: tuple[str, ...]
    read: Callable[[str], Envelope]


#: The envelope alone.
PLAIN = Form(response_format(), (), read_envelope)
