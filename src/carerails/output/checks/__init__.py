"""The checks of a reply that need neither rails nor model. Each takes the reply and what it answers; any may raise.

To add one: a module here with a function, and its line in the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from carerails.contracts import Exchange, Objection, Reply
from carerails.output.checks.citations import citations
from carerails.output.checks.fields import fields
from carerails.output.checks.footer import footer
from carerails.output.checks.identity import identity
from carerails.output.checks.language import language
from carerails.output.settings import OutputSettings

Check = Callable[[Reply, Exchange, OutputSettings], Iterable[Objection]]

#: In the order in which they are told: the reply as a whole, what it cites, whom it names, how it is written.
CHECKS: dict[str, Check] = {
    "fields": fields,
    "citations": citations,
    "identity": identity,
    "language": language,
    "footer": footer,
}

__all__ = ["CHECKS", "Check"]
