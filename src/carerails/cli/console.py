"""What a person sees: notes and progress go to stderr, results for machines to stdout."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

Item = TypeVar("Item")


def note(text: str) -> None:
    """One line for the person at the terminal."""
    print(f"carerails: {text}", file=sys.stderr)  # noqa: T201


def interrupted(text: str) -> None:
    """One line for who pressed Ctrl-C. asyncio, which would print a traceback of each task that ends so, is silent."""
    import logging

    logging.getLogger("asyncio").disabled = True
    note(text)


def print_findings(findings: Sequence[Any], as_json: bool) -> None:
    """Findings of a linter, which are dataclasses that read well, on stdout: a line each, or one JSON array."""
    if as_json:
        json.dump([dataclasses.asdict(finding) for finding in findings], sys.stdout, ensure_ascii=False, indent=1)
        sys.stdout.write("\n")
    else:
        sys.stdout.writelines(f"{finding}\n" for finding in findings)


def progress(items: Iterable[Item], what: str, total: int | None = None) -> Iterator[Item]:
    """The same items, with a progress bar on a terminal and none in a pipe."""
    if not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(items, what, total=total, console=Console(stderr=True), transient=True)
