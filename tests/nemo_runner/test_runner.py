"""A program answers events, each on its own copy of the waiting state, and asks nobody outside the process."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path
from typing import Any

import pytest

from nemo_runner import Runner, action_failed

YAML = "colang_version: 2.x\nmodels: []\n"
PROGRAM = """
flow main
  $seen = 0
  when Ask() as $event
    $seen = $seen + 1
    $told = await ShoutAction(text=$event.text)
    send Told(text=$told, seen=$seen)
  or when Generate() as $event
    $told = ..."what to say"
    send Told(text=$told, seen=0)
"""


async def shout(text: str) -> str:
    await asyncio.sleep(0)
    return text.upper()


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    path = tmp_path / "main.co"
    path.write_text(PROGRAM, encoding="utf-8")
    return asyncio.run(Runner.load(YAML, [path], {"ShoutAction": shout}))


def told(events: list[dict[str, Any]]) -> list[tuple[str, int]]:
    return [(event["text"], event["seen"]) for event in events if event["type"] == "Told"]


def test_each_event_is_the_first_that_the_program_sees(runner: Runner) -> None:
    async def many() -> list[tuple[list[dict[str, Any]], Any]]:
        return await asyncio.gather(*(runner.send({"type": "Ask", "text": f"t{n}"}) for n in range(20)))

    for _ in range(2):  # another event loop each time
        assert [told(events) for events, _ in asyncio.run(many())] == [[(f"T{n}", 1)] for n in range(20)]


def test_a_state_may_be_prepared(runner: Runner) -> None:
    state = runner.waiting()
    state.main_flow_state.context["seen"] = 41
    events, _ = asyncio.run(runner.send({"type": "Ask", "text": "t"}, state))
    assert told(events) == [("T", 42)]
    assert told(asyncio.run(runner.send({"type": "Ask", "text": "t"}))[0]) == [("T", 1)]


def test_a_program_that_asks_a_model_fails_and_nothing_is_downloaded(
    runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    def look_up(*where: object, **_: object) -> None:
        asked.append(where)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    _, state = asyncio.run(runner.send({"type": "Generate"}))
    assert action_failed(state)
    assert asked == []


def test_a_program_that_does_not_parse_is_not_loaded(tmp_path: Path) -> None:
    path = tmp_path / "main.co"
    path.write_text("flow main\n  when (\n", encoding="utf-8")
    with pytest.raises(Exception, match="main"):
        asyncio.run(Runner.load(YAML, [path], {}))
