"""Keeps analyses from one command to the next: of all regexes together, and of each arm, for when one of them is new.

Under the hash of what was analysed and of the code that did it.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from carerails.keeping import Shelf
from carerails.matching.analysis import Analysis, Arm, Check, Facts, analyse, facts_of, joined
from carerails.matching.pieces import Piece

#: Of regexes with fewer characters than this in all an analysis is faster than a file of arms, which has ten megabytes,
#: and with fewer than that, than a file of its own.
_WORTH_LOOKING = 10_000
_WORTH_KEEPING = 20_000
_CODE = ("tree.py", "everyday.py", "literals.py", "sentences.py", "pieces.py", "analysis.py")
SHELF = Shelf("analysis", ".json", most=8)
#: Arms that were analysed by any command, one a line, the newest last: read where asked for.
ARMS = Shelf("arms", ".jsonl", most=2)
_MOST_ARMS = 12_000

_facts = lru_cache(maxsize=_MOST_ARMS)(facts_of)


def analysis_of(regexes: Sequence[str]) -> Analysis:
    """As `analyse`, at once where the same was analysed before, and soon where most arms were."""
    length = sum(map(len, regexes))
    path = path_of(regexes) if length >= _WORTH_LOOKING else None
    if path is None:
        return analyse(regexes)
    if length < _WORTH_KEEPING:
        return _from_arms(regexes)
    kept = read(path)
    if kept is None:
        kept = _from_arms(regexes)
        SHELF.write(path, json.dumps(kept, separators=(",", ":")).encode())
    return kept


def path_of(regexes: Sequence[str]) -> Path | None:
    """Where the analysis of just these regexes by just this code is kept; None where it is not."""
    code = _code()
    return SHELF.path(hashlib.sha256((code + json.dumps(list(regexes))).encode()).hexdigest()) if code else None


def read(path: Path) -> Analysis | None:
    """What was kept there, if it is an analysis."""
    body = SHELF.read(path)
    try:
        outside, literals, clauses, checks, arms = json.loads(body or b"")
        return Analysis(outside, literals, clauses, _checks(checks), [_arm(*arm) for arm in arms])
    except (ValueError, TypeError):
        return None


def _from_arms(regexes: Sequence[str]) -> Analysis:
    """From what is kept of their arms; what had to be analysed is kept with it."""
    path = ARMS.path(hashlib.sha256(_code().encode()).hexdigest())
    assert path is not None  # or else nothing is kept, and nobody asks
    known = dict(line.split(b"\t", 1) for line in (ARMS.read(path) or b"").splitlines())
    before = len(known)

    def facts(source: str) -> Facts | None:
        key = json.dumps(source).encode()
        if key not in known:
            known[key] = json.dumps(_facts(source), separators=(",", ":")).encode()
        kept: Any = json.loads(known[key])
        return _facts_from(*kept) if kept else None

    found = joined(regexes, facts)
    if len(known) > before:
        ARMS.write(path, b"\n".join(map(b"\t".join, list(known.items())[-_MOST_ARMS:])))
    return found


def _facts_from(
    longest: int | None, local: bool, before: int, clauses: Any, checks: Any, text: str | None, re2: str
) -> Facts:
    return Facts(longest, local, before, clauses, _checks(checks), text, re2)


def _arm(regex: int, number: int, order: int, piece: Any, *others: Any) -> Arm:
    return Arm(regex, number, order, Piece(*piece), *others)


def _checks(plain: Any) -> list[Check]:
    return [Check(tuple(words), tuple(pieces)) for words, pieces in plain]


@cache
def _code_of(names: tuple[str, ...]) -> str:
    key = hashlib.sha256(platform.python_version().encode())
    try:
        for name in names:
            key.update(Path(__file__).with_name(name).read_bytes())
    except OSError:  # no code to hash
        return ""
    return key.hexdigest()


def _code() -> str:
    """Hash of the code that analyses; empty where there is none."""
    return _code_of(_CODE)
