"""Scripted parts of an agent: each answers by the words it hears, counts its calls, and fails when it is told to."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

from carerails.contracts import (
    TEMPLATE_OF,
    Evidence,
    Exchange,
    Inspection,
    Locale,
    Objection,
    Passage,
    Redacted,
    Refusal,
    Reply,
    Retrieval,
    Span,
    Turn,
    TurnDecision,
)
from carerails.graph import Agent, AgentSettings, Delivery, Sink
from carerails.graph.request import split_answered, text_of

WORDS: dict[str, dict[str, Any]] = {
    "stroke": {"decision": "escalate", "severity": "emergency", "category": "stroke"},
    "suicide": {"decision": "escalate", "severity": "crisis", "category": "suicide"},
    "rash": {"decision": "escalate", "severity": "urgent", "category": "rash"},
    "hopeless": {"decision": "check-in", "category": "distress"},
    "double": {"decision": "refuse", "category": "dosing", "slug": "out-of-scope-dosing"},
}


UNSET: Any = object()


class Breakable:
    """Something that raises, hangs or answers nonsense when it is told to."""

    def __init__(self) -> None:
        self.calls = 0
        self.broken: BaseException | None = None
        self.nonsense: Any = UNSET

    def fail(self, nonsense: object) -> None:
        """Raise an exception that is given, answer anything else."""
        if isinstance(nonsense, BaseException):
            self.broken = nonsense
        else:
            self.nonsense = nonsense

    def hit(self) -> None:
        self.calls += 1
        if self.broken:
            raise self.broken


class StubEngine(Breakable):
    """Decides by `WORDS`, the most severe first; renders a template as its name, locale and country."""

    name, version, fingerprint = "stub", "0", "0"
    capabilities: frozenset[str] = frozenset()

    def __init__(self, deaf: Sequence[str] = ()) -> None:
        super().__init__()
        self.deaf = deaf
        self.turns: list[Turn] = []
        self.mute = False
        self.entered = 0

    async def check(self, turn: Turn) -> TurnDecision:
        self.turns.append(turn)
        self.hit()
        if self.nonsense is not UNSET:
            return self.nonsense
        text = "\n".join(text_of(m.content) for m in split_answered(turn.messages)[1] if m.role == "user")
        locale: Locale = turn.locale or turn.previous_locale or ("es-419" if "¿" in text else "en")
        own: dict[str, Any] = {"locale": locale, "country": turn.country, "engine": self.name}
        hits = [word for word in WORDS if word in text.lower() and word not in self.deaf]
        if not hits:
            return TurnDecision(decision="allow", **own)
        fields = dict(WORDS[hits[0]])
        slug = next((WORDS[word]["slug"] for word in hits if "slug" in WORDS[word]), None)
        first = fields.get("severity") or fields["decision"]
        evidence = tuple(
            Evidence(
                rule=f"rule {word}",
                file="x.co",
                line=1,
                category=WORDS[word]["category"],
                outcome=WORDS[word].get("severity") or WORDS[word]["decision"],
                matched_terms=(word,),
                spans=(Span(message=0, start=0, end=len(word)),),
            )
            for word in hits
        )
        fields["slug"] = None if "severity" in fields else slug
        return TurnDecision(template_slug=TEMPLATE_OF.get(first) or slug, evidence=evidence, **fields, **own)

    async def render(self, slug: str, locale: Locale, country: str | None = None) -> Refusal:
        if self.mute:
            raise KeyError(slug)
        return Refusal(slug=slug, locale=locale, text=f"<{slug} {locale} {country}>")

    async def __aenter__(self) -> StubEngine:
        self.entered += 1
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class StubRetriever(Breakable):
    """Finds the card `storage` for what is stored."""

    def __init__(self) -> None:
        super().__init__()
        self.questions: list[str] = []

    async def retrieve(self, question: str, locale: Locale) -> Retrieval:
        self.questions.append(question)
        self.hit()
        if self.nonsense is not UNSET:
            return self.nonsense
        if "store" not in question:
            return Retrieval(no_context="no-match")
        return Retrieval(passages=(card(locale),))


def card(locale: Locale) -> Passage:
    return Passage(card="storage", locale=locale, title="Storage", sentences=("Keep it in a cool dry place.",))


class StubDrafter(Breakable):
    """Quotes the card; badly, when the question says so."""

    def __init__(self) -> None:
        super().__init__()
        self.questions: list[str] = []

    async def draft(self, question: str, locale: Locale, passages: Sequence[Passage]) -> Reply:
        self.questions.append(question)
        self.hit()
        if self.nonsense is not UNSET:
            return self.nonsense
        text = f"{locale}: {passages[0].sentences[0]}"
        if "uncited" in question:
            return Reply(kind="answer", text=text)
        if "invented" in question:
            return Reply(kind="answer", text=f"{text} [cite:invented]", citations=("invented",))
        if "persona" in question:
            return Reply(kind="answer", text=f"As your doctor, I say: {text} [cite:storage]", citations=("storage",))
        return Reply(kind="answer", text=f"{text} [cite:storage]", citations=("storage",))


class StubRedactor(Breakable):
    """Takes long numbers out."""

    def redact(self, text: str, locale: Locale) -> Redacted:
        self.hit()
        if self.nonsense is not UNSET:
            return self.nonsense
        return Redacted(text=re.sub(r"\d{6,}", "<PHONE>", text))


class StubGuard(Breakable):
    """Knows the passages; a reply without citations is uncited, and no reply speaks as a doctor."""

    async def inspect(self, reply: Reply, exchange: Exchange) -> Inspection:
        self.hit()
        if self.nonsense is not UNSET:
            return self.nonsense
        known = {passage.card for passage in exchange.passages}
        reasons = {
            "unknown-citation": any(id not in known for id in reply.citations),
            "missing-citation": not reply.citations,
            "persona-drift": "your doctor, I" in reply.text,
        }
        found = [Objection(check="stub", reason=reason) for reason, holds in reasons.items() if holds]
        return Inspection(objections=tuple(found))


class ListSink(Breakable):
    """Keeps what it was given."""

    async def wait(self, done: Callable[[ListSink], bool]) -> None:
        """Until it is so; the courier works in the background."""
        while not done(self):  # noqa: ASYNC110  the sink is called on another thread
            await asyncio.sleep(0.01)

    def __init__(self) -> None:
        super().__init__()
        self.taken: list[Delivery] = []

    async def deliver(self, delivery: Delivery) -> None:
        self.hit()
        self.taken.append(delivery)


class Parts:
    """All the parts of one agent, within a test's reach."""

    def __init__(self, *, same: bool = False) -> None:
        self.engine = StubEngine()
        self.floor = self.engine if same else StubEngine()
        self.retriever, self.drafter = StubRetriever(), StubDrafter()
        self.redactor, self.guard = StubRedactor(), StubGuard()

    def agent(self, store: str = ":memory:", sink: Sink | None = None, **settings: Any) -> Agent:
        return Agent(
            engine=self.engine,
            floor=self.floor,
            retriever=self.retriever,
            drafter=self.drafter,
            redactor=self.redactor,
            guard=self.guard,
            store=store,
            sink=sink,
            settings=AgentSettings(**settings),
        )


def footer(locale: Locale = "en", country: str | None = None) -> str:
    return f"\n\n<footer {locale} {country}>"
