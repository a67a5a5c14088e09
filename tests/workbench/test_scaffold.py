"""`rails new`: what is begun compiles, is asked about every turn, and fails until it is written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from carerails.errors import UsageError
from carerails.lint import lint
from carerails.lint.settings import lint_settings
from carerails.policy import Policy
from carerails.workbench.scaffold import PRIORITY, red_flag
from tests.lint import pack

SAID = {"en": "my tongue went black", "es-419": 'se me puso "negra" la lengua', "pt-BR": "minha língua ficou preta"}


@pytest.fixture
def rails(tmp_path: Path) -> Path:
    return pack.write(tmp_path / "rails")


@pytest.mark.parametrize("severity", PRIORITY)
def test_what_is_begun_compiles_and_is_asked_once(severity: str, rails: Path, tmp_path: Path) -> None:
    made = red_flag("black-tongue", severity, rails, tmp_path / "cases.jsonl", SAID)  # pyright: ignore[reportArgumentType]
    made.write()
    policy = Policy.load(rails, check=False)
    assert policy.rules[made.flow].meta.category == "black-tongue"
    assert {example.text for example in policy.examples} >= set(SAID.values())
    codes = {one.code for one in lint(rails) if one.severity == "error"}
    assert "rule-order" not in codes
    assert codes >= {"few-examples", "no-guard"}  # no guard yet: the command writes it


def test_the_rule_stands_behind_the_last_of_its_severity(rails: Path, tmp_path: Path) -> None:
    red_flag("black-tongue", "emergency", rails, tmp_path / "cases.jsonl", {}).write()
    order = [line for line in (rails / "main.co").read_text(encoding="utf-8").split("\n") if "[[" in line]
    assert ["black tongue" in line for line in order] == [False, True, False, False]


def test_its_cases_are_labelled_in_three_locales(rails: Path, tmp_path: Path) -> None:
    cases = tmp_path / "cases.jsonl"
    red_flag("black-tongue", "urgent", rails, cases, SAID).write()
    rows = [json.loads(line) for line in cases.read_text(encoding="utf-8").splitlines()]
    assert [row["locale"] for row in rows] == ["en", "es-419", "pt-BR"]
    assert {(row["expected"], row["severity"]) for row in rows} == {("escalate", "urgent")}


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("Black tongue", "no name of a category"),
        ("black_tongue", "no name of a category"),
        ("../x", "no name of a category"),
        ("chest-pain", "there is a category"),
        ("rash", "there is a category"),
    ],
)
def test_a_name_that_is_none_or_taken_writes_nothing(name: str, what: str, rails: Path, tmp_path: Path) -> None:
    before = {path: path.read_text(encoding="utf-8") for path in rails.rglob("*.co")}
    with pytest.raises(UsageError, match=what):
        red_flag(name, "urgent", rails, tmp_path / "cases.jsonl", {})
    assert {path: path.read_text(encoding="utf-8") for path in rails.rglob("*.co")} == before


def test_a_file_that_is_there_is_not_written_over(rails: Path, tmp_path: Path) -> None:
    cases = tmp_path / "cases.jsonl"
    cases.write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match="is there already"):
        red_flag("black-tongue", "urgent", rails, cases, {})
    assert cases.read_text(encoding="utf-8") == "mine"


WORDS = {
    "categories.yml": "red-flags:\n  # now\n  chest-pain:\n    en: {name: A}\n"
    "  # today\n  rash:\n    en: {name: B}\nscope:\n  x:\n",
    "deferred.yml": "# Why.\ndeferred:\n  urgent rash:\n    rails: old ones\n    en: old ones\n",
}


@pytest.mark.parametrize(
    ("severity", "before"), [("emergency", "  # today"), ("urgent", "scope:"), ("crisis", "scope:")]
)
def test_its_words_are_begun_behind_those_of_its_severity(
    severity: str, before: str, rails: Path, tmp_path: Path
) -> None:
    config = tmp_path / "config"
    config.mkdir()
    for name, text in WORDS.items():
        (config / name).write_text(text, encoding="utf-8")
    made = red_flag("black-tongue", severity, rails, tmp_path / "cases.jsonl", SAID, config)  # pyright: ignore[reportArgumentType]
    made.write()
    lines = (config / "categories.yml").read_text(encoding="utf-8").split("\n")
    at = lines.index("  black-tongue:")
    assert [line.split(":")[0].strip() for line in lines[at + 1 : at + 4]] == ["en", "es-419", "pt-BR"]
    assert lines[at + 4] == before
    assert (config / "deferred.yml").read_text(encoding="utf-8").startswith(WORDS["deferred.yml"] + f"  {made.flow}:\n")
    found = [(one.file, one.line) for one in lint_settings(config) if one.code == "unwritten"]
    assert found == [
        *(("categories.yml", at + 2 + n) for n in range(3)),
        *(("deferred.yml", n) for n in (8, 9, 10)),
    ]


def test_what_is_begun_and_not_written_is_found(rails: Path, tmp_path: Path) -> None:
    red_flag("black-tongue", "urgent", rails, tmp_path / "cases.jsonl", {"en": SAID["en"]}).write()
    found = {(one.file, one.line) for one in lint(rails) if one.code == "unwritten"}
    assert {line for file, line in found if file == "red_flags/black_tongue.co"} == {6, 8, 9, 10}
    assert {line for file, line in found if file == "examples/black_tongue.co"} == {6, 8}
