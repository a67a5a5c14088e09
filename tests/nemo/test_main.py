"""`rails/main.co` against the rails: every rule is asked once, most acute first, and every template can be rendered."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from typing import Any

import pytest
from nemoguardrails.colang.v2_x.runtime import eval as evaluator
from nemoguardrails.colang.v2_x.runtime import statemachine

from carerails.contracts import LOCALES
from carerails.policy import Policy
from carerails.resources import data_dir
from carerails_nemo import NemoEngine
from nemo_runner import constants, expressions

RAILS = data_dir("rails")
MAIN = (RAILS / "main.co").read_text(encoding="utf-8")
STANZA = re.compile(
    r"""(?P<indent> +)if search\(\$guards\.(?P<guard>\w+), \$text\)
(?P=indent)  \$terms = await (?P<flow>[a-z0-9 ]+) \$text
(?P=indent)  \$hits = \$hits \+ \[\["(?P<hit>[a-z0-9 ]+)", \$terms\]\]
"""
)
#: Which outcomes may stand beside each other in the order of checks: emergencies and crises by how fast they kill.
ACUTENESS = {"emergency": 0, "crisis": 0, "urgent": 1, "check-in": 2, "refuse": 3}


@pytest.fixture(scope="module")
def policy() -> Policy:
    return Policy.load(RAILS, check=False)


def test_every_rule_is_asked_once_under_its_own_name(policy: Policy) -> None:
    stanzas = [match.groupdict() for match in STANZA.finditer(MAIN)]
    for stanza in stanzas:
        del stanza["indent"]  # a stanza stands in a section, or by itself
    asked = [stanza["flow"] for stanza in stanzas]
    assert sorted(asked) == sorted(policy.rules)
    assert len(asked) == MAIN.count("$hits = $hits + ["), "a stanza has a shape of its own"
    for stanza in stanzas:
        assert stanza == {"flow": stanza["flow"], "hit": stanza["flow"], "guard": stanza["flow"].replace(" ", "_")}


def test_the_order_is_most_acute_first(policy: Policy) -> None:
    order = [ACUTENESS[policy.rules[match["flow"]].meta.outcome] for match in STANZA.finditer(MAIN)]
    assert order == sorted(order)


@pytest.fixture(scope="module")
def engine() -> Iterator[NemoEngine]:
    started = NemoEngine()
    asyncio.run(started.start())
    yield started
    asyncio.run(started.close())


def test_the_shipped_rails_run_on_nemo(engine: NemoEngine) -> None:
    hits = asyncio.run(engine.evaluate("i have crushing chest pain and i can't breathe")).hits
    assert "red flag chest pain" in {hit.rule for hit in hits}
    assert asyncio.run(engine.evaluate("how should i store my insulin?")).hits == ()


def test_they_need_none_of_what_makes_nemo_faster(engine: NemoEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that NeMo's own runtime runs them as they are written: in somebody else's program, for instance."""
    texts = (
        "i have crushing chest pain and i can't breathe",
        "puedo tomar el doble si me olvide",
        "devo parar o remedio da pressao",
        "how should i store my insulin?",
    )
    ours = [asyncio.run(engine.evaluate(text)) for text in texts]
    assert len({findings.hits for findings in ours}) == len(texts)
    untyped: Any = evaluator
    monkeypatch.setattr(constants, "take_constants", lambda _: None)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    monkeypatch.setattr(expressions, "read_once", lambda: None)
    monkeypatch.setattr(statemachine, "eval_expression", untyped.eval_expression)
    monkeypatch.setattr(statemachine, "_get_eval_context", expressions._nemos_context)  # pyright: ignore[reportPrivateUsage]
    plain = NemoEngine()
    asyncio.run(plain.start())
    assert [asyncio.run(plain.evaluate(text)) for text in texts] == ours


def test_every_template_renders_in_every_locale(engine: NemoEngine, policy: Policy) -> None:
    numbers = {"emergency": "E-NUMBER", "crisis": "C-NUMBER"}
    assert policy.templates
    for slug in policy.templates:
        texts = {asyncio.run(engine.render(slug, locale, numbers)) for locale in LOCALES}
        assert len(texts) == len(LOCALES)
        assert all(texts)


def test_numbers_come_from_the_caller_and_an_unknown_slug_is_an_error(engine: NemoEngine) -> None:
    assert "E-NUMBER" in asyncio.run(engine.render("emergency-medical", "es-419", {"emergency": "E-NUMBER"}))
    with pytest.raises(KeyError, match="no-such-slug"):
        asyncio.run(engine.render("no-such-slug", "en", {}))


def test_the_configuration_of_nemo_asks_for_no_model() -> None:
    config = (data_dir("config") / "nemo" / "config.yml").read_text(encoding="utf-8")
    assert "models: []" in config
