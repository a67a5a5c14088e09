"""JSONL from a file or standard input and to a file or standard output, for commands that read it line by line."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, TypeAlias

from carerails.cli.console import note, progress
from carerails.cli.options import ENGINE_FAILURE, PASS, USAGE
from carerails.errors import UsageError

#: A line and its number, from 1.
Numbered: TypeAlias = tuple[int, str]


def keep_apart(source: str, target: str) -> None:
    """Refuse to write over what is read.

    Raises:
        UsageError: both are the same file.
    """
    if target != "-" and source != "-" and Path(target).resolve() == Path(source).resolve():
        raise UsageError("--in and --out are the same file", "write to another one")


def opened(stack: ExitStack, name: str, mode: str) -> IO[str]:
    """A file, or standard input or output for `-`; closed with the stack.

    Raises:
        UsageError: it cannot be opened.
    """
    # Bytes that are not UTF-8 pass here and are named, with their line, where the line is read.
    errors = "surrogateescape" if mode == "r" else "backslashreplace"
    encoding = "utf-8-sig" if mode == "r" else "utf-8"  # editors put a mark before the first line
    standard = {"r": sys.stdin, "w": sys.stdout}[mode]
    try:
        if name == "-":
            return stack.enter_context(open(standard.fileno(), mode, encoding=encoding, errors=errors, closefd=False))
        return stack.enter_context(open(name, mode, encoding=encoding, errors=errors, newline="\n"))
    except OSError as error:
        raise UsageError(error.strerror or "cannot be opened", "check the path", name) from None


def numbered(lines: Iterable[str]) -> Iterator[Numbered]:
    """Non-blank lines with their numbers."""
    return ((number, line) for number, line in enumerate(lines, 1) if line.strip())


def answered(
    records: Iterable[dict[str, Any]], out: IO[str], doing: str, failures: str, *, allow_failures: bool
) -> int:
    """Write a record a line; the exit code says whether every line was read and every check ran.

    Args:
        records: with `error` where a line could not be read, with `failed` where a check failed.
        doing: what the progress bar says.
        failures: what is said of failed ones, after their number.
    """
    count = unread = failed = 0
    for record in progress(records, doing):
        out.write(json.dumps(record, ensure_ascii=False) + "\n")
        count += 1
        unread += "error" in record
        failed += bool(record.get("failed"))
    return concluded(count, unread, failed, failures, allow_failures=allow_failures)


def concluded(count: int, unread: int, failed: int, failures: str, *, allow_failures: bool) -> int:
    """The exit code of a command that answers lines; what went wrong is said, and that there were none.

    Args:
        count: lines.
        unread: lines that could not be read.
        failed: checks that failed.
        failures: what is said of those, after their number.
    """
    if not count:
        note("there are no lines to read")
    if unread:
        note(f"{unread} lines could not be read; each has an error line in its place")
        return USAGE
    if failed:
        note(f"{failed} {failures}")
        return PASS if allow_failures else ENGINE_FAILURE
    return PASS
