"""How a draft fails. The message says what went wrong with the call or the answer, never what the user wrote."""

from __future__ import annotations

from carerails.contracts import FailureKind
from carerails.errors import CarerailsError


class DraftError(CarerailsError):
    """A drafter has no answer to give: the caller shows its fallback.

    Args:
        kind: `timeout`; `exception` (the endpoint failed or cannot be reached); `missing` (a refusal, or nothing to
            answer from); `malformed` (an answer that does not fit the envelope).
        detail: a status or the name of an error; never the user's text, the passages or the model's words.
        raw: what the model said where it does not fit, for whoever keeps it redacted; no message shows it.
        errors: each rule that it breaks, as `confidence-too-low`: words of ours.
    """

    def __init__(self, kind: FailureKind, detail: str, raw: str = "", errors: tuple[str, ...] = ()) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind: FailureKind = kind
        self.detail = detail
        self.raw = raw
        self.errors = errors
