"""The reply envelope. Whoever scores a reply reads `kind`, never prose."""

from __future__ import annotations

from carerails.contracts.decision import EscalationTemplate, RefusalSlug, ReplyKind, RestingTemplate
from carerails.contracts.turn import Frozen


class Reply(Frozen):
    """What the agent says, and what kind of thing it is.

    Attributes:
        template: slug of the template that it is made of; None for an answer, which was drafted.
        citations: ids of the cards that an answer cites, in order of the text.
        rationale: why this, in a few words; for logs and reviewers, not for the user.
    """

    kind: ReplyKind
    text: str
    template: EscalationTemplate | RefusalSlug | RestingTemplate | None = None
    citations: tuple[str, ...] = ()
    rationale: str = ""
