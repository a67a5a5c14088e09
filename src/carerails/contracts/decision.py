"""What comes out of a check. Words, precedence and failure follow the decision table (docs/decisions/0001)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from carerails.contracts.turn import Frozen, Locale

Decision = Literal["allow", "refuse", "check-in", "escalate"]
Severity = Literal["emergency", "crisis", "urgent"]
Outcome = Literal["emergency", "crisis", "urgent", "check-in", "refuse", "allow"]
ReplyKind = Literal["answer", "check-in", "refusal", "escalation"]
Seam = Literal["detection", "scope", "judge", "output", "citation", "render"]
FailureKind = Literal["exception", "timeout", "missing", "malformed"]
RuleKind = Literal["red-flag", "scope", "screening", "output"]

#: Most severe first: when several rules hit, the first of these wins.
PRECEDENCE: tuple[Outcome, ...] = ("emergency", "crisis", "urgent", "check-in", "refuse", "allow")

#: The place of each outcome in that order: the smaller, the more severe.
RANK: dict[Outcome, int] = {outcome: rank for rank, outcome in enumerate(PRECEDENCE)}

#: What a judge may hold, and which outcomes the rails can make of it. Names of scope are the rails' reasons.
JUDGED: dict[str, tuple[Outcome, ...]] = {
    "suicide": ("crisis", "check-in"),
    "violence": ("crisis",),
    "physical": ("emergency", "urgent"),
    "dosing": ("refuse",),
    "prescription": ("refuse",),
    "diagnosis": ("refuse",),
    "interpretation": ("refuse",),
    "clinician": ("refuse",),
    "pii": ("refuse",),
    "meta": ("refuse",),
    "domain": ("refuse",),
}

#: The same of a reply: the categories of the rails of replies.
JUDGED_REPLIES: dict[str, tuple[Outcome, ...]] = {
    "dose-advice": ("refuse",),
    "change-advice": ("refuse",),
    "diagnosis": ("refuse",),
    "interpretation": ("refuse",),
    "false-reassurance": ("refuse",),
    "promise": ("refuse",),
    "validation-claim": ("refuse",),
    "invented-policy": ("refuse",),
    "acting-for-user": ("refuse",),
    "persona-drift": ("refuse",),
    "personal-data": ("refuse",),
}

#: What any judge may hold.
OPINIONS: dict[str, tuple[Outcome, ...]] = JUDGED | JUDGED_REPLIES

EscalationTemplate = Literal["emergency-medical", "mental-health-crisis", "urgent-care", "supportive-check-in"]
RefusalSlug = Literal[
    "out-of-scope-dosing",
    "out-of-scope-prescription",
    "out-of-scope-diagnosis",
    "out-of-scope-interpretation",
    "out-of-scope-clinician",
    "out-of-scope-pii",
    "pii-blocked",
    "out-of-scope-meta",
    "out-of-domain",
    "input-malformed",
    "no-context",
    "default",
]

#: What is said while the model is left alone, by what is done about the question meanwhile.
RestingTemplate = Literal["resting", "resting-person", "resting-queue"]

#: The template of each outcome that has one of its own; a refusal's is its slug.
TEMPLATE_OF: dict[Outcome, EscalationTemplate] = {
    "emergency": "emergency-medical",
    "crisis": "mental-health-crisis",
    "urgent": "urgent-care",
    "check-in": "supportive-check-in",
}


class Span(Frozen):
    """Half-open range `[start, end)` in code points of the original text of user message number `message`.

    `message` counts within the turn's messages, from 0.
    """

    message: int
    start: int
    end: int


class RuleHit(Frozen):
    """What an engine reports of one rule that hit: its name and the terms, as they stand in the normalised text."""

    rule: str
    terms: tuple[str, ...]


class Failure(Frozen):
    """A check that did not run to its end. `detail` never holds the user's text."""

    seam: Seam
    kind: FailureKind
    detail: str = ""


class Ruling(Frozen):
    """What an engine decides that does not decide by the rules of the rails: a model, or somebody else's rails.

    Attributes:
        outcome: anything but `allow`, which is to say nothing.
        slug: of a refusal; `default` where the engine does not tell reasons apart.
        category: a word for the reader, kebab-case; never the user's text.
    """

    outcome: Outcome
    slug: RefusalSlug | None = None
    category: str = "ruling"

    @model_validator(mode="after")
    def _consistent(self) -> Ruling:
        if self.outcome == "allow":
            raise ValueError("an engine that allows rules nothing")
        if (self.outcome == "refuse") != (self.slug is not None):
            raise ValueError("a refusal has a slug, and nothing else has one")
        return self


class Findings(Frozen):
    """All that an engine has to say of one turn: the rules that hit, in the order of checks, or why it cannot say.

    `rulings` are for engines that do not name rules; nothing stands in the way of both.
    """

    hits: tuple[RuleHit, ...] = ()
    rulings: tuple[Ruling, ...] = ()
    failures: tuple[Failure, ...] = ()


class Near(Frozen):
    """An example of the rails that a judge was reminded of, `alike` from 0 to 1. The text is the rails', no user's."""

    text: str
    category: str
    file: str
    line: int
    alike: float


class Opinion(Frozen):
    """What a judge holds of a turn under one name.

    Attributes:
        name: one of `OPINIONS`.
        score: how likely it is so, 0 to 1. A score that is no such number cannot be built, and is a failure.
        terms: the parts of the text that say so, as they stand in it.
        near: the examples that it is most like.
    """

    name: str
    score: Annotated[float, Field(ge=0, le=1, strict=True, allow_inf_nan=False)]
    terms: tuple[str, ...] = ()
    near: tuple[Near, ...] = ()


class Evidence(Frozen):
    """Where a hit comes from: the rule, its place in the rails, and what matched in the user's own text.

    `score` and `near` are those of a judge's opinion, where it is one that the rule goes by.
    """

    rule: str
    file: str
    line: int
    category: str
    outcome: Outcome
    matched_terms: tuple[str, ...] = ()
    spans: tuple[Span, ...] = ()
    score: float | None = None
    near: tuple[Near, ...] = ()


class Handoff(Frozen):
    """What a human who is paged needs to know."""

    category: str
    severity: Severity
    matched_terms: tuple[str, ...]
    subcategories: tuple[str, ...]
    template_slug: EscalationTemplate


class EscalationDecision(Frozen):
    """The escalation view of a decision: `escalate` with a handoff, or not; `check_in` is neither."""

    escalate: bool
    check_in: bool = False
    handoff: Handoff | None = None
    failure: Failure | None = None

    @model_validator(mode="after")
    def _consistent(self) -> EscalationDecision:
        if self.escalate != (self.handoff is not None):
            raise ValueError("an escalation has a handoff, and nothing else has one")
        return self


class ScopeVerdict(Frozen):
    """The scope view of a decision. `reason` is a refusal slug, None when in scope."""

    in_scope: bool
    reason: RefusalSlug | None = None
    topic: str | None = None
    confidence: float = 1.0
    failure: Failure | None = None

    @model_validator(mode="after")
    def _consistent(self) -> ScopeVerdict:
        if self.in_scope == (self.reason is not None):
            raise ValueError("out of scope has a reason, in scope has none")
        if self.failure and self.in_scope:
            raise ValueError("a failed scope check is never in scope")
        return self


class Refusal(Frozen):
    """A rendered template: what the user reads, without the footer."""

    slug: str
    locale: Locale
    text: str


class TurnDecision(Frozen):
    """The whole answer of an engine on one turn. States that contradict themselves cannot be built.

    Attributes:
        category: of the winning rule: the red-flag category, or the scope reason.
        subcategories: the other categories that hit, in order of precedence.
        slug: of the refusal, also when a check-in carries one behind it.
        template_slug: the template that is shown first; None for allow.
        evidence: of every rule that hit, the winning one first.
        failed: a check did not run; the decision is the fail-safe one and is never counted as a pass.
    """

    decision: Decision
    severity: Severity | None = None
    category: str | None = None
    subcategories: tuple[str, ...] = ()
    slug: RefusalSlug | None = None
    template_slug: EscalationTemplate | RefusalSlug | None = None
    evidence: tuple[Evidence, ...] = ()
    locale: Locale = "en"
    country: str | None = None
    engine: str = ""
    failed: bool = False
    failure: Failure | None = None

    @model_validator(mode="after")
    def _consistent(self) -> TurnDecision:
        escalates = self.decision == "escalate"
        if escalates != (self.severity is not None):
            raise ValueError("an escalation has a severity, and nothing else has one")
        if (self.decision == "allow") != (self.template_slug is None):
            raise ValueError("only allow has no template")
        if self.decision == "refuse" and self.slug is None:
            raise ValueError("a refusal has a slug")
        if self.failed != (self.failure is not None):
            raise ValueError("a failed check says what failed, and only a failed check does")
        if self.failed and self.decision in ("allow", "check-in"):
            raise ValueError("a failure is never a pass")
        return self

    @property
    def outcome(self) -> Outcome:
        """The decision as one word of PRECEDENCE."""
        if self.severity is not None:
            return self.severity
        return self.decision  # type: ignore[return-value]

    @property
    def matched_terms(self) -> tuple[str, ...]:
        """Terms of the winning rule, as the user wrote them."""
        return self.evidence[0].matched_terms if self.evidence else ()

    @property
    def spans(self) -> tuple[Span, ...]:
        """Spans of the winning rule in the original text."""
        return self.evidence[0].spans if self.evidence else ()

    def escalation(self) -> EscalationDecision:
        """This decision as the EscalationDetector's answer."""
        if self.severity is None:
            return EscalationDecision(escalate=False, check_in=self.decision == "check-in", failure=self.failure)
        handoff = Handoff(
            category=self.category or "check-failed",
            severity=self.severity,
            matched_terms=self.matched_terms,
            subcategories=self.subcategories,
            template_slug=TEMPLATE_OF[self.severity],
        )
        return EscalationDecision(escalate=True, handoff=handoff, failure=self.failure)

    def scope(self) -> ScopeVerdict:
        """This decision as the ScopeClassifier's answer; a turn that escalates is never in scope by default."""
        if self.slug is not None:
            return ScopeVerdict(in_scope=False, reason=self.slug, topic=self.category, failure=self.failure)
        if self.failed or self.decision == "escalate":
            return ScopeVerdict(in_scope=False, reason="default", topic=self.category, failure=self.failure)
        return ScopeVerdict(in_scope=True)
