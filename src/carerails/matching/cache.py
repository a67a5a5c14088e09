"""Keeps an analysis from one command to the next: under the hash of the regexes and of the code that analysed them."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Sequence
from pathlib import Path

from carerails.keeping import Shelf
from carerails.matching.analysis import Analysis, Arm, Check, analyse

#: Of regexes with fewer characters than this in all an analysis is faster than a file.
_WORTH_KEEPING = 20_000
_CODE = ("tree.py", "everyday.py", "literals.py", "sentences.py", "analysis.py")
SHELF = Shelf("analysis", ".json", most=8)


def analysis_of(regexes: Sequence[str]) -> Analysis:
    """As `analyse`, at once where the same was analysed before."""
    path = path_of(regexes) if sum(map(len, regexes)) >= _WORTH_KEEPING else None
    if path is None:
        return analyse(regexes)
    kept = read(path)
    if kept is None:
        kept = analyse(regexes)
        SHELF.write(path, json.dumps(kept, separators=(",", ":")).encode())
    return kept


def path_of(regexes: Sequence[str]) -> Path | None:
    """Where the analysis of just these regexes by just this code is kept; None where it is not."""
    key = hashlib.sha256(platform.python_version().encode())
    try:
        for name in _CODE:
            key.update(Path(__file__).with_name(name).read_bytes())
    except OSError:  # no code to hash
        return None
    key.update(json.dumps(list(regexes)).encode())
    return SHELF.path(key.hexdigest())


def read(path: Path) -> Analysis | None:
    """What was kept there, if it is an analysis."""
    body = SHELF.read(path)
    try:
        outside, literals, clauses, checks, arms = json.loads(body or b"")
        return Analysis(outside, literals, clauses, [Check(*check) for check in checks], [Arm(*arm) for arm in arms])
    except (ValueError, TypeError):
        return None
