"""Lines of a document, and its positions as an editor counts them.

The protocol knows three ends of line; `str.splitlines` knows eleven, so that one U+2028 in a comment would move every
line below it. Here a position is a line and a column from 1, in code points, as everywhere in carerails.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

_END = re.compile(r"\r\n|\n|\r")
#: Code units of some text, as the client counts them: UTF-16 unless it asked for something else.
Units = Callable[[str], int]


@dataclass(frozen=True)
class Lines:
    """A document cut into lines."""

    text: str

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """Without their ends."""
        return tuple(_END.split(self.text))

    def line(self, number: int) -> str:
        """One line; beyond the last, nothing."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""

    def to_client(self, line: int, column: int, units: Units) -> tuple[int, int]:
        """A position as the client counts it, from 0; one beyond the document is its end."""
        if line > len(self.lines):
            line, column = len(self.lines), len(self.lines[-1]) + 1
        return max(line, 1) - 1, units(self.line(line)[: max(column, 1) - 1])

    def from_client(self, line: int, character: int, units: Units) -> tuple[int, int]:
        """A position of the client; inside a character it is before it, beyond a line at its end."""
        text, passed = self.line(line + 1), 0
        for column, char in enumerate(text, 1):
            passed += units(char)
            if passed > character:
                return line + 1, column
        return line + 1, len(text) + 1


def moved(line: int, before: Lines, after: Lines) -> int | None:
    """Where a line is after an edit; None where it was edited itself."""
    old, new = before.lines, after.lines
    shortest = min(len(old), len(new))
    head = next((number for number in range(shortest) if old[number] != new[number]), shortest)
    if line <= head:
        return line
    left = shortest - head
    tail = next((number for number in range(left) if old[-1 - number] != new[-1 - number]), left)
    return line + len(new) - len(old) if line > len(old) - tail else None
