"""`carerails kb lint`: check the cards."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path

from carerails.cli import PASS, REGRESSION
from carerails.cli.console import note


def lint(path: Path | None, as_json: bool) -> int:
    """Print every finding; exit 1 when there is one."""
    from carerails.knowledge.lint import lint_cards

    findings = lint_cards(path)
    if as_json:
        json.dump([dataclasses.asdict(finding) for finding in findings], sys.stdout, ensure_ascii=False, indent=1)
        sys.stdout.write("\n")
    else:
        for finding in findings:
            sys.stdout.write(f"{finding}\n")
        note(f"{len(findings)} findings" if findings else "the cards are clean")
    return REGRESSION if findings else PASS
