"""Keeps the findings of a directory: under the hash of its files and of the code that judges."""

from __future__ import annotations

import hashlib
import json
import platform
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from carerails.keeping import Shelf
from carerails.lint.finding import Edit, Finding
from carerails.lint.project import Project

SHELF = Shelf("lint", ".json", most=8)
_CODE = ("lint/*.py", "colang/*.py", "matching/*.py", "guards/*.py", "text/*.py", "policy.py", "contracts/*.py")


def path_of(project: Project) -> Path | None:
    """Where the findings of just these files are kept; None where they are not."""
    try:
        key = hashlib.sha256(_code().encode())
    except OSError:
        return None
    for name, text in (*project.colang.items(), *project.yaml.items()):
        key.update(repr((name, len(text))).encode() + text.encode())
    return SHELF.path(key.hexdigest())


def read(path: Path) -> list[Finding] | None:
    """What was kept there, if it is findings."""
    try:
        rows: list[dict[str, Any]] = json.loads(SHELF.read(path) or b"")
        return [_finding(row) for row in rows]
    except (ValueError, TypeError, LookupError):
        return None


def _finding(row: dict[str, Any]) -> Finding:
    return Finding(**{**row, "fix": tuple([Edit(**edit) for edit in row["fix"]])})  # pyright: ignore[reportArgumentType]


def write(path: Path, found: list[Finding]) -> None:
    """Keep findings."""
    SHELF.write(path, json.dumps([asdict(one) for one in found], separators=(",", ":")).encode())


@cache
def _code() -> str:
    package = Path(__file__).parent.parent
    key = hashlib.sha256(platform.python_version().encode())
    for path in sorted(path for pattern in _CODE for path in package.glob(pattern)):
        key.update(path.read_bytes())
    return key.hexdigest()
