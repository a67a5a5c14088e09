"""Keeps a compiled policy from one command to the next: under the hash of its files and of the code that compiles."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable
from pathlib import Path

from carerails.colang.program import Program
from carerails.keeping import Shelf

SHELF = Shelf("policy", ".json", most=8)
#: A policy of fewer bytes than this is compiled faster than a file is worth.
_WORTH_KEEPING = 100_000
_CODE = ("colang/*.py", "matching/tree.py", "policy.py")


def path_of(files: Iterable[Path], root: Path, *options: object) -> Path | None:
    """Where the program of just these files below `root` by just this code is kept; None where it is not."""
    package = Path(__file__).parent.parent
    key = hashlib.sha256(repr((platform.python_version(), options)).encode())
    size = 0
    try:
        for path in sorted(path for pattern in _CODE for path in package.glob(pattern)):
            key.update(path.read_bytes())
        for path in files:
            body = path.read_bytes()
            size += len(body)
            key.update(repr((path.relative_to(root).as_posix(), len(body))).encode() + body)
    except OSError:  # loading will name it
        return None
    return SHELF.path(key.hexdigest()) if size >= _WORTH_KEEPING else None


def read(path: Path) -> Program | None:
    """What was kept there, if it is a program."""
    try:
        return Program.from_json(SHELF.read(path) or b"")
    except (ValueError, TypeError, LookupError, AttributeError):
        return None


def write(path: Path, program: Program) -> None:
    """Keep a program."""
    SHELF.write(path, program.to_json().encode())
