"""Keeps what took long to work out, from one command to the next, in the user's cache directory.

A file's name holds the hash of all that its content depends on, and it begins with a hash of what follows: a file that
is unreadable, damaged, another's, or of anything else is as good as none. `CARERAILS_CACHE=off` keeps nothing.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Shelf:
    """One kind of thing that is kept: how its files are called, and how many of them stay."""

    prefix: str
    suffix: str
    most: int

    def path(self, key: str) -> Path | None:
        """Where the thing of that key is kept; None where nothing is kept or there is no home."""
        if os.environ.get("CARERAILS_CACHE", "").lower() == "off":
            return None
        try:
            home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        except RuntimeError:
            return None
        return Path(home) / "carerails" / f"{self.prefix}-{key}{self.suffix}"

    def read(self, path: Path) -> bytes | None:
        """What was kept there; None for anything that is not whole and our own."""
        try:
            with path.open("rb") as file:
                if not _is_ours(file.fileno()):
                    return None
                digest, _, body = file.read().partition(b"\n")
        except OSError:
            return None
        return body if digest == _digest(path, body) else None

    def write(self, path: Path, body: bytes) -> None:
        """All of it or nothing, also where two processes write at once; without a place to write, nothing."""
        with suppress(OSError):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")  # readable by its owner only
            new = Path(name)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(_digest(path, body) + b"\n" + body)
                new.replace(path)
            except BaseException:
                new.unlink(missing_ok=True)
                raise
            self._forget_oldest(path.parent)

    def _forget_oldest(self, home: Path) -> None:
        for path in sorted(home.glob(f"{self.prefix}-*{self.suffix}"), key=_age)[self.most :]:
            with suppress(OSError):
                path.unlink()


def _digest(path: Path, body: bytes) -> bytes:
    return hashlib.sha256(path.name.encode() + body).hexdigest().encode()


def _is_ours(descriptor: int) -> bool:
    """Whether nobody else can have written the file: a rule whose literals are gone would be silently off."""
    if os.name != "posix":
        return True
    status = os.fstat(descriptor)
    return status.st_uid == os.getuid() and not status.st_mode & 0o022


def _age(path: Path) -> float:
    with suppress(OSError):  # another process has just removed it
        return -path.stat().st_mtime
    return 0.0
