"""What a model must answer: one strict JSON object, or it is a failure. Nothing is guessed, nothing is mended."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from carerails.drafting.errors import DraftError

#: Characters of an answer, and ids in it: beyond these it is no answer to one question.
MAX_TEXT, MAX_CITATIONS = 4_000, 20

_FENCED = re.compile(r"\s*```(?:json)?\s*\n(?P<inside>.*)\n\s*```\s*", re.DOTALL)


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
    """Read the answer. A code fence around the whole of it is taken off; a word before or after it is not.

    Raises:
        DraftError: `malformed`; names the field that does not fit, never what stands in it.
    """
    fenced = _FENCED.fullmatch(content)
    try:
        return Envelope.model_validate_json(fenced["inside"] if fenced else content)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        # Only names of ours: the path of an unknown key is what the model wrote.
        field = str(first["loc"][0]) if first["loc"] else ""
        detail = f"{field if field in Envelope.model_fields else 'reply'}: {first['type']}"
    raise DraftError("malformed", detail)
