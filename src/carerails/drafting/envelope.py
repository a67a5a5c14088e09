"""What a model must answer: one strict JSON object, or it is a failure. Nothing is guessed, nothing is mended."""

from __future__ import annotations

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


#: The envelope for `response_format`. Strict schemas take no bounds on lengths; those are checked on what comes back.
RESPONSE_FORMAT: dict[str, Any] = {
    "type": "json_schema",
    "json_schema": {
        "name": "reply",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {
                "kind": {"type": "string", "enum": ["answer"]},
                "text": {"type": "string", "description": "The answer, with a [cite:ID] marker beside every claim."},
                "citations": {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "The ids of the markers, each once, in order of the text.",
                },
            },
            "required": ["kind", "text", "citations"],
            "additionalProperties": False,
        },
    },
}


def read_envelope(content: str) -> Envelope:
    """Read the answer.

    Raises:
        DraftError: `malformed`; names the field that does not fit, never what stands in it.
    """
    try:
        return read_answer(content, Envelope)
    except EndpointError as error:
        raise DraftError(error.kind, error.detail, content) from None
