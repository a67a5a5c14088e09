"""How a deployment screens: the keys of `screening:` in a profile."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from carerails.contracts import Frozen

Probability = Annotated[float, Field(ge=0, le=1)]
ModelName = Literal["local", "system-one", "openai"]


class ScreeningSettings(Frozen):
    """What goes into the model's context, and which claims are looked at.

    Attributes:
        enabled: whether passages are screened and claims checked at all.
        model: who answers: `local` needs no key; `system-one` and `openai` ask the endpoint that the environment names.
        semantic: whether the local model compares meaning for relevance; null: where the extra is installed.
        head: whether the local model's learnt head looks for instructions beside the rules, whatever model answers;
            null: where the extra is installed; false: the rules alone.
        discard_at: probability of instructions from which a unit is discarded.
        whole_source: discard all of a source that has such a unit, and not the unit alone.
        mark_at: probability of a contradiction from which a unit is marked.
        min_relevance: level from 0 to 3 below which a unit is left out; 0 leaves none out: a retriever knows better;
            0.5 is for sources that nobody chose.
        budget_tokens: what the context may take; the least relevant units go first.
        support_confidence: below it, a verdict on a claim counts as `cannot tell`.
        stronger: who is asked about a claim that the first model cannot tell; null: nobody.
        unsure: what happens to a reply with a claim that nobody can tell. `send`: it is logged, and goes; the local
            model cannot tell most claims in other words, so this is the default with it. `review`: it waits for a
            person where there is one. `hold`: it never goes by itself.
        batch: units of one request.
        timeout_s: seconds for all requests of one turn.
        keep_text: log the units' text too, and not only their hashes.
    """

    enabled: bool = True
    model: ModelName = "local"
    semantic: bool | None = False
    head: bool | None = None
    discard_at: Probability = 0.5
    whole_source: bool = False
    mark_at: Probability = 0.5
    min_relevance: Annotated[float, Field(ge=0, le=3)] = 0.0
    budget_tokens: Annotated[int, Field(ge=50, le=1_000_000)] = 3_000
    support_confidence: Probability = 0.5
    stronger: ModelName | None = None
    unsure: Literal["send", "review", "hold"] = "send"
    batch: Annotated[int, Field(ge=1, le=85)] = 24
    timeout_s: Annotated[float, Field(gt=0, le=60)] = 4.0
    keep_text: bool = False
