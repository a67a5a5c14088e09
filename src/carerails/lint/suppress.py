"""Findings that somebody has looked at: `# lint: allow CODE: reason`, above a statement, behind one, or for a file.

A reason is needed. An allowance that is malformed, of no rule, or no longer needed is a finding itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from carerails.colang.diagnostics import nearest
from carerails.lint.finding import Finding
from carerails.lint.noting import Notes, statements
from carerails.lint.table import RULES

_COMMENT = re.compile(r"#\s*lint:(?P<said>.*)$")
_SAID = re.compile(r"\s*allow(?P<whole> in this file)?\s+(?P<codes>[a-z0-9, -]+?)\s*(?::\s*(?P<reason>.*))?$")
_FORM = "write `# lint: allow CODE: reason`, or `# lint: allow in this file CODE: reason`"
#: What no comment can allow: findings about the comments.
_NEVER = frozenset(["suppression", "unused-suppression"])


@dataclass
class _Allowance:
    file: str
    line: int
    column: int
    code: str
    first: int
    last: int
    used: bool = field(default=False)

    def covers(self, found: Finding) -> bool:
        return found.code == self.code and found.file == self.file and self.first <= found.line <= self.last


def suppressed(found: Iterable[Finding], notes: Notes, texts: Mapping[str, str], *, whole: bool) -> list[Finding]:
    """What is left of the findings.

    Args:
        found: the findings.
        notes: gets what is wrong with allowances.
        texts: files that may have allowances.
        whole: every check has run, so that an allowance without a finding is one too many.
    """
    allowances = [one for name, text in texts.items() if "lint:" in text for one in _read(name, text, notes)]
    left: list[Finding] = []
    for finding in found:
        covering = [one for one in allowances if one.covers(finding)]
        for one in covering:
            one.used = True
        if not covering or finding.code in _NEVER:
            left.append(finding)
    for one in allowances if whole else ():
        if not one.used:
            notes.add("unused-suppression", one.file, one.line, one.column, [one.code])
    return left


def _read(name: str, text: str, notes: Notes) -> Iterator[_Allowance]:
    rows = text.split("\n")
    ends = statements(text) if name.endswith(".co") else {}
    for number, row in enumerate(rows, 1):
        match = _COMMENT.search(row)
        if not match or row[: match.start()].replace('\\"', "").count('"') % 2:
            continue
        column = match.start() + 1
        said = _SAID.fullmatch(match["said"])
        if not said:
            notes.add("suppression", name, number, column, ["this allowance cannot be read"], [_FORM])
            continue
        if not (said["reason"] or "").strip():
            notes.add("suppression", name, number, column, ["an allowance without a reason"], [_FORM])
        for code in filter(None, re.split(r"[, ]+", said["codes"])):
            if code not in RULES:
                notes.add("suppression", name, number, column, [f"no rule is called `{code}`"], [nearest(code, RULES)])
            elif said["whole"]:
                yield _Allowance(name, number, column, code, 1, len(rows))
            else:
                first, last = _reach(number, rows, ends, behind=bool(row[: match.start()].strip()))
                yield _Allowance(name, number, column, code, first, last)


def _reach(number: int, rows: list[str], ends: Mapping[int, int], *, behind: bool) -> tuple[int, int]:
    """The lines of the statement that an allowance stands behind, or above."""
    if behind:
        return number, number
    first = number + 1
    while first < len(rows) and (not rows[first - 1].strip() or rows[first - 1].lstrip().startswith("#")):
        first += 1
    last = ends.get(first, first)
    if rows[first - 1].startswith("@"):  # a decorator belongs to the flow below
        last = ends.get(last + 1, last + 1)
    return first, last
