"""A kept analysis is used for just the same regexes, and anything odd about its file is as good as no file."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from carerails.matching import Matcher, analysis, cache
from carerails.matching.analysis import Analysis, Arm, Facts, analyse

REGEXES = [
    "|".join(f"\\b(?:take|took) {n} of[^.!?\\n]{{0,40}}(?:pills?|tablets?)\\b" for n in range(400)),
    "(?=chest)chest|pain",
    "chest pain",
]
TEXT = "i took 7 of my mother's tablets and have chest pain"


def refuse(*_: object) -> Analysis:
    raise AssertionError("analysed again")


def analyses(home: Path) -> list[Path]:
    """The files with analyses of several regexes together."""
    return list(home.glob("analysis-*"))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("CARERAILS_CACHE", raising=False)
    return tmp_path / "carerails"


@pytest.fixture
def kept(home: Path) -> Path:
    """The one file with the analysis of REGEXES, and none of their arms."""
    cache.analysis_of(REGEXES)
    for arms in home.glob("arms-*"):
        arms.unlink()
    (path,) = home.iterdir()
    return path


def answers(regexes: list[str]) -> list[list[str]]:
    scan = Matcher(regexes).scan(TEXT)
    return [scan.find_all(number) for number in range(len(regexes))]


def test_the_second_time_nothing_is_analysed(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = analyse(REGEXES)
    monkeypatch.setattr(cache, "joined", refuse)
    again = cache.analysis_of(REGEXES)
    assert again == fresh
    assert all(isinstance(arm, Arm) for arm in again.arms)
    assert answers(REGEXES) == [["took 7 of my mother's tablets"], ["chest", "pain"], ["chest pain"]]
    assert kept.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("change", [[*REGEXES, "pain"], REGEXES[::-1], [REGEXES[0] + "|dolor", *REGEXES[1:]]])
def test_other_regexes_are_analysed_anew(kept: Path, change: list[str]) -> None:
    assert cache.analysis_of(change) == analyse(change)
    assert len(analyses(kept.parent)) == 2


def test_other_code_is_not_trusted(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_CODE", ("tree.py",))
    cache.analysis_of(REGEXES)
    assert len(analyses(kept.parent)) == 2


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def binary(path: Path) -> None:
    path.write_bytes(os.urandom(1000))


def tampered(path: Path) -> None:
    """Still JSON, of the right shape: a literal that never stands anywhere would turn rules off."""
    path.write_bytes(path.read_bytes().replace(b"tablets", b"tablEts"))


def of_another(path: Path) -> None:
    """What was kept of other regexes, under this name."""
    cache.analysis_of(["chest pain"] * 3000)
    other = next(file for file in analyses(path.parent) if file != path)
    other.replace(path)


def writable_by_others(path: Path) -> None:
    path.chmod(0o666)


def a_directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("damage", [cut, empty, binary, tampered, of_another, writable_by_others, a_directory])
def test_a_file_that_is_not_ours_or_damaged_is_no_file(kept: Path, damage: object) -> None:
    assert callable(damage)
    damage(kept)
    assert cache.analysis_of(REGEXES) == analyse(REGEXES)
    if kept.is_file():
        assert cache.read(kept) == analyse(REGEXES)  # written anew
    assert not list(kept.parent.glob(".new-*"))


def test_where_nothing_can_be_kept_it_works_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert cache.analysis_of(REGEXES) == analyse(REGEXES)


def test_it_can_be_switched_off(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARERAILS_CACHE", "off")
    assert cache.analysis_of(REGEXES) == analyse(REGEXES)
    assert not home.exists()


def test_a_few_regexes_are_not_worth_a_file(home: Path) -> None:
    Matcher(["chest pain", "stroke"])
    assert not home.exists()


def test_only_the_newest_are_kept(home: Path) -> None:
    for number in range(12):
        cache.analysis_of([*REGEXES, f"pain {number}"])
    assert len(analyses(home)) == 8
    newest = cache.path_of([*REGEXES, "pain 11"])
    assert newest
    assert newest.is_file()


def test_several_at_once(home: Path) -> None:
    start = threading.Barrier(4)
    found: list[Analysis] = []

    def run() -> None:
        start.wait()
        found.append(cache.analysis_of(REGEXES))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (path,) = analyses(home)
    assert found == [analyse(REGEXES)] * 4
    assert cache.read(path) == found[0]


def test_only_an_arm_that_is_new_is_analysed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.analysis_of(REGEXES)
    asked: list[str] = []

    def facts_of(source: str) -> Facts | None:
        asked.append(source)
        return analysis.facts_of(source)

    monkeypatch.setattr(cache, "_facts", facts_of)
    change = [REGEXES[0] + "|dolor", *REGEXES[1:]]
    assert cache.analysis_of(change) == analyse(change)
    assert asked == ["dolor"]


@pytest.mark.parametrize("damage", [cut, empty, binary, tampered, writable_by_others, a_directory])
def test_damaged_arms_are_no_arms(home: Path, damage: object) -> None:
    cache.analysis_of(REGEXES)
    (arms,) = home.glob("arms-*")
    assert callable(damage)
    damage(arms)
    change = [REGEXES[0] + "|dolor", *REGEXES[1:]]
    assert cache.analysis_of(change) == analyse(change)


FLOWS = "".join(
    f'flow words {name}\n  return "{name}"\n\n'
    f"flow asks {name} $text -> $found\n  $w = await words {name}\n  $v = await words a\n"
    f"  return find_all($w + $v, $text)\n\n"
    for name in "abcdefghij"
)
SHOW = """\
import sys
from pathlib import Path
from carerails.policy import Policy
print(Policy.load(Path(sys.argv[1]), check=False)._matcher.regexes)
"""


def test_every_process_numbers_the_regexes_alike(tmp_path: Path) -> None:
    """Or else no command would find what another has kept."""
    (tmp_path / "rules.co").write_text(FLOWS, encoding="utf-8")
    shown = {
        subprocess.run(
            [sys.executable, "-c", SHOW, str(tmp_path)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(shown) == 1
    assert "aa" in shown.pop()
