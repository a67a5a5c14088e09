"""How a decision model fails. The message never holds what was asked or answered."""

from __future__ import annotations

from carerails.contracts import FailureKind
from carerails.errors import CarerailsError


class AnswerError(CarerailsError):
    """There are no answers to a request.

    Args:
        kind: `timeout`; `exception` (refused, throttled, unreachable); `missing`; `malformed`.
        detail: a status or the name of an error.
        too_large: the request was; with fewer units it may be answered.
    """

    def __init__(self, kind: FailureKind, detail: str, *, too_large: bool = False) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind: FailureKind = kind
        self.detail = detail
        self.too_large = too_large
