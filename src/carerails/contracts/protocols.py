"""The seams: what an engine, a guard or a judge must be able to do. All async; all typed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import TracebackType
from typing import Protocol, runtime_checkable

from carerails.contracts.decision import EscalationDecision, Findings, Opinion, Refusal, ScopeVerdict, TurnDecision
from carerails.contracts.knowledge import Passage, Redacted, Retrieval, Verification
from carerails.contracts.output import Exchange, Inspection
from carerails.contracts.reply import Reply
from carerails.contracts.screening import Answer, Asking, Grounding, Question, Screening
from carerails.contracts.turn import Locale, Turn


class EscalationDetector(Protocol):
    """Finds acute red flags."""

    async def detect(self, turn: Turn) -> EscalationDecision:
        """Decide whether the turn escalates. Never raises: a failure escalates."""
        ...


class ScopeClassifier(Protocol):
    """Says whether a turn is something the agent may answer."""

    async def classify(self, turn: Turn) -> ScopeVerdict:
        """Decide whether the turn is in scope. Never raises: a failure refuses."""
        ...


class RefusalRenderer(Protocol):
    """Turns a slug into what the user reads."""

    async def render(self, slug: str, locale: Locale, country: str | None = None) -> Refusal:
        """Render a refusal or escalation template. Raises KeyError for an unknown slug."""
        ...


@runtime_checkable
class RuleEngine(Protocol):
    """What an adapter implements, and no more: run the policy's checks on a normalised text.

    It may raise, hang or answer nonsense: `carerails.engine.FailSafeEngine`, which wraps every adapter, makes the safe
    decision of it. It may have two attributes more: `unsupported: Mapping[str, str]`, complete once it is started,
    the rules of the rails that it cannot express, each with the reason; and `deadline_s: float`, the seconds that its
    checks may take where the profile's deadline, which is for rules, is shorter.
    """

    name: str
    version: str
    capabilities: frozenset[str]

    async def start(self) -> None:
        """Load what a check needs. Called once before the first check."""
        ...

    async def close(self) -> None:
        """Release it."""
        ...

    async def evaluate(self, text: str) -> Findings:
        """Run all checks, in the order that the rails declare, on the views joined by newlines.

        An engine with the capability `original` gets the user's own words in place of the views.
        """
        ...

    async def render(self, slug: str, locale: Locale, numbers: Mapping[str, str]) -> str:
        """The text of a template. Raises KeyError for an unknown slug."""
        ...


#: Asks the judge about the turn: by `NAME_OUTCOME` (`suicide_check_in`), the terms of what reached its operating point.
Ask = Callable[[], Awaitable[Mapping[str, Sequence[str]]]]


@runtime_checkable
class JudgedEngine(RuleEngine, Protocol):
    """A `RuleEngine` with the capability `judge`: its own runtime runs `flow check meaning` of the rails.

    For an engine without it, the compiled policy runs that flow on what the engine found.
    """

    async def evaluate_asking(self, text: str, ask: Ask) -> Findings:
        """As `evaluate`, and where the rails want a second opinion they get it from `ask`, which never raises."""
        ...


class GuardrailEngine(Protocol):
    """The bundle that a graph, an eval run or a service uses. The three Protocols above are views of `check`."""

    @property
    def name(self) -> str:
        """The engine's name, as in the entry-point group `carerails.engines`."""
        ...

    @property
    def version(self) -> str:
        """The version of the runtime that decides."""
        ...

    @property
    def fingerprint(self) -> str:
        """Hash of rails, config and versions: two engines with one fingerprint decide alike."""
        ...

    @property
    def capabilities(self) -> frozenset[str]:
        """What the engine can express: `escalate`, `refuse`, `check-in`, `evidence`, `render`.

        And how it works: `synchronous` never awaits, `re` searches with Python's regexes.
        """
        ...

    async def check(self, turn: Turn) -> TurnDecision:
        """Escalation and scope in one call. Never raises on any turn: a failure is the safe decision."""
        ...

    async def render(self, slug: str, locale: Locale, country: str | None = None) -> Refusal:
        """The text of a template, with the country's numbers."""
        ...

    async def __aenter__(self) -> GuardrailEngine: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class PassageScreener(Protocol):
    """Keeps instructions for the model, and what is beside the point, out of its context."""

    async def screen(self, question: str, locale: Locale, passages: Sequence[Passage]) -> Screening:
        """What of the passages may enter the context, and what became of every sentence.

        A sentence that cannot be judged is kept out, and the report says so. May raise: the caller shows the fallback.
        """
        ...


class ClaimChecker(Protocol):
    """Says of each claim of a reply whether what it cites says so."""

    async def ground(self, reply: Reply, passages: Sequence[Passage]) -> Grounding:
        """What became of every claim; one that cannot be judged is `failed`. May raise: nothing is sound then."""
        ...


class OutputGuard(Protocol):
    """Checks what the model says before anybody reads it."""

    async def inspect(self, reply: Reply, exchange: Exchange) -> Inspection:
        """What is wrong with the reply: anything means that the fallback is shown. Never raises."""
        ...


class Retriever(Protocol):
    """Finds the cards that answer a question, or says why there are none."""

    async def retrieve(self, question: str, locale: Locale) -> Retrieval:
        """What answers `question`: the redacted, unanswered user messages, joined by newlines.

        May raise: the caller refuses then.
        """
        ...


class Drafter(Protocol):
    """Writes an answer from passages and from nothing else."""

    async def draft(self, question: str, locale: Locale, passages: Sequence[Passage]) -> Reply:
        """An answer whose text marks each claim with `[cite:ID]`; `citations` repeats the ids in order of the text.

        `question` is redacted. May raise: the caller shows the fallback then.
        """
        ...


class Redactor(Protocol):
    """Takes personal data out of a text, before it is stored or sent to a model."""

    def redact(self, text: str, locale: Locale) -> Redacted:
        """The text with each item of personal data replaced by its kind."""
        ...


class CitationChecker(Protocol):
    """Checks a reply against its cards: cited ones exist, and every claim cites one."""

    def verify(self, reply: Reply, passages: Sequence[Passage]) -> Verification:
        """What is wrong with a reply; may raise, which counts as everything being wrong."""
        ...


class SemanticJudge(Protocol):
    """A second opinion. It only gives scores: the profile's operating points and the rails make outcomes of them.

    It may raise, hang or answer nonsense: `carerails.judging`, which asks it once a turn, resolves that by the profile.
    """

    #: The profile has operating points by this name.
    name: str
    #: Of all that its scores depend on; part of the engine's fingerprint.
    fingerprint: str
    #: The names of `OPINIONS` of which it always gives one opinion each. One that is missing is a failure.
    opinions: frozenset[str]
    #: Whether it never awaits: no deadline can stop it, and none is needed.
    synchronous: bool

    async def start(self) -> None:
        """Load what a judgement needs. Called once before the first one."""
        ...

    async def close(self) -> None:
        """Release it."""
        ...

    async def judge(self, turn: Turn, text: str) -> Sequence[Opinion]:
        """One opinion a name.

        Args:
            turn: as the caller has it.
            text: its normalised views, one a line, as the rails see them; terms stand in it.
        """
        ...


class DecisionModel(Protocol):
    """Answers typed questions about units of text. A filter and no boundary: hostile text can move its answers."""

    @property
    def name(self) -> str:
        """What answers, for the log: `local`, or the model's name at its endpoint."""
        ...

    async def ask(self, asking: Asking, questions: Mapping[str, Question]) -> Mapping[str, Answer]:
        """One answer a question, by its name. What is missing or does not fit its question counts as failed.

        May raise: then every answer is missing.
        """
        ...
