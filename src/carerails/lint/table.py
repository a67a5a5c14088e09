"""Every rule of the linter: one table of codes. docs/lint.md is made from it (`python -m carerails.lint.manual`)."""

from __future__ import annotations

from typing import NamedTuple

from carerails.colang.diagnostics import KINDS
from carerails.lint.finding import Severity


class Rule(NamedTuple):
    """One row: how grave, what is wrong and how to mend it (`{}` is the case at hand), and why it matters."""

    severity: Severity
    what: str
    mend: str
    why: str


_LANGUAGE = "the rails do not load, or NeMo's runtime reads something else: docs/portable-colang.md"

_OWN: dict[str, Rule] = {}

#: By code: what the compiler reports, then what only the linter looks for.
RULES: dict[str, Rule] = {code: Rule("error", kind.what, kind.mend, _LANGUAGE) for code, kind in KINDS.items()} | _OWN
