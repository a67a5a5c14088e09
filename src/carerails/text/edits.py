"""Edits of a text that know where each character came from.

An `Edit` does one thing to a text. `apply` is the fast way, taken on every turn; `pieces` says the same as ranges and
replacements, and is walked only when somebody asks where a match lies in the original.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

Piece = tuple[int, int, str]
"""Characters `[start, end)` become the text; pieces come in order and never overlap."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One step of normalisation, in its two forms, which always agree."""

    apply: Callable[[str], str]
    pieces: Callable[[str], Iterable[Piece]]


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


@dataclass(frozen=True, slots=True)
class Alignment:
    """For each character of an edited text, the range of the source that it stands for. Both lists never decrease."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]


def align(source: str, edits: Iterable[Edit]) -> Alignment:
    """Run the edits one after the other, keeping track of every character."""
    text, starts, ends = source, list(range(len(source))), list(range(1, len(source) + 1))
    for edit in edits:
        edited = edit.apply(text)
        if edited == text:
            continue
        out: list[str] = []
        new_starts: list[int] = []
        new_ends: list[int] = []

        def keep(start: int, end: int, new: str) -> None:
            out.append(new)  # noqa: B023 (called at once)
            new_starts.extend(starts[start:end])  # noqa: B023
            new_ends.extend(ends[start:end])  # noqa: B023

        pieces = list(edit.pieces(text))
        if all(len(new) == end - start for start, end, new in pieces):
            text = edited
            continue
        at = 0
        for start, end, new in pieces:
            keep(at, start, text[at:start])
            at = end
            if len(new) == end - start:
                keep(start, end, new)
            elif new:
                out.append(new)
                new_starts += [starts[start] if start < end else starts[start - 1]] * len(new)
                new_ends += [ends[end - 1]] * len(new)
        keep(at, len(text), text[at:])
        text, starts, ends = "".join(out), new_starts, new_ends
    return Alignment(text, starts, ends)
