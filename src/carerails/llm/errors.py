"""How a question to a model fails. The message says what went wrong with call or answer, never what was said."""

from __future__ import annotations

from carerails.contracts import FailureKind
from carerails.errors import CarerailsError


class EndpointError(CarerailsError):
    """There is no answer.

    Args:
        kind: `timeout`; `exception` (the endpoint failed or cannot be reached); `missing` (a refusal, or an empty
            answer); `malformed` (an answer that does not fit).
        detail: a status or the name of an error; never the user's text or the model's words.
    """

    def __init__(self, kind: FailureKind, detail: str) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind: FailureKind = kind
        self.detail = detail
