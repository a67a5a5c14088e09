"""`rails lint` on small policies with one thing wrong each."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from carerails.colang.lint import ENOUGH_EXAMPLES, lint
from carerails.colang.rules import SLUGS
from carerails.errors import UsageError
from tests.colang.policy_texts import CHEST, GUARDS, IDIOM, MAIN, write


def examples(category: str, count: int = ENOUGH_EXAMPLES) -> str:
    """As many examples as asked for, in each locale."""
    groups = [
        f"  # {locale}\n" + "".join(f'  user said "{locale} {number}"\n' for number in range(count))
        for locale in ("en", "es-419", "pt-BR")
    ]
    return f"flow examples of {category}\n" + "".join(groups)


TEMPLATES = "\n".join(
    f'@meta(kind="template", slug="{slug}")\n'
    f'flow template {slug.replace("-", " ")} $locale $numbers -> $text\n  return "text"\n'
    for slug in SLUGS
)
CLEAN: dict[str, str | None] = {
    "templates/all.co": TEMPLATES,
    "examples/chest.co": examples("chest pain"),
    "examples/despair.co": examples("despair"),
}


def found(directory: Path, changes: Mapping[str, str | None]) -> list[tuple[str, str, int]]:
    return [(f.code, f.file, f.line) for f in lint(write(directory, {**CLEAN, **changes}))]


def test_a_clean_policy_has_no_findings(tmp_path: Path):
    assert found(tmp_path, {}) == []


UNREPORTED = MAIN.replace('[["red flag chest pain", $terms]]', '[["red flag despair", $terms]]')
SECTION = MAIN.split("acute, $text)\n")[1].split("  if search($guards.despair")[0]
TWICE = MAIN.replace("  return $hits", f"  if search($guards.acute, $text)\n{SECTION}  return $hits")
CASES: dict[str, tuple[dict[str, str | None], tuple[str, str, int]]] = {
    "unbounded gap": (
        {"red_flags/chest.co": CHEST.replace("tight chest", "tight.*chest")},
        ("regex", "red_flags/chest.co", 9),
    ),
    "no literal": (
        {"red_flags/chest.co": CHEST.replace("\\\\btight chest\\\\b", "\\\\d\\\\d/\\\\d")},
        ("regex", "red_flags/chest.co", 9),
    ),
    "a rule that nobody asks": (
        {"main.co": MAIN.split("  if search($guards.despair")[0] + "  return $hits\n"},
        ("rule-order", "red_flags/despair.co", 2),
    ),
    "a rule reported under another name": ({"main.co": UNREPORTED}, ("rule-order", "red_flags/chest.co", 4)),
    "too few examples": (
        {"examples/chest.co": examples("chest pain", 11)},
        ("few-examples", "red_flags/chest.co", 4),
    ),
    "examples of nothing": (
        {"examples/more.co": examples("cest pain")},
        ("unknown-category", "examples/more.co", 3),
    ),
    "a rule asked twice": ({"main.co": TWICE}, ("rule-order", "red_flags/chest.co", 4)),
    "a rule that hits on absence": (
        {"red_flags/despair.co": IDIOM.replace("return []", 'return ["x"]')},
        ("hits-nothing", "red_flags/despair.co", 2),
    ),
    "examples without a locale": (
        {"examples/chest.co": examples("chest pain").replace("  # en\n", "")},
        ("example-locale", "examples/chest.co", 2),
    ),
    "something else among the examples": (
        {"examples/chest.co": examples("chest pain") + "  bot say hi\n"},
        ("examples", "examples/chest.co", 41),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_wrong_is_found_at_its_place(name: str, tmp_path: Path):
    changes, expected = CASES[name]
    assert expected in found(tmp_path, changes)


def test_a_missing_template_is_named(tmp_path: Path):
    without = "\n".join(part for part in TEMPLATES.split("\n\n") if "urgent-care" not in part)
    (finding,) = lint(write(tmp_path, {**CLEAN, "templates/all.co": without}))
    assert (finding.code, "urgent-care" in finding.what) == ("missing-template", True)


def test_a_pattern_on_what_another_found_needs_no_literal(tmp_path: Path):
    again = [
        '  $hits = find_all("\\\\bchest \\\\d\\\\b", $text)',
        "  if len($hits) > 0",
        '    return find_all("\\\\d", $hits[0])',
        "  return",
    ]
    digits = CHEST.replace("  return", "\n".join(again))
    assert found(tmp_path, {"red_flags/chest.co": digits}) == []


def test_guards_that_are_out_of_date_do_not_hide_the_rest(tmp_path: Path):
    changes = {"guards.co": GUARDS.replace('"chest":', '"x":'), "examples/chest.co": examples("chest pain", 3)}
    assert {code for code, _, _ in found(tmp_path, changes)} == {"no-guard", "few-examples"}


def test_findings_can_be_written_as_json(tmp_path: Path):
    findings = lint(write(tmp_path, {**CLEAN, "main.co": None}))
    assert json.loads(json.dumps([dataclasses.asdict(finding) for finding in findings]))[0]["code"] == "no-check"


def test_an_empty_directory_is_an_error(tmp_path: Path):
    with pytest.raises(UsageError):
        lint(tmp_path)
