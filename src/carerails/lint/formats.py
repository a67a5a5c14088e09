"""Findings as lines for a person, as JSON, as GitHub's annotations, or as SARIF."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from carerails import __version__
from carerails.lint.finding import Finding, Severity
from carerails.lint.table import RULES

#: How other formats call our severities.
_GITHUB: Mapping[Severity, str] = {"error": "error", "warning": "warning", "info": "notice"}
_SARIF: Mapping[Severity, str] = {"error": "error", "warning": "warning", "info": "note"}
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def text(found: Sequence[Finding], root: Path) -> str:
    """A line each: place, severity, what, code, mend."""
    return "".join(f"{finding}\n" for finding in found)


def as_json(found: Sequence[Finding], root: Path) -> str:
    """One array."""
    return json.dumps([asdict(finding) for finding in found], ensure_ascii=False, indent=1) + "\n"


def github(found: Sequence[Finding], root: Path) -> str:
    """Workflow commands, which GitHub shows beside the lines of a change."""
    return "".join(f"{line}\n" for line in _annotations(found, root))


def sarif(found: Sequence[Finding], root: Path) -> str:
    """SARIF 2.1.0 (OASIS): one run, its rules, a result a finding, with fixes."""
    used = list(dict.fromkeys(finding.code for finding in found))
    run = {
        "tool": {
            "driver": {
                "name": "carerails",
                "version": __version__,
                "rules": [_descriptor(code) for code in used],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, root, used.index(finding.code)) for finding in found],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=1) + "\n"


FORMATS: Mapping[str, Callable[[Sequence[Finding], Path], str]] = {
    "text": text,
    "json": as_json,
    "sarif": sarif,
    "github": github,
}


def _annotations(found: Sequence[Finding], root: Path) -> Iterator[str]:
    for one in found:
        place = f"file={_property(_path(one, root))},line={one.line},col={one.column},endColumn={one.end_column}"
        said = _data(f"{one.message} ({one.mend})")
        yield f"::{_GITHUB[one.severity]} {place},title={_property(one.code)}::{said}"


def _data(said: str) -> str:
    return said.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(said: str) -> str:
    return _data(said).replace(":", "%3A").replace(",", "%2C")


def _path(finding: Finding, root: Path) -> str:
    """From the directory that the command runs in, where that has it."""
    path = (root / finding.file).resolve()
    here = Path.cwd()
    return (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()


def _descriptor(code: str) -> dict[str, Any]:
    rule = RULES[code]
    return {
        "id": code,
        "shortDescription": {"text": rule.what.replace("{}", "...") if rule.what != "{}" else code.replace("-", " ")},
        "fullDescription": {"text": rule.why},
        "defaultConfiguration": {"level": _SARIF[rule.severity]},
    }


def _result(finding: Finding, root: Path, index: int) -> dict[str, Any]:
    region = {"startLine": finding.line, "startColumn": finding.column, "endColumn": finding.end_column}
    artifact = {"uri": _uri(finding, root)}
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": _SARIF[finding.severity],
        "message": {"text": f"{finding.message} ({finding.mend})"},
        "locations": [{"physicalLocation": {"artifactLocation": artifact, "region": region}}],
    }
    if finding.fix:
        replacements = [
            {
                "deletedRegion": {
                    "startLine": edit.line,
                    "startColumn": edit.column,
                    "endLine": edit.end_line,
                    "endColumn": edit.end_column,
                },
                "insertedContent": {"text": edit.text},
            }
            for edit in finding.fix
        ]
        change = {"artifactLocation": artifact, "replacements": replacements}
        result["fixes"] = [{"description": {"text": finding.mend}, "artifactChanges": [change]}]
    return result


def _uri(finding: Finding, root: Path) -> str:
    path = Path(_path(finding, root))
    return path.as_uri() if path.is_absolute() else path.as_posix()
