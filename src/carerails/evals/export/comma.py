"""CSV as RFC 4180 has it: UTF-8, every field that needs it in quotes, a header line."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from carerails.evals.export.columns import columns
from carerails.evals.runs import RunFolder, Summary

#: A cell that begins with one of these is a formula to a spreadsheet (OWASP, CSV injection), the full-width ones too.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def write(folder: RunFolder, summary: Summary, out: Path, suffix: str) -> None:
    """Write row by row."""
    chosen = columns(folder, summary)
    with out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([column.name for column in chosen])
        for row in folder.rows():
            writer.writerow([cell(column.of(row)) for column in chosen])


def cell(value: Any) -> Any:
    """A value as a field: nothing for None, `true` or `false`, lists as JSON, texts that no spreadsheet runs."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return json.dumps(value, ensure_ascii=False) if value else None
    if isinstance(value, str) and value.startswith(FORMULA):
        return f"'{value}"
    return value
