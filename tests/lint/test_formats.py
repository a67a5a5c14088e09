"""What a machine gets: SARIF that its schema accepts, annotations with their places, JSON that reads back."""

from __future__ import annotations

import gc
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from typer.testing import CliRunner

from carerails.cli import app
from carerails.lint import Finding, lint
from carerails.lint.formats import FORMATS
from tests.lint import pack

TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
ARTIFACT = {"type": "object", "required": ["uri"], "properties": {"uri": {"type": "string", "minLength": 1}}}
REGION = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        name: {"type": "integer", "minimum": 1} for name in ("startLine", "startColumn", "endLine", "endColumn")
    },
}
#: The part of the OASIS schema for SARIF 2.1.0 that we write; everything else is refused.
SARIF: dict[str, Any] = {
    "type": "object",
    "required": ["version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool"],
                "additionalProperties": False,
                "properties": {
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "additionalProperties": False,
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name"],
                                "additionalProperties": False,
                                "properties": {
                                    "name": {"type": "string"},
                                    "version": {"type": "string"},
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": {
                                            "type": "object",
                                            "required": ["id"],
                                            "additionalProperties": False,
                                            "properties": {
                                                "id": {"type": "string"},
                                                "shortDescription": TEXT,
                                                "fullDescription": TEXT,
                                                "defaultConfiguration": {
                                                    "type": "object",
                                                    "additionalProperties": False,
                                                    "properties": {"level": LEVEL},
                                                },
                                            },
                                        },
                                    },
                                },
                            }
                        },
                    },
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["message"],
                            "additionalProperties": False,
                            "properties": {
                                "ruleId": {"type": "string"},
                                "ruleIndex": {"type": "integer", "minimum": 0},
                                "level": LEVEL,
                                "message": TEXT,
                                "locations": {
                                    "type": "array",
                                    "items": {
                                        "type": "object",
                                        "additionalProperties": False,
                                        "properties": {
                                            "physicalLocation": {
                                                "type": "object",
                                                "additionalProperties": False,
                                                "properties": {"artifactLocation": ARTIFACT, "region": REGION},
                                            }
                                        },
                                    },
                                },
                                "fixes": {
                                    "type": "array",
                                    "items": {
                                        "type": "object",
                                        "required": ["artifactChanges"],
                                        "additionalProperties": False,
                                        "properties": {
                                            "description": TEXT,
                                            "artifactChanges": {
                                                "type": "array",
                                                "minItems": 1,
                                                "items": {
                                                    "type": "object",
                                                    "required": ["artifactLocation", "replacements"],
                                                    "additionalProperties": False,
                                                    "properties": {
                                                        "artifactLocation": ARTIFACT,
                                                        "replacements": {
                                                            "type": "array",
                                                            "minItems": 1,
                                                            "items": {
                                                                "type": "object",
                                                                "required": ["deletedRegion"],
                                                                "additionalProperties": False,
                                                                "properties": {
                                                                    "deletedRegion": REGION,
                                                                    "insertedContent": {
                                                                        "type": "object",
                                                                        "required": ["text"],
                                                                    },
                                                                },
                                                            },
                                                        },
                                                    },
                                                },
                                            },
                                        },
                                    },
                                },
                            },
                        },
                    },
                },
            },
        },
    },
}
run = CliRunner()


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A policy with an error that can be mended, one that cannot, and a warning."""
    monkeypatch.setenv("CARERAILS_CACHE", "off")
    chest = pack.CHEST.replace("chest pain\\\\b", "Chest pain\\\\b").replace('"\\\\bme duele', '"\\\\bme.*duele')
    words = pack.WORDS + '\nflow old: "words", 50% $t -> $x\n  return $t\n'.replace(': "words", 50%', " words")
    return pack.write(tmp_path / "rails", {"red_flags/chest.co": chest, "vocabulary/words.co": words})


@pytest.fixture
def found(root: Path) -> list[Finding]:
    return [one for one in lint(root) if one.severity != "info"]


def test_sarif_is_what_its_schema_says(root: Path, found: list[Finding]) -> None:
    document = json.loads(FORMATS["sarif"](found, root))
    jsonschema.validate(document, SARIF)
    (sarif,) = document["runs"]
    rules = sarif["tool"]["driver"]["rules"]
    assert [rules[result["ruleIndex"]]["id"] for result in sarif["results"]] == [one.code for one in found]
    regions = [result["locations"][0]["physicalLocation"]["region"]["startLine"] for result in sarif["results"]]
    assert regions == [one.line for one in found]
    assert any("fixes" in result for result in sarif["results"])


def test_sarif_without_a_finding_is_valid_too(tmp_path: Path) -> None:
    jsonschema.validate(json.loads(FORMATS["sarif"]([], tmp_path)), SARIF)


def test_paths_are_from_where_the_command_runs(
    root: Path, found: list[Finding], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root.parent)
    lines = FORMATS["github"](found, root).splitlines()
    (first,) = [line for line in lines if "title=capital::" in line]
    assert first.startswith("::error file=rails/red_flags/chest.co,line=8,col=")


def test_an_annotation_cannot_break_out_of_its_line(tmp_path: Path) -> None:
    odd = Finding("capital", "error", "a,b:c.co", 1, 1, 2, "100%\nof: it", "mend")
    (line,) = FORMATS["github"]([odd], tmp_path).splitlines()
    assert "a%2Cb%3Ac.co" in line
    assert line.endswith("::100%25%0Aof: it (mend)")


def test_the_command_says_all_that_is_wrong_and_exits_1(root: Path) -> None:
    result = run.invoke(app, ["rails", "lint", str(root), "--format", "json"])
    assert result.exit_code == 1
    rows = json.loads(result.stdout)
    assert {row["code"] for row in rows} >= {"capital", "unbounded-gap", "unused-flow"}
    assert all(row["severity"] in ("error", "warning") for row in rows)


def test_the_level_decides_what_counts(root: Path) -> None:
    (root / "red_flags/chest.co").write_text(pack.CHEST, encoding="utf-8")
    assert run.invoke(app, ["rails", "lint", str(root), "--level", "error"]).exit_code == 0
    assert run.invoke(app, ["rails", "lint", str(root), "--level", "warning"]).exit_code == 1


def test_what_is_no_directory_exits_2(tmp_path: Path) -> None:
    from carerails.errors import UsageError

    result = run.invoke(app, ["rails", "lint", str(tmp_path / "nowhere")])
    assert isinstance(result.exception, UsageError)


def test_a_process_that_lints_collects_garbage_afterwards(tmp_path: Path):
    """It once did not, and a test process that had run the command grew to 14 GB."""
    gc.enable()
    run.invoke(app, ["rails", "lint", str(tmp_path)])
    assert gc.isenabled()
