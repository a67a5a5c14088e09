"""Keeps an analysis from one command to the next, in the user's cache directory.

The file's name is the hash of the regexes and of the code that analysed them, and it begins with a hash of what
follows: a file that is unreadable, damaged, another's, or of anything else is as good as none. `CARERAILS_CACHE=off`
keeps nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from carerails.matching.analysis import Analysis, Arm, analyse

#: Of regexes with fewer characters than this in all an analysis is faster than a file.
_WORTH_KEEPING = 20_000
#: How many policies are kept.
_MOST_FILES = 8
_CODE = ("tree.py", "everyday.py", "literals.py", "analysis.py")


def analysis_of(regexes: Sequence[str]) -> Analysis:
    """As `analyse`, at once where the same was analysed before."""
    if os.environ.get("CARERAILS_CACHE", "").lower() == "off" or sum(map(len, regexes)) < _WORTH_KEEPING:
        return analyse(regexes)
    try:
        path = path_of(regexes)
        kept = read(path)
    except (OSError, RuntimeError):  # no code to hash, no home: nothing to keep or to find
        return analyse(regexes)
    if kept is None:
        kept = analyse(regexes)
        with suppress(OSError):
            _write(path, kept)
    return kept


def path_of(regexes: Sequence[str]) -> Path:
    """Where the analysis of just these regexes by just this code is kept."""
    key = hashlib.sha256(platform.python_version().encode())
    for name in _CODE:
        key.update(Path(__file__).with_name(name).read_bytes())
    key.update(json.dumps(list(regexes)).encode())
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "carerails" / f"analysis-{key.hexdigest()}.json"


def read(path: Path) -> Analysis | None:
    """What was kept there; None for anything that is not whole and our own."""
    try:
        with path.open("rb") as file:
            if not _is_ours(file.fileno()):
                return None
            digest, _, body = file.read().partition(b"\n")
        if hashlib.sha256(path.name.encode() + body).hexdigest().encode() != digest:
            return None
        outside, literals, clauses, arms = json.loads(body)
        return Analysis(outside, literals, clauses, [Arm(*arm) for arm in arms])
    except (OSError, ValueError, TypeError):
        return None


def _is_ours(descriptor: int) -> bool:
    """Whether nobody else can have written the file: a rule whose literals are gone would be silently off."""
    if os.name != "posix":
        return True
    status = os.fstat(descriptor)
    return status.st_uid == os.getuid() and not status.st_mode & 0o022


def _write(path: Path, analysis: Analysis) -> None:
    """All of it or nothing, also where two processes write at once."""
    body = json.dumps(analysis, separators=(",", ":")).encode()
    digest = hashlib.sha256(path.name.encode() + body).hexdigest().encode()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")  # readable by its owner only
    new = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(digest + b"\n" + body)
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    _forget_oldest(path.parent)


def _forget_oldest(home: Path) -> None:
    def age(path: Path) -> float:
        with suppress(OSError):  # another process has just removed it
            return -path.stat().st_mtime
        return 0.0

    for path in sorted(home.glob("analysis-*.json"), key=age)[_MOST_FILES:]:
        with suppress(OSError):
            path.unlink()
