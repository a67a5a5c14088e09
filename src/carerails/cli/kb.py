"""`carerails kb lint`: check the cards."""

from __future__ import annotations

from pathlib import Path

from carerails.cli.console import note, print_findings
from carerails.cli.options import PASS, REGRESSION


def lint(path: Path | None, as_json: bool) -> int:
    """Print every finding; exit 1 when one is an error."""
    from carerails.knowledge.lint import lint as check

    findings = check(path)
    print_findings(findings, as_json)
    if not as_json:
        errors = sum(finding.severity == "error" for finding in findings)
        note(f"{errors} errors, {len(findings) - errors} warnings")
    return REGRESSION if any(finding.severity == "error" for finding in findings) else PASS
