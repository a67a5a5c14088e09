"""How a deployment runs the model judge: a part of its profile."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from carerails.breaker import BreakerLimits
from carerails.contracts import Frozen


class ModelJudgeSettings(Frozen):
    """Limits of the model judge, and what stands in for it.

    Attributes:
        timeout_s: seconds for one verdict, retries included.
        retries: further attempts after 429, 5xx or a lost connection.
        max_chars: of all messages of a turn; a longer one is not judged, which is a failure.
        sampling_rate: share of the turns on which the rails want a second opinion that the model is asked about; the
            same words always or never. The local judge has the rest.
        breaker: when the endpoint is left alone, and for how long.
        when_open: what then becomes of a turn. `local`: the local judge decides, and what it would only ask about
            escalates; where it is not installed, as `fail`. `fail`: as of any turn whose judge failed.
    """

    timeout_s: Annotated[float, Field(gt=0, le=60)] = 4.0
    retries: Annotated[int, Field(ge=0, le=5)] = 1
    max_chars: Annotated[int, Field(ge=500, le=20_000)] = 20_000
    sampling_rate: Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)] = 1.0
    breaker: BreakerLimits = BreakerLimits(failures=5, open_s=60)
    when_open: Literal["local", "fail"] = "local"
