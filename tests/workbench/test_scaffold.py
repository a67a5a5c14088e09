"""`rails new`: what is begun compiles, is asked about every turn, and fails until it is written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from carerails.errors import UsageError
from carerails.lint import lint
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
