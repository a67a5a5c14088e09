"""The record of a turn: the user's words without personal data, and a decision that quotes nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from carerails.contracts import Locale, Message, Redacted, Redactor, TurnDecision
from carerails.graph.faults import Fault
from carerails.graph.request import text_of
from carerails.graph.state import WITHHELD

REDACTED_TERM = "<redacted>"


def redact(redactor: Redactor, messages: Iterable[Message], locale: Locale) -> tuple[list[str], Fault | None]:
    """The user's messages as they may be stored. One that cannot be redacted is withheld, and so is all of it."""
    record: list[str] = []
    fault: Fault | None = None
    for message in messages:
        if message.role != "user":
            continue
        try:
            clean: object = redactor.redact(text_of(message.content), locale)
        except Exception as error:
            fault, clean = Fault.of("redactor", error), None
        if isinstance(clean, Redacted):
            record.append(clean.text)
        else:
            fault = fault or Fault(where="redactor", kind="malformed", detail=type(clean).__name__)
            record.append(WITHHELD)
    return record, fault


def joined(pending: Sequence[str], new: Sequence[str]) -> tuple[str, ...]:
    """What is unanswered in all. A caller who sends the whole conversation sends the pending messages again."""
    return tuple(new) if tuple(new[: len(pending)]) == tuple(pending) else (*pending, *new)


def scrubbed(decision: TurnDecision, record: Sequence[str]) -> TurnDecision:
    """The decision with only those matched terms that the redacted record still shows."""
    shown = "\n".join(record)
    evidence = tuple(
        item.model_copy(update={"matched_terms": tuple(t if t in shown else REDACTED_TERM for t in item.matched_terms)})
        for item in decision.evidence
    )
    return decision.model_copy(update={"evidence": evidence})
