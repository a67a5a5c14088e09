"""Which checks run on what: a whole directory, or one file while somebody types."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from carerails.colang.diagnostics import CompileError, Diagnostic, Report
from carerails.colang.lint import lint as lint_rails
from carerails.colang.parser import parse
from carerails.colang.tree import Source
from carerails.errors import UsageError
from carerails.lint.finding import Finding, ordered
from carerails.lint.table import RULES


def every_finding(root: Path, overlay: Mapping[Path, str]) -> list[Finding]:
    """As `carerails.lint.lint`."""
    del overlay
    return ordered(map(_shown, lint_rails(root)))


def findings_of(root: Path, file: Path, overlay: Mapping[Path, str]) -> list[Finding]:
    """As `carerails.lint.lint_file`."""
    path = root / file
    try:
        text = next((text for name, text in overlay.items() if root / name == path), None)
        text = path.read_text(encoding="utf-8") if text is None else text
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot be read: {type(error).__name__}", "save it as UTF-8", str(path)) from None
    report = Report()
    try:
        parse(Source(path.relative_to(root).as_posix(), text), report)
    except CompileError as error:
        report.found += error.diagnostics
    return ordered(map(_shown, report.found))


def _shown(found: Diagnostic) -> Finding:
    severity = RULES[found.code].severity
    return Finding(found.code, severity, found.file, found.line, found.column, found.column + 1, found.what, found.mend)
