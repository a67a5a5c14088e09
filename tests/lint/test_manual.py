"""docs/lint.md says what the code does."""

from __future__ import annotations

from pathlib import Path

from carerails.lint.manual import table, written

PAGE = Path(__file__).parents[2] / "docs" / "lint.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_the_table_of_rules_is_that_of_the_code() -> None:
    assert written(TEXT) == TEXT, f"python -m carerails.lint.manual {PAGE}"
    assert table() in TEXT


def test_every_option_is_on_the_page() -> None:
    for option in ("--format", "--level", "--fix", "--config"):
        assert f"`{option}" in TEXT
