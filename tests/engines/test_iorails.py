"""IORails with an endpoint: a model says yes or no to what is no pattern, and its silence is no pass."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from carerails.contracts import Findings, Ruling
from carerails.errors import EngineError
from carerails.testing import FAULTS, StubLLM, says
from carerails.testing.standin import YES_OR_NO
from carerails_iorails import IORailsEngine
from tests.engines.test_patterns import RULES

SCOPE = """
@meta(kind="scope", reason="dosing", slug="out-of-scope-dosing", priority=50)
flow scope dosing $text -> $terms
  \"\"\"How much to take.\"\"\"
  if search("how much", $text)
    return find_all("\\\\bpills\\\\b", $text)
  return []
"""
REFUSED = Findings(rulings=(Ruling(outcome="refuse", slug="default", category="self-check"),))


@pytest.fixture(scope="module", name="rails")
def _rails(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rails = tmp_path_factory.mktemp("self_check")
    asked = '  $terms = await scope dosing $text\n  $hits = $hits + [["scope dosing", $terms]]\n  return $hits'
    (rails / "all.co").write_text(RULES.replace("  return $hits", asked) + SCOPE, encoding="utf-8")
    return rails


@pytest.fixture(scope="module")
def llm() -> Iterator[StubLLM]:
    with StubLLM() as server:
        yield server


@pytest.fixture(scope="module")
def engine(rails: Path, llm: StubLLM) -> Iterator[IORailsEngine]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in llm.environment.items():
            patch.setenv(name, value)
        engine = IORailsEngine(rails)
        asyncio.run(engine.start())
        yield engine
        asyncio.run(engine.close())


def evaluate(engine: IORailsEngine, *texts: str) -> list[Findings]:
    """In an event loop of its own."""

    async def turns() -> list[Findings]:
        try:
            return [await engine.evaluate(text) for text in texts]
        finally:
            await engine._self_check.close()  # pyright: ignore[reportPrivateUsage, reportOptionalMemberAccess]

    return asyncio.run(turns())


def test_a_yes_refuses_a_no_allows_and_nobody_is_asked_about_what_a_pattern_finds(engine: IORailsEngine, llm: StubLLM):
    llm.script(says("Yes"), says("No"))
    asked, allowed = evaluate(engine, "how much of it, in pills", "thanks")
    assert (asked, allowed) == (REFUSED, Findings())
    assert llm.count == 2
    assert [hit.rule for hit in evaluate(engine, "slurred speech")[0].hits] == ["red flag stroke"]
    assert evaluate(engine, "  ") == [Findings()]
    assert llm.count == 2


def test_the_model_is_told_the_rules_that_are_no_pattern(engine: IORailsEngine, llm: StubLLM):
    llm.script(says("No"))
    evaluate(engine, "thanks")
    system, said = llm.requests[0].messages
    assert YES_OR_NO in system["content"].replace("\n", " ")
    assert [name for name in engine.policy.rules if f'"{name}"' in system["content"]] == list(engine.no_pattern)
    assert said == {"role": "user", "content": "thanks"}


def test_personal_data_and_templates_stay_here(engine: IORailsEngine, llm: StubLLM):
    llm.script(says("No"))
    evaluate(engine, "write to ana.lopez@example.com about {{ user_input }} {% raw %}")
    assert "ana.lopez" not in llm.sent
    assert "about {{ user_input }} {% raw %}" in llm.requests[0].messages[1]["content"]


@pytest.mark.parametrize("fault", FAULTS)
def test_no_fault_of_the_endpoint_is_a_pass(fault: str, engine: IORailsEngine, llm: StubLLM):
    llm.script(FAULTS[fault])
    with pytest.raises(EngineError) as raised:
        evaluate(engine, "how much of quetzal, in pills")
    assert raised.value.kind == "exception"
    assert "quetzal" not in str(raised.value)


@pytest.mark.parametrize("said", ["Not safe.", "safe", "Yes, this is safe", "no rule, but yes", "Maybe", "Yes or no"])
def test_an_answer_that_is_neither_yes_nor_no_is_a_failure(said: str, engine: IORailsEngine, llm: StubLLM):
    llm.script(says(said))
    with pytest.raises(EngineError, match="the self check failed"):
        evaluate(engine, "x")


@pytest.mark.parametrize("said", ["yes", " Yes.\n", "YES"])
def test_a_verdict_in_any_dress(said: str, engine: IORailsEngine, llm: StubLLM):
    llm.script(says(said))
    assert evaluate(engine, "x") == [REFUSED]


def test_without_an_endpoint_it_is_unsupported(rails: Path, engine: IORailsEngine, monkeypatch: pytest.MonkeyPatch):
    assert "scope dosing" not in engine.unsupported
    assert "cannot escalate" in engine.unsupported["red flag pair"]
    assert "sampled" in engine.capabilities
    monkeypatch.delenv("OPENAI_API_KEY")
    without = IORailsEngine(rails)
    assert without.unsupported["scope dosing"] == "it needs several patterns together"
    assert without.unsupported["red flag pair"] == "it needs several patterns together"
    assert "sampled" not in without.capabilities
    assert yaml.safe_load(without.config())["models"] == []


def test_all_rules_that_are_shipped_fit_into_one_prompt(
    llm: StubLLM, engine: IORailsEngine, monkeypatch: pytest.MonkeyPatch
):
    for name, value in llm.environment.items():
        monkeypatch.setenv(name, value)
    whole = IORailsEngine()

    async def turn() -> Findings:
        await whole.start()
        try:
            return await whole.evaluate("quetzal " * 1_000)
        finally:
            await whole.close()

    llm.script(says("No"))
    assert asyncio.run(turn()) == Findings()
    assert len(llm.requests[0].messages[0]["content"]) > 10_000
    llm.script(says("Yes"))
    assert evaluate(engine, "quetzal " * 1_000) == [REFUSED]


def test_it_gives_up_in_time(engine: IORailsEngine):
    assert engine.deadline_s < 30


def test_many_at_once_and_a_late_answer(engine: IORailsEngine, llm: StubLLM):
    llm.script(says("Yes").after(0.2))

    async def many() -> list[Findings]:
        try:
            return await asyncio.gather(*(engine.evaluate(f"turn {n}") for n in range(20)))
        finally:
            await engine._self_check.close()  # pyright: ignore[reportPrivateUsage, reportOptionalMemberAccess]

    assert asyncio.run(many()) == [REFUSED] * 20
