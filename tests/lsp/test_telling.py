"""When findings are told, what becomes of work that is out of date, and of a linter that fails."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from carerails.errors import UsageError
from carerails.lint import Edit, Finding, Overlay
from carerails.lsp import behind, telling
from carerails.lsp.behind import CheckFailed, check_all
from carerails.lsp.pack import Pack
from carerails.lsp.telling import Teller
from carerails.lsp.text import Lines, moved

NAME = "red_flags/stroke.co"
FIX = Edit(8, 1, 8, 2, "x")
SLOW = Finding("few-examples", "warning", NAME, 8, 1, 2, "slow", "mend", (FIX,))


class Told:
    """Collects what is told."""

    def __init__(self) -> None:
        self.last: dict[str, list[Finding]] = {}
        self.complaints: list[str] = []

    def __call__(self, pack: Pack, name: str, findings: list[Finding]) -> None:
        self.last[name] = findings

    def codes(self) -> list[str]:
        return [found.code for found in self.last.get(NAME, [])]


async def until(holds: Callable[[], bool]) -> None:
    for _ in range(500):
        if holds():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("never came true")


def run(
    monkeypatch: pytest.MonkeyPatch,
    root: Path,
    linter: Callable[..., Awaitable[list[Finding]]],
    play: Callable[[Teller, Pack, Told], Awaitable[None]],
) -> None:
    async def main() -> None:
        told, pack = Told(), Pack(root)
        teller = Teller(told, told.complaints.append)
        await play(teller, pack, told)
        teller.close()

    monkeypatch.setattr(telling, "check_all", linter)
    monkeypatch.setattr(telling, "CALM_S", 0.05)
    asyncio.run(main())


def test_typing_on_drops_the_linter_that_runs(monkeypatch: pytest.MonkeyPatch, rails: Path):
    started: list[str] = []
    dropped: list[str] = []

    async def linter(root: Path, unsaved: Overlay) -> list[Finding]:
        text = unsaved[Path(NAME)]
        started.append(text)
        try:
            await asyncio.sleep(0 if text.endswith("# 2\n") else 60)
        except asyncio.CancelledError:
            dropped.append(text)
            raise
        return [SLOW]

    async def play(teller: Teller, pack: Pack, told: Told) -> None:
        text = pack.texts[NAME]
        pack.open[NAME] = text + "# 1\n"
        teller.changed(pack, NAME)
        await until(lambda: len(started) == 1)
        pack.open[NAME] = text + "# 2\n"
        teller.changed(pack, NAME)
        await until(lambda: told.codes() == ["few-examples"])
        assert dropped == [text + "# 1\n"]

    run(monkeypatch, rails, linter, play)


def test_findings_of_the_linter_move_with_their_lines(monkeypatch: pytest.MonkeyPatch, rails: Path):
    async def linter(root: Path, unsaved: Overlay) -> list[Finding]:
        return [SLOW]

    async def play(teller: Teller, pack: Pack, told: Told) -> None:
        text = pack.texts[NAME]
        pack.open[NAME] = text
        teller.changed(pack, NAME)
        await until(lambda: told.last.get(NAME) == [SLOW])
        monkeypatch.setattr(telling, "CALM_S", 60)
        pack.open[NAME] = "# above\n# above\n" + text
        teller.changed(pack, NAME)
        await until(lambda: told.last[NAME][0].line == 10)
        assert told.last[NAME][0].fix == ()  # made for another text
        line = text.splitlines()[7]
        pack.open[NAME] = text.replace(line, line + " ")
        teller.changed(pack, NAME)
        await until(lambda: told.last[NAME] == [])

    run(monkeypatch, rails, linter, play)


def test_a_linter_that_fails_is_said_once_and_takes_nothing_away(monkeypatch: pytest.MonkeyPatch, rails: Path):
    calls: list[int] = []

    async def linter(root: Path, unsaved: Overlay) -> list[Finding]:
        calls.append(1)
        raise CheckFailed("exit code 1")

    async def play(teller: Teller, pack: Pack, told: Told) -> None:
        for number in (1, 2):
            pack.open[NAME] = pack.texts[NAME].replace("find_all", "findall") + "#\n"
            teller.changed(pack, NAME)
            await until(lambda number=number: len(calls) == number)
            await asyncio.sleep(0.05)
        assert told.codes() == ["function"]
        assert len(told.complaints) == 1
        assert "the linter failed" in told.complaints[0]

    run(monkeypatch, rails, linter, play)


@pytest.mark.parametrize(
    ("error", "said"), [(UsageError("broken.yml", "mend it"), "broken.yml"), (KeyError("x"), "KeyError")]
)
def test_a_file_that_could_not_be_checked_does_not_look_like_a_good_one(
    monkeypatch: pytest.MonkeyPatch, rails: Path, error: Exception, said: str
):
    async def linter(root: Path, unsaved: Overlay) -> list[Finding]:
        return []

    def broken(pack: Pack, name: str) -> list[Finding]:
        raise error

    async def play(teller: Teller, pack: Pack, told: Told) -> None:
        teller.changed(pack, NAME)
        await until(lambda: told.codes() == ["not-checked"])
        assert said in told.last[NAME][0].message
        monkeypatch.undo()
        teller.changed(pack, NAME)
        await until(lambda: told.codes() == [])

    monkeypatch.setattr(telling, "check", broken)
    run(monkeypatch, rails, linter, play)


def test_a_key_is_answered_at_once_and_while_keys_go_on(monkeypatch: pytest.MonkeyPatch, rails: Path):
    async def linter(root: Path, unsaved: Overlay) -> list[Finding]:
        raise AssertionError("too early")

    async def play(teller: Teller, pack: Pack, told: Told) -> None:
        monkeypatch.setattr(telling, "CALM_S", 60)
        pack.open[NAME] = pack.texts[NAME].replace("find_all", "findall")
        begin = asyncio.get_running_loop().time()
        while not told.codes():  # a key every 20 ms
            teller.changed(pack, NAME)
            await asyncio.sleep(0.02)
            assert asyncio.get_running_loop().time() - begin < 2

    run(monkeypatch, rails, linter, play)


def test_the_linter_sees_what_is_not_saved(rails: Path):
    text = (rails / NAME).read_text(encoding="utf-8").replace("$or.join", "$of.join")
    found = asyncio.run(check_all(rails, {Path(NAME): text}))
    assert (NAME, "undefined-variable") in {(one.file, one.code) for one in found}


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("raise SystemExit(3)", "exit code 3"),
        ("import os; os.kill(os.getpid(), 9)", "exit code -9"),
        ("print('{}')", "not a list of findings"),
        ("print('[1]')", "not a list of findings"),
        ("print('[{\"fix\": []}]')", "not a list of findings"),
        ("", "not a list of findings"),
    ],
)
def test_a_linter_that_dies_or_babbles_is_a_failure(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str, said: str
):
    instead(monkeypatch, tmp_path, script)
    with pytest.raises(CheckFailed, match=said):
        asyncio.run(check_all(tmp_path, {}))


def test_a_linter_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    instead(
        monkeypatch,
        tmp_path,
        f"import os, time; open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid())); time.sleep(60)",
    )

    async def main() -> None:
        task = asyncio.ensure_future(check_all(tmp_path, {}))
        await until(lambda: (tmp_path / "pid").is_file() and (tmp_path / "pid").read_text() != "")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)
    monkeypatch.setattr(behind, "GIVE_UP_S", 0.5)
    with pytest.raises(CheckFailed, match="no answer"):
        asyncio.run(check_all(tmp_path, {}))


def instead(monkeypatch: pytest.MonkeyPatch, home: Path, script: str) -> None:
    """Run a script in place of the linter."""
    real: Any = asyncio.create_subprocess_exec
    (home / "script.py").write_text(script, encoding="utf-8")

    async def start(program: str, *arguments: str, **how: Any) -> Any:
        return await real(program, str(home / "script.py"), **how)

    monkeypatch.setattr(behind.asyncio, "create_subprocess_exec", start)


@pytest.mark.parametrize(
    ("before", "after", "line", "now"),
    [
        ("a\nb\nc", "a\nx\nb\nc", 2, 3),
        ("a\nb\nc", "a\nb\nx\nc", 2, 2),
        ("a\nb\nc", "a\nB\nc", 2, None),
        ("a\nb\nc", "b\nc", 3, 2),
        ("a\na\na", "a\na", 3, None),
        ("", "a\n", 1, 2),
    ],
)
def test_where_a_line_has_moved(before: str, after: str, line: int, now: int | None):
    assert moved(line, Lines(before), Lines(after)) == now


def test_findings_survive_the_way_to_the_server():
    row = json.loads(
        json.dumps(
            {
                "code": "c",
                "severity": "error",
                "file": "f",
                "line": 1,
                "column": 1,
                "end_column": 2,
                "message": "m",
                "mend": "",
                "fix": [{"line": 1, "column": 1, "end_line": 1, "end_column": 2, "text": "x"}],
            }
        )
    )
    assert behind._finding(row).fix == (Edit(1, 1, 1, 2, "x"),)  # pyright: ignore[reportPrivateUsage]
