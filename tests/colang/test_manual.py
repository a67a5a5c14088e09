"""docs/portable-colang.md says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

from carerails.colang.expressions import FUNCTIONS, METHODS
from carerails.colang.manual import table, written
from carerails.colang.rules import META
from tests.colang import ours

PAGE = Path(__file__).parents[2] / "docs" / "portable-colang.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_the_table_of_diagnostics_is_that_of_the_code():
    assert written(TEXT) == TEXT, f"python -m carerails.colang.manual {PAGE}"
    assert table() in TEXT


def test_the_rule_on_the_page_compiles():
    (rule,) = re.findall(r"```colang\n(.*?)```", TEXT, re.DOTALL)
    vocabulary = '\nflow having it -> $frame\n  return "\\\\b(?:i have|my) "\n'
    program = ours.Program(rule + vocabulary)
    assert program.run("red flag chest pain", ["i have pressure"]) == ["i have pressure"]


def test_every_function_method_and_meta_key_is_on_the_page():
    for name in (*FUNCTIONS, *METHODS):
        assert re.search(rf"\b{name}\(", TEXT), name
    for kind, keys in META.items():
        assert f"| `{kind}` |" in TEXT
        for key in keys:
            assert f"`{key}`" in TEXT, key
