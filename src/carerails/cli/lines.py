"""JSONL from a file or standard input and to a file or standard output, for commands that read it line by line."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, TypeAlias

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
