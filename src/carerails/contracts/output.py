"""What a check of a reply looks at, and what it says."""

from __future__ import annotations

from carerails.contracts.decision import Failure
from carerails.contracts.knowledge import Passage
from carerails.contracts.turn import Frozen, Locale


class Exchange(Frozen):
    """What a reply answers: all that a check of it may know.

    Attributes:
        question: the unanswered user messages, joined by newlines; what stands there is the user's own to hear again.
        locale: that the reply must be in.
        passages: the cards that it may cite.
        footer: the text that must end it; None: it is a draft, and the footer comes later.
    """

    question: str = ""
    locale: Locale = "en"
    passages: tuple[Passage, ...] = ()
    footer: str | None = None


class Objection(Frozen):
    """One thing that keeps a reply from being sent.

    Attributes:
        check: that found it: `phrases`, `citations`, `language`, ...
        reason: a word for what is wrong, kebab-case: `dose-advice`, `missing-citation`, ...
        rule, file, line: of the rails, where a rule found it.
        terms: what is wrong, as the reply has it; no personal data of anybody.
    """

    check: str
    reason: str
    rule: str | None = None
    file: str | None = None
    line: int | None = None
    terms: tuple[str, ...] = ()


class Inspection(Frozen):
    """What is wrong with a reply, and which checks could not say. Empty: it may be sent."""

    objections: tuple[Objection, ...] = ()
    failures: tuple[Failure, ...] = ()

    @property
    def passed(self) -> bool:
        """Nothing is wrong, and every check ran."""
        return not self.objections and not self.failures

    @property
    def reasons(self) -> tuple[str, ...]:
        """Each reason once; `check-failed` last, where a check did not run."""
        found = (*(objection.reason for objection in self.objections), *("check-failed" for _ in self.failures))
        return tuple(dict.fromkeys(found))
