"""Contract: what every engine must be and answer, before, during and after its life."""

from __future__ import annotations

import inspect
from contextlib import suppress
from typing import cast

from carerails.contracts import LOCALES, Findings, RuleEngine
from carerails.engines import CAPABILITIES
from carerails.errors import EngineError
from carerails.testing.suite.subject import Fails, Probe, Subject

#: As a normalised text can be: of a voice call, of somebody who pastes a book, of somebody who tries.
ODD = ("", "\n", " ", "a", "(" * 200, "$text {text} {{x}} \\b \"' %s {0}", "x\n" * 2_000)

#: An engine may fail on it, and say so with an EngineError; it may not find anything in it.
LONG = "a" * 50_000


def names_itself(subject: Subject) -> None:
    """`name` and `version` are text, `capabilities` are a frozenset of words that are known."""
    engine = subject.engine
    for attribute in ("name", "version"):
        value: object = getattr(engine, attribute, None)
        if not isinstance(value, str) or not value:
            raise Fails(f"{attribute} is {value!r}, not text")
    capabilities: object = getattr(engine, "capabilities", None)
    if not isinstance(capabilities, frozenset):
        raise Fails(f"capabilities are a {type(capabilities).__name__}, not a frozenset")
    if unknown := subject.capabilities - CAPABILITIES.keys():
        raise Fails(f"unknown capabilities: {', '.join(sorted(unknown))}; known: {', '.join(CAPABILITIES)}")


def has_the_methods(subject: Subject) -> None:
    """It is a `RuleEngine`, and all that is to be awaited can be."""
    if not isinstance(cast("object", subject.engine), RuleEngine):
        raise Fails("it is no RuleEngine: see carerails.contracts")
    for method in ("start", "close", "evaluate", "render"):
        if not inspect.iscoroutinefunction(getattr(subject.engine, method)):
            raise Fails(f"{method} is not `async def`")


def answers_findings(subject: Subject) -> None:
    """Every probe gets `Findings` whose hits name rules of the rails, with terms that are not empty."""
    for probe in subject.probes:
        findings = cast("object", subject.ask(probe))
        if not isinstance(findings, Findings):
            raise Fails(f"evaluate answers a {type(findings).__name__}")
        if strange := [hit.rule for hit in findings.hits if hit.rule not in subject.policy.rules]:
            raise Fails(f"hits name rules that the rails do not have: {strange[0]!r}")
        if any(not hit.terms or not all(hit.terms) for hit in findings.hits):
            raise Fails("a hit has no terms, or an empty one")


def answers_any_text(subject: Subject) -> None:
    """Texts that nobody expects are answered too, and none of them is an emergency."""
    for number, text in enumerate(ODD):
        findings = cast("object", subject.run(subject.engine.evaluate(text)))
        if not isinstance(findings, Findings):
            raise Fails(f"odd text {number} is answered with a {type(findings).__name__}")
        if findings.hits or findings.failures:
            raise Fails(f"odd text {number} ({text[:12]!r}) hits or fails")
    with suppress(EngineError):
        found = subject.run(subject.engine.evaluate(LONG))
        if found != Findings():
            raise Fails("a long word is not answered with empty findings")


def tells_kinds_apart(subject: Subject) -> None:
    """It does what it claims: not everything is allowed, and not everything is stopped."""
    for due in (*(word for word in ("escalate", "refuse") if word in subject.capabilities), "allow"):
        if not any(subject.says(due, locale) for locale in LOCALES):
            raise Fails(f"no plain text that should be {due} is")


def is_no_pass_before_start(subject: Subject) -> None:
    """Asked before `start`, it raises or decides as ever; it does not let a red flag through."""
    _must_not_allow(subject, subject.make(), "before start")


def is_no_pass_after_close(subject: Subject) -> None:
    """Asked after `close`, the same; and a second `close` does no harm."""
    engine = subject.make()
    subject.start(engine)
    subject.run(engine.close())
    subject.run(engine.close())
    _must_not_allow(subject, engine, "after close")


def starts_again(subject: Subject) -> None:
    """Closed and started again, it decides as before."""
    engine = subject.make()
    probe = _flag(subject)
    subject.start(engine)
    before = subject.ask(probe, engine)
    subject.run(engine.close())
    subject.start(engine)
    after = subject.ask(probe, engine)
    subject.run(engine.close())
    if before != after:
        raise Fails("after a second start it decides otherwise")


def renders_templates(subject: Subject) -> None:
    """Every template in every locale is text; a slug that does not exist is a KeyError."""
    subject.needs("render")
    numbers = subject.settings.numbers.of("en", None)
    for slug in subject.policy.templates:
        for locale in LOCALES:
            text = cast("object", subject.run(subject.engine.render(slug, locale, numbers)))
            if not isinstance(text, str) or not text.strip():
                raise Fails(f"template {slug} in {locale} is no text")
    try:
        subject.run(subject.engine.render("no-such-template", "en", numbers))
    except KeyError:
        return
    raise Fails("a template that does not exist is rendered")


def _flag(subject: Subject) -> Probe:
    return next(iter(subject.some("escalate")))


def _must_not_allow(subject: Subject, engine: RuleEngine, when: str) -> None:
    decision = subject.run(subject.wrapped(engine).check(_flag(subject).turn))
    if "escalate" in subject.capabilities and decision.decision != "escalate":
        raise Fails(f"a red flag {when} is answered {decision.decision}")
    if decision.decision == "allow":
        raise Fails(f"a plain red flag is allowed {when}")
