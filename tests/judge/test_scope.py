"""The model classifies scope where the rules are silent, clears nothing, and refuses when it fails."""

from __future__ import annotations

import asyncio
from typing import Any, get_args

import pytest

from carerails.contracts import LOCALES, RefusalSlug, ScopeClassifier, ScopeVerdict, Turn
from carerails.engine import open_engine
from carerails.judge import ModelScope, RubricModel, slug_of
from carerails.testing import FAULTS, Scripted, StubLLM, answers, stub_llm
from tests.judge.kit import CALM, PINNED, Clock, model, verdict

__all__ = ["stub_llm"]

POINTS = {**dict.fromkeys(PINNED.rubric.scope.reasons, 0.7), "suicide": 0.6, "violence": 0.6, "physical": 0.6}
SILENT = "tell me about the blue one that my aunt keeps by the window"  # no rule has anything to say of it
ENGINE = open_engine("native")


def classify(one: RubricModel, text: str = SILENT, **more: Any) -> ScopeVerdict:
    async def once() -> ScopeVerdict:
        scope: ScopeClassifier = ModelScope(ENGINE, one, POINTS)
        try:
            return await scope.classify(Turn.of(text, **more))
        finally:
            await one.close()

    return asyncio.run(once())


@pytest.mark.parametrize(
    ("scores", "reason", "topic"),
    [
        ({}, None, None),
        ({"dosing": 0.69, "meta": 0.5}, None, None),
        ({"dosing": 0.7}, "out-of-scope-dosing", "dosing"),
        ({"dosing": 0.8, "prescription": 0.9}, "out-of-scope-prescription", "prescription"),
        ({"domain": 1.0}, "out-of-domain", "domain"),
        ({"pii": 0.9, "suicide": 0.9}, "out-of-scope-pii", "pii"),
        ({"physical": 0.9}, "default", "none"),
    ],
)
def test_the_likeliest_reason_that_counts(
    stub_llm: StubLLM, scores: dict[str, float], reason: str | None, topic: str | None
) -> None:
    stub_llm.script(answers(verdict("none", **scores)))
    found = classify(model(stub_llm))
    assert (found.in_scope, found.reason, found.topic) == (reason is None, reason, topic)
    assert found.failure is None
    assert stub_llm.count == 1


def test_every_reason_has_a_slug() -> None:
    assert {slug_of(name) for name in PINNED.rubric.scope.reasons} <= set(get_args(RefusalSlug))


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        (
            {
                "en": "can I take two pills instead of one tonight?",
                "es-419": "¿puedo tomar dos pastillas en vez de una esta noche?",
                "pt-BR": "posso tomar dois comprimidos em vez de um hoje à noite?",
            },
            "out-of-scope-dosing",
        ),
        (
            {
                "en": "my chest hurts and my left arm is numb",
                "es-419": "me duele el pecho y tengo el brazo izquierdo dormido",
                "pt-BR": "meu peito está doendo e o braço esquerdo dormente",
            },
            "default",
        ),
    ],
)
def test_it_clears_nothing_and_is_not_even_asked(
    stub_llm: StubLLM, locale: Any, texts: dict[str, str], reason: str
) -> None:
    stub_llm.script(answers(CALM))
    found = classify(model(stub_llm), texts[locale], locale=locale)
    assert (found.in_scope, found.reason) == (False, reason)
    assert stub_llm.count == 0


@pytest.mark.parametrize("reply", [*FAULTS.values(), answers(verdict(dosing=1.2))], ids=[*FAULTS, "out of range"])
def test_a_failure_refuses(stub_llm: StubLLM, reply: Scripted) -> None:
    stub_llm.script(reply)
    found = classify(model(stub_llm))
    assert (found.in_scope, found.reason) == (False, "default")
    assert found.failure is not None
    assert found.failure.seam == "scope"


def test_an_open_breaker_refuses_without_a_call(stub_llm: StubLLM) -> None:
    one = model(stub_llm, clock=Clock())
    ticket = one.breaker.admit()
    for _ in range(one.breaker.limits.failures):
        assert ticket is not None
        one.breaker.failed(ticket)
    found = classify(one)
    assert (found.reason, stub_llm.count) == ("default", 0)
