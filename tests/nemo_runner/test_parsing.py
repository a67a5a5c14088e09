"""What NeMo parsed before is taken from where it is kept, and is what it would parse today."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from nemo_runner import Runner, parsing

MAIN = """
flow main
  when Asked() as $event
    $words = await some words $event.text
    send Answered(words=$words)
"""
WORDS = """
flow some words $text -> $words
  \"\"\"Looks.\"\"\"
  if search("a{{2}}", $text)
    return ["found"]
  return []
"""


class Drawer:
    """Keeps one thing, in memory."""

    def __init__(self) -> None:
        self.body: bytes | None = None
        self.keys: list[str] = []

    def path(self, key: str) -> Path:
        self.keys.append(key)
        return Path("drawer")

    def read(self, path: Path) -> bytes | None:
        return self.body

    def write(self, path: Path, body: bytes) -> None:
        self.body = body


@pytest.fixture
def sources(tmp_path: Path) -> list[Path]:
    for name, text in (("main.co", MAIN), ("words.co", WORDS)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return [tmp_path / "main.co", tmp_path / "words.co"]


@pytest.fixture(autouse=True)
def parses(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the files that NeMo's own parser reads, its own library not among them."""
    found: list[str] = []
    real = parsing.nemo.parse_colang_file

    def watched(filename: str, *more: Any, **named: Any) -> Any:
        if "site-packages" not in filename:
            found.append(Path(filename).name)
        return real(filename, *more, **named)

    monkeypatch.setattr(parsing.nemo, "parse_colang_file", watched)
    monkeypatch.setattr(parsing, "_WORTH_KEEPING_S", 0)
    return found


def answers(sources: list[Path], drawer: Drawer | None) -> list[object]:
    async def ask() -> list[object]:
        runner = await Runner.load("colang_version: 2.x", sources, {}, drawer)
        said: list[object] = []
        for text in ("aa", "b"):
            events, _ = await runner.send({"type": "Asked", "text": text})
            said += [event["words"] for event in events if event["type"] == "Answered"]
        return said

    return asyncio.run(ask())


def test_the_second_time_nothing_is_parsed_and_the_answers_are_the_same(sources: list[Path], parses: list[str]) -> None:
    drawer = Drawer()
    assert answers(sources, None) == answers(sources, drawer) == [["found"], []]
    assert {"main.co", "words.co"} <= set(parses)
    parses.clear()
    assert answers(sources, drawer) == [["found"], []]
    assert parses == []
    assert len(set(drawer.keys)) == 1


def test_a_file_that_was_edited_is_parsed_anew_and_no_other(sources: list[Path], parses: list[str]) -> None:
    drawer = Drawer()
    answers(sources, drawer)
    parses.clear()
    sources[1].write_text(WORDS.replace("a{{2}}", "b"), encoding="utf-8")
    assert answers(sources, drawer) == [[], ["found"]]
    assert parses == ["words.co"]


def test_what_is_quickly_parsed_is_not_kept(sources: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsing, "_WORTH_KEEPING_S", 60)
    drawer = Drawer()
    answers(sources, drawer)
    assert drawer.body is None


def test_another_version_of_nemo_has_another_key(sources: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    drawer = Drawer()
    answers(sources, drawer)
    monkeypatch.setattr(parsing, "version", lambda _: "0")  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    answers(sources, drawer)
    assert len(set(drawer.keys)) == 2


def test_nemos_parser_is_its_own_again_where_a_file_cannot_be_parsed(sources: list[Path]) -> None:
    before = parsing.nemo.parse_colang_file
    sources[1].write_text("flow flow flow", encoding="utf-8")
    with pytest.raises(Exception, match=r"words\.co"):
        answers(sources, Drawer())
    assert parsing.nemo.parse_colang_file is before
