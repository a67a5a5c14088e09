"""Cases of the output guard: a reply with what it answers, and whether it may leave."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from carerails.config import load_yaml
from carerails.contracts import Frozen, ReplyKind
from carerails.errors import unknown
from carerails.evals.agent_cases import AgentCase, AgentSpec, CardId, Said, read_cases
from carerails.evals.cases import digest_of
from carerails.resources import data_dir

#: Slices whose cases are replies.
REPLY_SLICES = ("output",)


class ReplyCase(AgentCase):
    """One reply.

    Attributes:
        question: what it answers.
        reply: with its `[cite:ID]` marks.
        cards: that were offered.
        kind: of the reply.
        sent: it is as it would be sent, so the footer is due.
        expected: `stop`: it must not leave.
        reason: why it must not; others may be found beside it.
    """

    question: Said
    reply: Said
    cards: tuple[CardId, ...] = ()
    kind: ReplyKind = "answer"
    sent: bool = False
    expected: Literal["stop", "pass"]
    reason: Annotated[str, Field(pattern=r"^[a-z]+(-[a-z]+)*$")] | None = None

    @model_validator(mode="after")
    def _consistent(self) -> ReplyCase:
        if (self.expected == "stop") != (self.reason is not None):
            raise ValueError("a reply that must not leave has a reason, and only such a one")
        return self

    def said(self) -> str:
        """The case as a person reads it."""
        return f"{self.question} / {self.reply}"


class ReplySlice(Frozen):
    """A slice of replies."""

    name: str
    spec: AgentSpec
    cases: tuple[ReplyCase, ...]

    @cached_property
    def digest(self) -> str:
        """Of all cases in their order: the same digest is the same data."""
        return digest_of((case.id, case.hash) for case in self.cases)


def load_reply_slice(name: str, directory: Path | None = None) -> ReplySlice:
    """One of the slices of replies, from a directory (None: the one that is shipped).

    Raises:
        UsageError: unknown name, or a broken file with its line.
    """
    if name not in REPLY_SLICES:
        raise unknown("slice", name, REPLY_SLICES)
    place = directory or data_dir("evals") / "slices" / "output"
    cases = read_cases(place / f"{name}.jsonl", ReplyCase)
    return ReplySlice(name=name, spec=load_yaml(place / f"{name}.yml", AgentSpec), cases=cases)
