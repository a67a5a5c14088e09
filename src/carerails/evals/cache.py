"""Decisions kept from one run to the next, by the engine's fingerprint and the case's hash.

The key also holds a digest of the Python code that decides, so that an edit of an engine is never answered from before
the edit. A decision whose check failed is not kept. What is kept quotes the cases: the file is its owner's alone.
"""

from __future__ import annotations

import hashlib
import sqlite3
from functools import lru_cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from carerails.contracts import TurnDecision
from carerails.errors import UsageError


class Kept(NamedTuple):
    """A decision of before, its microseconds, and how many processes shared the machine (0: it was not timed)."""

    decision: TurnDecision
    latency_us: float | None
    processes: int


class Cache:
    """Kept decisions of one engine.

    Args:
        folder: made where it is missing.
        key: of the engine and all that its decisions depend on.

    Raises:
        UsageError: the folder cannot be used.
    """

    def __init__(self, folder: Path, key: str) -> None:
        self._key = key
        path = folder / "decisions.sqlite"
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._kept = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
            self._kept.execute("PRAGMA journal_mode=WAL")
            self._kept.execute("PRAGMA synchronous=OFF")  # what a power cut takes is decided again
            self._kept.execute(
                "CREATE TABLE IF NOT EXISTS kept"
                " (key BLOB PRIMARY KEY, decision TEXT, latency_us REAL, processes INTEGER)"
            )
            path.chmod(0o600)
        except (OSError, sqlite3.Error) as error:
            raise UsageError(
                f"the cache cannot be used: {error}", "delete it, or name another folder", str(path)
            ) from None

    @classmethod
    def of(cls, folder: Path, fingerprint: str, engine: str, gated: bool) -> Cache:
        """The cache of an engine as it is now."""
        return cls(folder, "\n".join((fingerprint, code_of(engine), str(gated))))

    def get(self, case: str, repeat: int) -> Kept | None:
        """The decision on a case; None where none is kept, or what is kept cannot be read."""
        try:
            found = self._kept.execute(
                "SELECT decision, latency_us, processes FROM kept WHERE key = ?", (self._at(case, repeat),)
            ).fetchone()
            return Kept(TurnDecision.model_validate_json(found[0]), *found[1:]) if found else None
        except (sqlite3.Error, ValidationError):
            return None

    def put(
        self, case: str, repeat: int, decision: TurnDecision, latency_us: float | None = None, processes: int = 0
    ) -> None:
        """Keep a decision, unless a check failed."""
        if not decision.failed:
            kept = (self._at(case, repeat), decision.model_dump_json(), latency_us, processes)
            self._kept.execute("INSERT OR REPLACE INTO kept VALUES (?, ?, ?, ?)", kept)

    def close(self) -> None:
        """Let the file go."""
        self._kept.close()

    def _at(self, case: str, repeat: int) -> bytes:
        return hashlib.blake2b(f"{self._key}\n{case}\n{repeat}".encode(), digest_size=16).digest()


#: Packages that more than one engine runs on.
_OURS = ("carerails", "nemo_runner")


@lru_cache
def code_of(engine: str) -> str:
    """A digest of the Python files of our packages and of the engine's own."""
    packages = set(_OURS) | {
        entry.value.partition(":")[0].partition(".")[0]
        for entry in entry_points(group="carerails.engines")
        if entry.name == engine
    }
    total = hashlib.blake2b(digest_size=16)
    for package in sorted(packages):
        spec = find_spec(package)
        for folder in (spec.submodule_search_locations or []) if spec else []:
            for path in sorted(Path(folder).rglob("*.py")):
                total.update(path.read_bytes())
    return total.hexdigest()
