"""What a linter says of one place: plain data, for a terminal, an editor or a machine."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "info"]
#: The gravest first.
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


@dataclass(frozen=True, slots=True)
class Edit:
    """A piece of text to put in place of another. Lines and columns count from 1, the end is not included."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong.

    Attributes:
        code: a key of `RULES`; it never changes its meaning.
        file: relative to the directory that was linted, with `/`.
        line: from 1.
        column: from 1, in characters.
        end_column: the first column behind it, on the same line.
        message: what is wrong, with the case at hand.
        mend: how to put it right.
        fix: edits of this file that do it, where that is mechanical.
    """

    code: str
    severity: Severity
    file: str
    line: int
    column: int
    end_column: int
    message: str
    mend: str
    fix: tuple[Edit, ...] = ()

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.severity}: {self.message} [{self.code}] ({self.mend})"


def ordered(findings: Iterable[Finding]) -> list[Finding]:
    """By place, each once."""
    return sorted(dict.fromkeys(findings), key=lambda one: (one.file, one.line, one.column, one.code, one.message))


def at_least(findings: Iterable[Finding], level: Severity) -> list[Finding]:
    """Those that are as grave as `level`, or graver."""
    shown = SEVERITIES[: SEVERITIES.index(level) + 1]
    return [one for one in findings if one.severity in shown]
