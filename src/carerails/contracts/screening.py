"""Typed questions about a text and their typed answers (the System One wire format), and what screening makes of them.

A model that answers is a filter, not a boundary: text in the state can move its answers. So nothing here is clamped,
filled in or guessed: an answer that does not fit its question is a failure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isclose
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, model_validator

from carerails.contracts.decision import FailureKind
from carerails.contracts.knowledge import Passage
from carerails.contracts.turn import Frozen, Locale

#: Probabilities add up to 1 within this, and a score lies this near to the mean of its levels: servers round.
TOLERANCE = 0.02

#: What a question asks; a model that knows only some of them answers only those.
Asks = Literal["relevance", "contradiction", "instructions", "support"]
Probability = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Key = Annotated[str, Field(pattern=r"^u[1-9][0-9]*$")]
Described = Annotated[str, Field(min_length=1)]


class Unit(Frozen):
    """The smallest thing that is kept or dropped: a sentence of a passage, a field of a tool's result, a claim.

    Attributes:
        key: `u1`, `u2` and so on, within one state.
        source: the card, tool or document that it is from.
        place: where in its source: the number of the sentence from 1, or the path of the field, as `items[0].note`.
        about: the title of the source, which a sentence may take for granted.
        against: of a claim, what it cites.
    """

    key: Key
    text: str
    source: str = ""
    place: str = ""
    about: str = ""
    against: str = ""


class Asking(Frozen):
    """The state that questions are asked about: units, and the user's question, redacted."""

    question: str
    locale: Locale
    units: tuple[Unit, ...]


class _Asked(Frozen):
    """What every question has: what it asks, of which unit, and how that is put to a language model."""

    asks: Asks
    unit: Key
    instructions: Described


class Noul(_Asked):
    """Yes or no. `yes` and `no` describe what counts as either."""

    yes: Described
    no: Described


class Choice(_Asked):
    """One of several options, 1 to 255, each described."""

    options: Annotated[Mapping[Described, Described], Field(min_length=1, max_length=255)]


class Score(_Asked):
    """A level of several, 2 to 10, described from the lowest."""

    levels: Annotated[tuple[Described, ...], Field(min_length=2, max_length=10)]

    @property
    def top(self) -> int:
        """The highest level; the lowest is 0."""
        return len(self.levels) - 1


Question: TypeAlias = Noul | Choice | Score


class _Answered(BaseModel):
    """Strict: `true`, `"0.8"` and NaN are no numbers here.

    Attributes:
        evidence: names of the rules behind the answer, where rules answered; never text.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
    evidence: tuple[str, ...] = ()


class NoulAnswer(_Answered):
    """`noul` is the probability of yes. There is no confidence: the probability is all that is known."""

    noul: Probability


class ChoiceAnswer(_Answered):
    """`confidence` says how concentrated the probabilities are, not whether the choice is right."""

    choice: str
    probabilities: Mapping[str, Probability]
    confidence: Probability

    @model_validator(mode="after")
    def _consistent(self) -> ChoiceAnswer:
        _adds_up(self.probabilities.values())
        if self.probabilities.get(self.choice, -1.0) < max(self.probabilities.values()):
            raise ValueError("the choice is not the likeliest option")
        return self


class ScoreAnswer(_Answered):
    """`score` is the mean of the levels, weighted by their probabilities: from 0 to n-1 of n levels, and not to 1."""

    score: Annotated[float, Field(ge=0, le=9, allow_inf_nan=False)]
    probabilities: Annotated[tuple[Probability, ...], Field(min_length=2, max_length=10)]
    confidence: Probability

    @model_validator(mode="after")
    def _consistent(self) -> ScoreAnswer:
        _adds_up(self.probabilities)
        mean = sum(level * probability for level, probability in enumerate(self.probabilities))
        if not isclose(self.score, mean, abs_tol=TOLERANCE * len(self.probabilities)):
            raise ValueError("the score is not the mean of its levels")
        return self


Answer: TypeAlias = NoulAnswer | ChoiceAnswer | ScoreAnswer


def _adds_up(probabilities: Iterable[float]) -> None:
    if not isclose(sum(probabilities), 1.0, abs_tol=TOLERANCE):
        raise ValueError("the probabilities do not add up to 1")


def fits(question: Question, answer: object) -> bool:
    """Whether an answer is of the question's kind, over just its options or levels."""
    match question, answer:
        case Noul(), NoulAnswer():
            return True
        case Choice(), ChoiceAnswer():
            return answer.probabilities.keys() == question.options.keys()
        case Score(), ScoreAnswer():
            return len(answer.probabilities) == len(question.levels)
        case _:
            return False


#: What became of a unit: in the context, in it but marked, or why not.
Fate = Literal["kept", "marked", "carrier", "off-topic", "over-budget", "failed"]
Support = Literal["supports", "does-not-support", "cannot-tell"]
#: What becomes of a claim: said, or looked at by a person first.
ClaimFate = Literal["sound", "unsupported", "unsure", "failed"]


class UnitReport(Frozen):
    """One unit as it is logged: no text, so that it may be kept.

    Attributes:
        digest: SHA-256 of the unit's text, by which a wrong discard is found again.
        tokens: what it takes of the budget.
        relevance: level from 0, or None where nobody could say; the next two are probabilities.
        failure: how the screening of this unit failed, where it did.
        evidence: rules that say so.
        rank: place in the context from 1; None: it is not in it.
    """

    key: Key
    source: str
    place: str
    digest: str
    fate: Fate
    tokens: int
    relevance: float | None = None
    contradiction: float | None = None
    instructions: float | None = None
    failure: FailureKind | None = None
    evidence: tuple[str, ...] = ()
    rank: int | None = None

    @property
    def inside(self) -> bool:
        """Whether it went into the context."""
        return self.fate in ("kept", "marked")

    @model_validator(mode="after")
    def _consistent(self) -> UnitReport:
        if (self.fate == "failed") != (self.failure is not None):
            raise ValueError("a failed unit says how it failed, and no other does")
        if self.inside != (self.rank is not None):
            raise ValueError("only what is in the context has a place in it")
        return self


class Screening(Frozen):
    """What may enter the context, in order, and what became of every unit, in the order of the input.

    Attributes:
        model: who answered.
        texts: of the units, by key, where the deployment logs them; to be redacted before that.
    """

    passages: tuple[Passage, ...]
    units: tuple[UnitReport, ...]
    model: str
    texts: Mapping[str, str] = Field(default_factory=dict[str, str])

    @property
    def failed(self) -> tuple[UnitReport, ...]:
        """Units that nobody could judge: they are not in the context."""
        return tuple(unit for unit in self.units if unit.fate == "failed")


class ClaimReport(Frozen):
    """One claim of a reply against what it cites, as it is logged: no text.

    Attributes:
        cards: the ids beside it.
        verdict: what the last model that was asked said; None where none could.
        model: which one that was.
    """

    key: Key
    cards: tuple[str, ...]
    digest: str
    fate: ClaimFate
    verdict: Support | None = None
    confidence: float | None = None
    failure: FailureKind | None = None
    evidence: tuple[str, ...] = ()
    model: str = ""


class Grounding(Frozen):
    """What became of every claim of a reply that cites something."""

    claims: tuple[ClaimReport, ...] = ()

    @property
    def fates(self) -> frozenset[ClaimFate]:
        """All that happened to any claim."""
        return frozenset(claim.fate for claim in self.claims)
