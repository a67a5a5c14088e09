"""NeMo's whole runtime, on a sample of flows: it gives what `nemo.run` gives, and what we give."""

from __future__ import annotations

import asyncio
import importlib
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from carerails.colang import CompileError
from tests.colang import nemo
from tests.colang.mutations import ARGUMENTS, PROGRAM
from tests.colang.ours import Program, alike
from tests.colang.strategies import GIVEN, bodies, flow
from tests.colang.test_differential import outcome

HOW_MANY = 40


class Runtime:
    """One instance of NeMo that calls flow number N with the given arguments."""

    def __init__(self, text: str, names: list[str], parameters: list[str]) -> None:
        calls = "".join(
            f"  if $event.which == {number}\n"
            f"    $value = await {name} {' '.join(f'$event.{parameter}' for parameter in parameters)}\n"
            for number, name in enumerate(names)
        )
        main = f"flow main\n  match Run() as $event\n{calls}  send Ran(value=$value)\n\n"
        module: Any = importlib.import_module("nemoguardrails")
        yaml = "colang_version: '2.x'\nmodels: []\n"
        config = module.RailsConfig.from_content(colang_content=main + text, yaml_content=yaml)
        self._rails = module.LLMRails(config)

    def run(self, number: int, arguments: dict[str, object]) -> Any:
        event = {"type": "Run", "which": number, **arguments}
        events, _ = asyncio.run(self._rails.process_events_async([event], None))
        answers = [found for found in events if found["type"] == "Ran"]
        if not answers:
            raise nemo.Refused("no answer")
        return answers[0]["value"]


def sample() -> list[str]:
    """Generated flows that our compiler accepts, each under a name of its own."""
    found: list[str] = []

    @settings(
        max_examples=400, database=None, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
    @given(bodies())
    def collect(body: str) -> None:
        text = flow(f"case n{len(found)}", body)
        if len(found) < HOW_MANY and not any(text.split("\n", 1)[1] in other for other in found):
            try:
                Program(text)
            except CompileError:
                return
            found.append(text)

    collect()
    return found


@pytest.mark.slow
def test_generated_flows_have_the_same_value_in_the_whole_runtime():
    texts = sample()
    assert len(texts) == HOW_MANY
    names = [f"case n{number}" for number in range(HOW_MANY)]
    runtime = Runtime("\n".join(texts), names, list(GIVEN))
    kinds: set[str] = set()
    for number, (name, text) in enumerate(zip(names, texts, strict=True)):
        kind, value = outcome(runtime.run, number, dict(GIVEN))
        expected = outcome(Program(text).run, name, list(GIVEN.values()))
        assert (kind, alike(value, expected[1])) == (expected[0], True), (text, value, expected)
        assert alike(outcome(nemo.run, nemo.parsed(text), name, list(GIVEN.values()))[1], value)
        kinds.add(kind)
    assert kinds == {"value", "failure"}


@pytest.mark.slow
def test_flows_that_call_flows_have_the_same_value_in_the_whole_runtime():
    runtime = Runtime(PROGRAM, ["sums it up"], ["text"])
    for argument in ARGUMENTS:
        assert alike(runtime.run(0, {"text": argument}), Program(PROGRAM).run("sums it up", [argument]))
