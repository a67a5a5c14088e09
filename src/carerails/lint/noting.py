"""How checks report: a code and what fills the blanks of its row."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from carerails.colang.diagnostics import Diagnostic
from carerails.colang.tokens import lines
from carerails.lint.finding import Edit, Finding, Severity
from carerails.lint.mending import fix_of
from carerails.lint.table import RULES

_WORD = re.compile(r'"(?:\\.|[^"\\])*"?|[@$]?\w+|\S')


def statements(text: str) -> dict[int, int]:
    """The last line of each statement, by its first."""
    found = (line.tokens for line in lines(text) if not line.is_comment)
    return {tokens[0].line: max(token.line for token in tokens[:-1]) for tokens in found}


@dataclass
class Notes:
    """Collects findings, and knows where a word that is complained of ends.

    Args:
        texts: of the files, by name.
        without: codes that are not reported, since what they ask about could not be read.
    """

    texts: Mapping[str, str]
    found: list[Finding] = field(default_factory=list[Finding])
    without: frozenset[str] = frozenset()
    _ends: dict[str, dict[int, int]] = field(default_factory=dict[str, dict[int, int]])
    _lines: dict[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])

    def add(
        self,
        code: str,
        file: str,
        line: int,
        column: int = 1,
        what: Iterable[object] = (),
        mend: Iterable[object] = (),
        *,
        end: int = 0,
        fix: tuple[Edit, ...] = (),
        severity: Severity | None = None,
    ) -> None:
        """Add one case of a rule; `what` and `mend` fill the blanks of its row."""
        if code in self.without:
            return
        rule = RULES[code]
        column, end = self.span(file, line, column, end)
        message, advice = rule.what.format(*what), rule.mend.format(*mend)
        fix = fix or fix_of(code, line, column, message, advice, self.line(file, line))
        self.found.append(Finding(code, severity or rule.severity, file, line, column, end, message, advice, fix))

    def take(self, found: Iterable[Diagnostic]) -> None:
        """What the compiler reports."""
        for one in found:
            column, end = self.span(one.file, one.line, one.column, 0)
            severity = RULES[one.code].severity
            fix = fix_of(one.code, one.line, one.column, one.what, one.mend, self.line(one.file, one.line))
            self.found.append(Finding(one.code, severity, one.file, one.line, column, end, one.what, one.mend, fix))

    def without_statement(self, file: str, line: int) -> tuple[Edit, ...]:
        """The edit that takes away the statement that begins on a line, with all its lines."""
        if file not in self._ends:
            self._ends[file] = statements(self.texts.get(file, ""))
        last = self._ends[file].get(line)
        return (Edit(line, 1, last + 1, 1, ""),) if last else ()

    def lines(self, file: str) -> Sequence[str]:
        """The lines of a file."""
        if file not in self._lines:
            self._lines[file] = self.texts.get(file, "").split("\n")
        return self._lines[file]

    def line(self, file: str, number: int) -> str:
        """A line of a file; empty where there is none."""
        lines = self.lines(file)
        return lines[number - 1].rstrip("\r") if 0 < number <= len(lines) else ""

    def span(self, file: str, line: int, column: int, end: int) -> tuple[int, int]:
        """From the column to the end of the word there; of a line as a whole, what stands on it."""
        text = self.line(file, line)
        if column == 1 and not end:
            column = len(text) - len(text.lstrip()) + 1
            end = len(text.rstrip()) + 1
        elif not end:
            word = _WORD.match(text, column - 1)
            end = word.end() + 1 if word else column + 1
        return column, max(end, column + 1)
