"""The table of rules in docs/lint.md, from the code: `python -m carerails.lint.manual FILE`."""

from __future__ import annotations

import sys
from pathlib import Path

from carerails.colang.diagnostics import KINDS
from carerails.colang.manual import cell, placed
from carerails.lint.mending import FIXABLE
from carerails.lint.table import RULES


def table() -> str:
    """Every rule besides the language's own as a row of Markdown."""
    own = {code: rule for code, rule in RULES.items() if code not in KINDS}
    rows = [
        f"| `{code}` | {rule.severity} | {cell(_said(code, rule.what))} | {cell(rule.why)} | {_fixed(code)} |"
        for code, rule in own.items()
    ]
    return "\n".join(["| code | severity | what | why it matters | `--fix` |", "|---|---|---|---|---|", *rows]) + "\n"


def written(page: str) -> str:
    """The page with the table of today.

    Raises:
        ValueError: it has no place for one.
    """
    return placed(page, "rules", table())


def _said(code: str, what: str) -> str:
    """What is wrong; of a regex, which the message spells out, the code's own words."""
    return what if what != "{}" else code.replace("-", " ")


def _fixed(code: str) -> str:
    return "yes" if code in FIXABLE else ""


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(written(path.read_text(encoding="utf-8")), encoding="utf-8")
