"""The linter: everything that is wrong with a directory of rails, ours or of any NeMo configuration. docs/lint.md."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from carerails.lint.finding import Edit, Finding, Severity, at_least
from carerails.lint.table import RULES, Rule

__all__ = ["RULES", "Edit", "Finding", "Overlay", "Rule", "Severity", "at_least", "lint", "lint_file"]

#: Texts that stand in for files on disk: what an editor holds and has not saved. A path is absolute, or relative to
#: the directory that is linted.
Overlay = Mapping[Path, str]


def lint(root: Path, overlay: Overlay | None = None) -> list[Finding]:
    """Everything, by file and line. Runs every example through the rules, which takes seconds where nothing is kept.

    Args:
        root: a directory of `.co` files, ours or of any NeMo configuration.
        overlay: texts in place of files.

    Raises:
        UsageError: there is nothing to lint, or a file that cannot be read.
    """
    from carerails.lint.run import every_finding

    return every_finding(root, overlay or {})


def lint_file(root: Path, file: Path, overlay: Overlay | None = None) -> list[Finding]:
    """Of one file, and quick, for use while somebody types: no example is run and no other file is judged.

    Args:
        root: as for `lint`.
        file: absolute, or relative to `root`.
        overlay: texts in place of files.

    Raises:
        UsageError: as for `lint`.
    """
    from carerails.lint.run import findings_of

    return findings_of(root, file, overlay or {})
