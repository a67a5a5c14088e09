"""Locales and spans: the three languages are served alike, and evidence is the user's own words."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from carerails.contracts import LOCALES
from carerails.testing.suite.subject import EACH, MANY, Fails, Probe, Subject
from carerails.text import normalise

#: What stands before a text to move it: two code points of one sign, a letter of two, one that folds to two.
BEFORE = "🤕👩‍⚕️ e\u0301 ﬁ… "


def hears_every_locale(subject: Subject) -> None:
    """In each locale plain texts get each decision that the engine claims, and plain questions are allowed."""
    for locale in LOCALES:
        for due in (*(word for word in ("escalate", "refuse") if word in subject.capabilities), "allow"):
            if not subject.says(due, locale):
                raise Fails(f"in {locale}, no plain text that should be {due} is")


def speaks_every_locale(subject: Subject) -> None:
    """The templates of each locale differ from those of the others, and hold the numbers that they are given."""
    subject.needs("render")
    numbers = {"emergency": "9-5-1", "crisis": "7-5-3"}
    for slug in ("emergency-medical", "mental-health-crisis"):
        texts = [subject.run(subject.engine.render(slug, locale, numbers)) for locale in LOCALES]
        if len(set(texts)) < len(LOCALES):
            raise Fails(f"template {slug} is the same in two locales")
        if not all(any(number in text for number in numbers.values()) for text in texts):
            raise Fails(f"template {slug} does not show the number that it is given")


def finds_terms_in_the_text(subject: Subject) -> None:
    """The terms of a hit stand in the text that the engine was given."""
    subject.needs("evidence")
    for probe in subject.probes:
        for hit in subject.ask(probe).hits:
            if any(term not in probe.normalised for term in hit.terms):
                raise Fails(f"rule {hit.rule!r} tells of a term that is not in the text")


def points_at_the_users_words(subject: Subject) -> None:
    """Spans are of the original text, also behind signs that are longer or shorter once normalised."""
    subject.needs("evidence")
    engine, seen = subject.wrapped(), 0
    for probe in _flags(subject):
        if seen >= EACH:
            break
        text = f"{BEFORE}{probe.text}"
        decision = subject.run(engine.check(probe.turn.of(text, locale=probe.locale)))
        if not decision.evidence:
            continue  # it may run few rules, and what stands before may part words that a pattern wants together
        if not decision.spans:
            raise Fails(f"rule {decision.evidence[0].rule!r} has no span")
        for span, term in zip(decision.spans, decision.matched_terms, strict=False):
            if text[span.start : span.end] not in decision.matched_terms or not term:
                raise Fails("a span is not where its term stands")
            if span.start < len(BEFORE) - 1 and span.end < len(BEFORE):
                raise Fails("a span points before the words that were found")
            if normalise(text[span.start : span.end])[0].text.strip() not in probe.normalised:
                raise Fails("a span points at other words")
        seen += 1
    if not seen:
        raise Fails("no plain red flag has evidence")


def _flags(subject: Subject) -> Iterator[Probe]:
    """The probes that should escalate, and behind them more: an engine that runs few rules knows few."""
    yield from subject.some("escalate")
    for locale in LOCALES:
        yield from islice(subject.plain("escalate", locale), MANY)
