"""What a person sees: notes and progress go to stderr, results for machines to stdout."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def note(text: str) -> None:
    """One line for the person at the terminal."""
    print(f"carerails: {text}", file=sys.stderr)  # noqa: T201


def progress(items: Iterable[Item], what: str, total: int | None = None) -> Iterator[Item]:
    """The same items, with a progress bar on a terminal and none in a pipe."""
    if not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(items, what, total=total, console=Console(stderr=True), transient=True)
