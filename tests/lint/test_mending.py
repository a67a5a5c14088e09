"""`--fix` does what is mechanical, leaves the rest, and a second time does nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from carerails.cli import app
from carerails.lint import Edit, lint
from carerails.lint.mending import mended
from tests.lint import pack

#: A line of chest.co or dosing.co, what a mistake makes of it, and what it must be again.
MENDS: list[tuple[str, str, str, str]] = [
    ("single-backslash", pack.CHEST, '"\\\\bchest pain\\\\b"', '"\\bchest pain\\b"'),
    ("single-brace", pack.CHEST, '"\\\\bchest pain\\\\b"', '"\\\\bchest pain\\\\b.{0,9}"'),
    ("capital", pack.CHEST, '"\\\\bchest pain\\\\b"', '"\\\\bChest Pain\\\\b"'),
    ("accent", pack.CHEST, '"\\\\bdolor de pecho\\\\b"', '"\\\\bdolór de pecho\\\\b"'),
    ("quotes", pack.CHEST, '$or = "|"', "$or = '|'"),
    ("undefined-flow", pack.CHEST, "await pressed", "await presed"),
    ("undefined-variable", pack.CHEST, "$or + $pressed", "$or + $presed"),
    ("tab", pack.CHEST, '$or = "|"', '$or =\t"|"'),
    ("unused-variable", pack.CHEST, '  $or = "|"\n', '  $or = "|"\n  $x = ["a",\n    "b"]\n'),
    ("unused-suppression", pack.CHEST, "# Chest pain.\n", "# Chest pain.\n\n# lint: allow capital: why\n"),
]


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARERAILS_CACHE", "off")


@pytest.mark.parametrize(("code", "text", "right", "wrong"), MENDS, ids=[row[0] for row in MENDS])
def test_a_mend_leaves_nothing_of_its_mistake(code: str, text: str, right: str, wrong: str, tmp_path: Path) -> None:
    root = pack.write(tmp_path, {"red_flags/chest.co": text.replace(right, wrong, 1)})
    assert code in {one.code for one in lint(root)}
    CliRunner().invoke(app, ["rails", "lint", str(root), "--fix"])
    assert code not in {one.code for one in lint(root)}
    after = (root / "red_flags/chest.co").read_text(encoding="utf-8")
    if code not in ("single-brace", "unused-suppression"):
        assert after == text
    CliRunner().invoke(app, ["rails", "lint", str(root), "--fix"])
    assert (root / "red_flags/chest.co").read_text(encoding="utf-8") == after


def test_what_needs_a_person_is_left_alone(tmp_path: Path) -> None:
    chest = pack.CHEST.replace("chest pain\\\\b", "chest.*pain\\\\b")
    root = pack.write(tmp_path, {"red_flags/chest.co": chest})
    CliRunner().invoke(app, ["rails", "lint", str(root), "--fix"])
    assert (root / "red_flags/chest.co").read_text(encoding="utf-8") == chest


def test_edits_that_overlap_are_not_both_made() -> None:
    text, count = mended("abc\ndef\n", [(Edit(1, 1, 1, 3, "x"),), (Edit(1, 2, 1, 4, "y"),), (Edit(2, 1, 2, 2, ""),)])
    assert (text, count) == ("xc\nef\n", 2)


def test_several_edits_of_one_fix_are_all_made() -> None:
    assert mended("'a'", [(Edit(1, 1, 1, 2, '"'), Edit(1, 3, 1, 4, '"'))]) == ('"a"', 1)
