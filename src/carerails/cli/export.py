"""`carerails eval export`: a run in another program's format."""

from __future__ import annotations

from pathlib import Path

from carerails.cli.console import note
from carerails.cli.options import PASS
from carerails.evals.export import Format
from carerails.evals.export import export as write


def export(run: Path, to: Format, out: Path) -> int:
    """Write, and say what; a run with failed checks is exported as any other, with its failures."""
    count = write(run, to, out)
    note(f"{out}: {count} rows")
    return PASS
