"""The reply envelope. Whoever scores a reply reads `kind`, never prose."""

from __future__ import annotations

from carerails.contracts.decision import ReplyKind
from carerails.contracts.turn import Frozen


class Reply(Frozen):
    """What the agent says, and what kind of thing it is."""

    kind: ReplyKind
    text: str
    citations: tuple[str, ...] = ()
    rationale: str = ""
