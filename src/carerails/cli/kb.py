"""`carerails kb lint`: check the cards."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path

from carerails.cli import PASS, REGRESSION
from carerails.cli.console import note


def lint(path: Path | None, as_json: bool) -> int:
    """Print every finding; exit 1 when one is an error."""
    from carerails.knowledge.lint import lint as check

    findings = check(path)
    if as_json:
        json.dump([dataclasses.asdict(finding) for finding in findings], sys.stdout, ensure_ascii=False, indent=1)
        sys.stdout.write("\n")
    else:
        for finding in findings:
            sys.stdout.write(f"{finding}\n")
        errors = sum(finding.severity == "error" for finding in findings)
        note(f"{errors} errors, {len(findings) - errors} warnings")
    return REGRESSION if any(finding.severity == "error" for finding in findings) else PASS
