"""Every claim of an answer cites a card that was offered; the envelope lists what the text cites."""

from __future__ import annotations

from collections.abc import Iterator

from carerails.contracts import Exchange, Objection, Reply
from carerails.drafting import MarkerCitations
from carerails.output.checks.own import body
from carerails.output.settings import OutputSettings

_CHECKER = MarkerCitations()


def citations(reply: Reply, exchange: Exchange, settings: OutputSettings) -> Iterator[Objection]:
    """`unknown-citation`, with the ids; `missing-citation`. Only answers make claims."""
    draft = reply.model_copy(update={"text": body(reply.text, exchange)})
    found = _CHECKER.verify(draft, exchange.passages)
    if found.unknown:
        yield Objection(check="citations", reason="unknown-citation", terms=found.unknown)
    if found.uncited or (reply.kind == "answer" and not reply.citations):
        yield Objection(check="citations", reason="missing-citation", terms=found.uncited)
