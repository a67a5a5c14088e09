"""Reading what a model answered: one strict JSON object, or it is a failure. Nothing is guessed, nothing is mended."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from carerails.llm.errors import EndpointError

Answer = TypeVar("Answer", bound=BaseModel)

_FENCED = re.compile(r"\s*```(?:json)?\s*\n(?P<inside>.*)\n\s*```\s*", re.DOTALL)


def read_answer(content: str, model: type[Answer]) -> Answer:
    """Read an answer into a strict model. A code fence around the whole of it is taken off; words around it are not.

    A key that is said twice is no answer either: readers differ in which of the two they take.

    Raises:
        EndpointError: `malformed`; names the field that does not fit, never what stands in it.
    """
    fenced = _FENCED.fullmatch(content)
    inside = fenced["inside"] if fenced else content
    try:
        answer = model.model_validate_json(inside)
        json.loads(inside, object_pairs_hook=_once)
        return answer
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        # Only names of ours: the path of an unknown key is what the model wrote.
        field = str(first["loc"][0]) if first["loc"] else ""
        detail = f"{field if field in model.model_fields else 'reply'}: {first['type']}"
    except (ValueError, RecursionError):
        detail = "reply: a key is said twice"
    raise EndpointError("malformed", detail)


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found
