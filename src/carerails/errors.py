"""Errors with a place and a mend. None of them ever holds the user's text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from carerails.contracts import FailureKind


class CarerailsError(Exception):
    """Base of all errors that this package raises on purpose."""


class EngineError(CarerailsError):
    """An engine could not give its findings. `kind` says how it failed; `detail` never holds the user's text."""

    def __init__(self, kind: FailureKind, detail: str = "") -> None:
        super().__init__(f"{kind}: {detail}" if detail else kind)
        self.kind: FailureKind = kind
        self.detail = detail


class UsageError(CarerailsError):
    """The user asked for something that does not exist or cannot be read: exit code 2.

    Args:
        what: what is wrong.
        mend: how to put it right.
        where: `file` or `file:line`.
    """

    def __init__(self, what: str, mend: str = "", where: str = "") -> None:
        super().__init__(": ".join(part for part in (where, what) if part) + (f" ({mend})" if mend else ""))
        self.what, self.mend, self.where = what, mend, where


class NotComparable(UsageError):
    """Two runs, or a run and a baseline, that cannot be set beside each other: exit code 3."""


@dataclass(frozen=True, slots=True)
class ToMend:
    """What is wrong or wanting at a place, and how to put it right. Line counts from 1."""

    file: str
    line: int
    what: str
    mend: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.what} ({self.mend})"


def unknown(kind: str, name: str, known: Iterable[str]) -> UsageError:
    """The error for a name that is not among the known ones: it offers the nearest."""
    names = sorted(known)
    near = get_close_matches(name, names, n=1, cutoff=0.5)
    mend = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names) or 'none'}"
    return UsageError(f"unknown {kind} {name!r}", mend)
