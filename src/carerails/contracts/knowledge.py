"""What the agent may answer from, and what it says when there is nothing to answer from."""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from carerails.contracts.turn import Frozen, Locale

#: Why a question has no card: nothing on it at all; only another medicine; only another topic of that medicine.
NoContext = Literal["no-match", "other-medicine", "other-topic"]


class Passage(Frozen):
    """One card, in one locale, as it goes into the context.

    Attributes:
        card: the card's id, which `[cite:ID]` names.
        sentences: the card's text, one sentence each, in the order of reading.
        source: where the card's statements come from.
        disagrees: places in `sentences`, from 0, of those that contradict what the question takes for granted.
    """

    card: str
    locale: Locale
    title: str
    sentences: tuple[str, ...]
    source: str = ""
    disagrees: tuple[int, ...] = ()


class Retrieval(Frozen):
    """The cards that answer a question, best first; or none, and why."""

    passages: tuple[Passage, ...] = ()
    no_context: NoContext | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Retrieval:
        if bool(self.passages) == (self.no_context is not None):
            raise ValueError("without passages there is a reason, and only then")
        return self


class Redacted(Frozen):
    """A text without personal data: each item is replaced by its kind, as `<PHONE>`; `kinds` in order of the text."""

    text: str
    kinds: tuple[str, ...] = ()


class Verification(Frozen):
    """What the check of a reply against its cards says.

    Attributes:
        unknown: ids that are cited and that no passage has.
        uncited: sentences that make a claim and cite nothing.
    """

    unknown: tuple[str, ...] = ()
    uncited: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        """Every claim cites a passage that was there."""
        return not self.unknown and not self.uncited
