"""What kind of reply a free text is: an answer, a refusal or an escalation. Of use only where a reply has no `kind`.

The agent's own replies say what they are (`carerails.contracts.Reply`), and nobody reads their prose. A bare model's
reply, or that of somebody else's rails, is prose alone. Its words are read (`clauses.py`); where they are those of an
answer and the extra `semantic` is installed, so is its meaning (`meaning.py`). docs/kinds.md says how, and how often
rightly.
"""

from __future__ import annotations

from carerails.kinds.clauses import Kind, Reading, by_words, severity
from carerails.semantic import is_installed

#: Shorter replies have no meaning that could be told from courtesy: `I'm sorry.`
FEWEST_WORDS = 5


def read_kind(text: str, *, meaning: bool | None = None) -> Reading:
    """What kind of reply a text is; one without a word is an answer that says nothing.

    Args:
        meaning: whether meaning is read too; None: where the extra `semantic` is installed.
    """
    reading = by_words(text)
    wanted = is_installed() if meaning is None else meaning
    if reading.kind != "answer" or not wanted or len(text.split()) < FEWEST_WORDS:
        return reading
    from carerails.kinds.meaning import by_meaning

    kind = by_meaning(text)
    return Reading(kind, severity(text) if kind == "escalation" else None)


def reader() -> str:
    """By what replies are read here."""
    return "meaning" if is_installed() else "words"


__all__ = ["Kind", "Reading", "read_kind", "reader"]
