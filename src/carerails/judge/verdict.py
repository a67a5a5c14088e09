"""What the judge must answer: one strict JSON object that fits the rubric and itself, or the judge has failed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from carerails.judge.rubric import Rubric
from carerails.llm import EndpointError, read_answer

NONE = "none"
#: A category that is named has at least this score, as the rubric's scales say: named and denied is no verdict.
FLOOR = 0.2

#: A finite number from 0 to 1: no string, no boolean, and what lies outside is a failure, never clamped.
Score = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]


class Verdict(BaseModel):
    """The judge's answer.

    Attributes:
        category: of the rubric's dangers, the one that fits best, or `none`.
        scores: of every danger and every reason of the rubric, how likely it is.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    category: str
    scores: Mapping[str, Score]


def response_format(rubric: Rubric) -> Mapping[str, Any]:
    """The verdict for `response_format`. Bounds are checked on what comes back: strict schemas take none."""
    scores = {name: {"type": "number", "description": "From 0.0 to 1.0."} for name in rubric.scores}
    properties = {
        "category": {"type": "string", "enum": [NONE, *rubric.danger_of]},
        "scores": _closed(scores),
    }
    return {"type": "json_schema", "json_schema": {"name": "verdict", "strict": True, "schema": _closed(properties)}}


def _closed(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def read_verdict(content: str, rubric: Rubric) -> Verdict:
    """Read an answer.

    Raises:
        EndpointError: `malformed`; names the field that does not fit, never what stands in it.
    """
    verdict = read_answer(content, Verdict)
    if missing := [name for name in rubric.scores if name not in verdict.scores]:
        raise EndpointError("malformed", f"scores: {missing[0]} is missing")
    if len(verdict.scores) > len(rubric.scores):
        raise EndpointError("malformed", "scores: one that was not asked for")
    if verdict.category != NONE:
        danger = rubric.danger_of.get(verdict.category)
        if danger is None:
            raise EndpointError("malformed", "category: no such category")
        if verdict.scores[danger] < FLOOR:
            raise EndpointError("malformed", "category: named, and its score denies it")
    return verdict
