"""Edits of a text that know where each character came from.

An `Edit` does one thing to a text. `apply` is the fast way, taken on every turn; `pieces` says the same as ranges and
replacements, and is walked only when somebody asks where a match lies in the original.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

Piece = tuple[int, int, str]
"""Characters `[start, end)` become the text; pieces come in order and never overlap."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One step of normalisation, in its two forms, which always agree.

    Attributes:
        shortens: no piece is longer than what it replaces, so in a text of the same length nothing has moved.
    """

    apply: Callable[[str], str]
    pieces: Callable[[str], Iterable[Piece]]
    shortens: bool = False


def rewrite(pattern: str, replace: str | Callable[[re.Match[str]], str]) -> Edit:
    """Every match of the pattern becomes `replace` (a literal text, without group references)."""
    regex = re.compile(pattern)

    def pieces(text: str) -> Iterable[Piece]:
        for match in regex.finditer(text):
            yield *match.span(), replace if isinstance(replace, str) else replace(match)

    return Edit(partial(regex.sub, replace), pieces)


def translate(pattern: str, table: Mapping[int, str | None]) -> Edit:
    """Every character matched by the pattern goes through the table; None removes it."""
    runs = re.compile(f"{pattern}+")
    one = re.compile(pattern)
    return Edit(
        lambda text: runs.sub(lambda m: m[0].translate(table), text),
        lambda text: ((*m.span(), m[0].translate(table)) for m in one.finditer(text)),
    )


def splice(pieces: Callable[[str], Iterable[Piece]]) -> Edit:
    """An edit given by its pieces alone."""

    def apply(text: str) -> str:
        out: list[str] = []
        at = 0
        for start, end, new in pieces(text):
            out += (text[at:start], new)
            at = end
        out.append(text[at:])
        return "".join(out)

    return Edit(apply, pieces)


def only_if(sign: str, edit: Edit) -> Edit:
    """The same edit, tried only where a cheap sign is seen, without which it changes nothing."""
    seen = re.compile(sign).search
    return Edit(lambda text: edit.apply(text) if seen(text) else text, edit.pieces)


class _Moved:
    """An edit that moved characters, as what became of which range."""

    def __init__(self, pieces: Iterable[Piece]) -> None:
        self._starts: list[int] = []  # of each piece, in the edited text
        self._pieces: list[tuple[int, int, int]] = []
        moved = 0
        for start, end, new in pieces:
            if new:
                self._starts.append(start + moved)
                self._pieces.append((start, end, len(new)))
            moved += len(new) - (end - start)
            self._starts.append(end + moved)
            self._pieces.append((end, end, 0))  # what follows, up to the next piece

    def source(self, at: int) -> tuple[int, int]:
        """The first and the last character that the one at `at` of the edited text stands for."""
        number = bisect_right(self._starts, at) - 1
        if number < 0:
            return at, at
        start, end, length = self._pieces[number]
        offset = at - self._starts[number]
        if length == end - start or length == 0:
            return start + offset, start + offset
        return (start, end - 1) if start < end else (start - 1, start - 1)


class Alignment:
    """From places of an edited text to places of its source. `text` is what the edits make of it."""

    def __init__(self, source: str, edits: Iterable[Edit]) -> None:
        self._moved: list[_Moved] = []
        text = source
        for edit in edits:
            edited = edit.apply(text)
            if edited != text and not (edit.shortens and len(edited) == len(text)):
                pieces = list(edit.pieces(text))
                if any(len(new) != end - start for start, end, new in pieces):
                    self._moved.append(_Moved(pieces))
            text = edited
        self.text = text

    def start(self, at: int) -> int:
        """Where in the source the character begins that the one at `at` stands for."""
        for moved in reversed(self._moved):
            at = moved.source(at)[0]
        return at

    def end(self, at: int) -> int:
        """Where in the source the character ends that the one before `at` stands for."""
        at -= 1
        for moved in reversed(self._moved):
            at = moved.source(at)[1]
        return at + 1
