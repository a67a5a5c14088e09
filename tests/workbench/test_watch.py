"""`rails watch`: on a save, the linter's findings of the files that were saved, beside the flips."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from carerails.cli.watch import saved_findings
from carerails.evals.cases import Case
from carerails.evals.watching import Watched
from tests.lint import pack

CASES = [
    ("mine", Case(id="en", text="chest pain now", locale="en", expected="escalate", severity="emergency")),
    ("mine", Case(id="fine", text="when do I take it", locale="en", expected="allow")),
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return pack.write(tmp_path)


def test_a_save_that_compiles_shows_findings_and_flips(root: Path) -> None:
    watched = Watched("native", root, CASES)
    chest = pack.CHEST.replace("\\\\bchest pain\\\\b", "\\\\bchest.*pains\\\\b")
    (root / "red_flags/chest.co").write_text(chest, encoding="utf-8")
    seen = watched.look()
    assert seen
    (line,) = saved_findings(root, seen)
    assert line.startswith("  red_flags/chest.co:8:")
    assert "[unbounded-gap]" in line
    assert [flip.id for flip in seen.flips] == ["en"]


def test_a_save_that_does_not_compile_is_told_once(root: Path) -> None:
    watched = Watched("native", root, CASES)
    (root / "red_flags/chest.co").write_text(pack.CHEST.replace("await pressed", "await presed"), encoding="utf-8")
    seen = watched.look()
    assert seen
    assert any("undefined-flow" in error for error in seen.errors)
    assert list(saved_findings(root, seen)) == []


def test_a_file_that_is_gone_is_not_linted(root: Path) -> None:
    watched = Watched("native", root, CASES)
    (root / "examples/rash.co").unlink()
    seen = watched.look()
    assert seen
    assert list(saved_findings(root, seen)) == []


def test_only_a_directory_can_be_watched(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "carerails", "rails", "watch", "--rails", str(tmp_path / "policy.json")],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 2
    assert "only a directory of .co files can be watched" in done.stderr


def test_the_command_warms_up_on_a_relative_path(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from carerails.cli.watch import warm

    monkeypatch.chdir(root.parent)
    warm(Path(root.name))
