"""Our own rails and settings: no false alarm, in time."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from carerails.errors import UsageError
from carerails.lint import at_least, lint, lint_file
from carerails.lint.settings import lint_settings
from carerails.resources import data_dir
from tests.lint import pack

RAILS = data_dir("rails")
#: Seconds: three times what is promised, since tests share a machine.
WARM_S, QUICK_S = 3.0, 0.9


@pytest.fixture(autouse=True)
def nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARERAILS_CACHE", "off")


@pytest.fixture
def kept(nothing_is_kept: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is looked at stays in the user's cache: `make check` has it from there."""
    monkeypatch.delenv("CARERAILS_CACHE")


@pytest.mark.slow
@pytest.mark.usefixtures("kept")
def test_our_rails_have_no_finding_and_the_second_time_is_quick() -> None:
    assert [str(one) for one in at_least(lint(RAILS), "warning")] == []
    begin = time.perf_counter()
    lint(RAILS)
    assert time.perf_counter() - begin < WARM_S


def test_our_settings_have_no_finding() -> None:
    assert [str(one) for one in lint_settings(data_dir("config"))] == []


@pytest.mark.usefixtures("kept")
def test_the_largest_file_is_looked_at_while_somebody_types() -> None:
    largest = max((RAILS / "red_flags").glob("*.co"), key=lambda path: path.stat().st_size)
    text = largest.read_text(encoding="utf-8")
    lint_file(RAILS, largest)
    begin = time.perf_counter()
    found = lint_file(RAILS, largest, {largest: text.replace('"\\\\b', '"\\\\bq.*', 1)})
    assert time.perf_counter() - begin < QUICK_S
    assert {one.code for one in found} == {"unbounded-gap"}


CONFIGS = [
    ("config-key", "profiles/default.yml", "deadline_s:", "§deadlines_s:"),
    ("config-value", "profiles/default.yml", "deadline_s: 2.0", "§deadline_s: -1"),
    ("missing-number", "profiles/default.yml", "  en: US", "  §en: ZZ"),
    ("missing-number", "profiles/default.yml", "  pt-BR: BR", "  §pt-BR: HN"),
    ("config-key", "numbers.yml", "  HN: {name: Honduras,", "  §HN: {nome: Honduras,"),
    ("config-value", "numbers.yml", '  ES: {name: España, emergency: "112"', "  §ES: {name: España, emergency: 061"),
    ("config-value", "numbers.yml", "  HN: {name: Honduras,", "  §uk: {name: Honduras,"),
    ("config-value", "profiles/default.yml", "deadline_s: 2.0", "§deadline_s: 2s"),
    ("config-value", "profiles/default.yml", "  es-419: null", "  §es: null"),
    ("duplicate-key", "profiles/default.yml", "deadline_s: 2.0", "deadline_s: 2.0\n§deadline_s: 60"),
]


@pytest.mark.parametrize(("code", "file", "old", "new"), CONFIGS, ids=[f"{row[0]} {row[3]}" for row in CONFIGS])
def test_a_mistake_in_settings_is_found_at_its_line(code: str, file: str, old: str, new: str, tmp_path: Path) -> None:
    config = tmp_path / "config"
    (config / "profiles").mkdir(parents=True)
    for name in ("numbers.yml", "profiles/default.yml"):
        shutil.copy(data_dir("config") / name, config / name)
    marked = (config / file).read_text(encoding="utf-8").replace(old, new, 1)
    assert "§" in marked
    (config / file).write_text(marked.replace("§", ""), encoding="utf-8")
    line = marked[: marked.index("§")].count("\n") + 1
    found = lint_settings(config)
    assert (code, file, line) in [(one.code, one.file, one.line) for one in found], [str(one) for one in found]


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    root = pack.write(tmp_path)
    (root / "red_flags/chest.co").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match=r"chest\.co: cannot be read"):
        lint(root)


@pytest.mark.parametrize("name", ["red_flags/new.colang", "red_flags/new.co.txt", "red_flags/new.CO"])
def test_a_file_of_rails_that_nobody_reads_is_named(name: str, tmp_path: Path) -> None:
    root = pack.write(tmp_path)
    (root / name).write_text("flow red flag new $text -> $terms\n", encoding="utf-8")
    assert [(one.code, one.file) for one in at_least(lint(root), "warning")] == [("not-read", name)]


def test_a_profile_that_nobody_reads_is_named(tmp_path: Path) -> None:
    (tmp_path / "profiles").mkdir()
    shutil.copy(data_dir("config") / "numbers.yml", tmp_path / "numbers.yml")
    (tmp_path / "profiles/strict.yaml").write_text("deadline_s: 1\n", encoding="utf-8")
    assert [(one.code, one.file) for one in lint_settings(tmp_path)] == [("not-read", "profiles/strict.yaml")]
