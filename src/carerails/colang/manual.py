"""The table of diagnostics in docs/portable-colang.md, from the code: `python -m carerails.colang.manual FILE`."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from carerails.colang.diagnostics import KINDS


def table() -> str:
    """Every kind of diagnostic as a row of Markdown."""
    rows = [f"| `{code}` | {cell(kind.what)} | {cell(kind.mend)} |" for code, kind in KINDS.items()]
    return "\n".join(["| code | what | mend |", "|---|---|---|", *rows]) + "\n"


def written(page: str) -> str:
    """The page with the table of today.

    Raises:
        ValueError: it has no place for one.
    """
    return placed(page, "diagnostics", table())


def placed(page: str, name: str, table: str) -> str:
    """A page with a table between `<!-- name -->` and `<!-- /name -->`.

    Raises:
        ValueError: it has no such place.
    """
    place = re.compile(rf"(?<=<!-- {name} -->\n).*?(?=<!-- /{name} -->)", re.DOTALL)
    if not place.search(page):
        raise ValueError(f"no <!-- {name} --> in this page")
    return place.sub(lambda _: table, page)


def cell(text: str) -> str:
    """A text as it stands in a table of Markdown."""
    return text.replace("|", "\\|")


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(written(path.read_text(encoding="utf-8")), encoding="utf-8")
