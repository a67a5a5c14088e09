"""The table of diagnostics in docs/portable-colang.md, from the code: `python -m carerails.colang.manual FILE`."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from carerails.colang.diagnostics import KINDS

_TABLE = re.compile(r"(?<=<!-- diagnostics -->\n).*?(?=<!-- /diagnostics -->)", re.DOTALL)


def table() -> str:
    """Every kind of diagnostic as a row of Markdown."""
    rows = [f"| `{code}` | {_cell(kind.what)} | {_cell(kind.mend)} |" for code, kind in KINDS.items()]
    return "\n".join(["| code | what | mend |", "|---|---|---|", *rows]) + "\n"


def written(page: str) -> str:
    """The page with the table of today.

    Raises:
        ValueError: it has no place for one.
    """
    if not _TABLE.search(page):
        raise ValueError("no <!-- diagnostics --> in this page")
    return _TABLE.sub(lambda _: table(), page)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(written(path.read_text(encoding="utf-8")), encoding="utf-8")
