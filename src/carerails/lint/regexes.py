"""What is wrong with the patterns of rules: each arm alone, and arms that say what another says."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from carerails.colang.folding import Regex
from carerails.lint.noting import Notes
from carerails.lint.table import REGEX
from carerails.matching import Problem, check_regex


def check_patterns(regexes: Iterable[Regex], notes: Notes, file: str | None = None) -> None:
    """Every arm must be safe and fast on every engine, and able to match.

    Args:
        regexes: as flows use them.
        file: only arms that stand there.
    """
    partial: dict[tuple[str, str, int], bool] = {}
    for regex in regexes:
        for arm in regex.arms:
            if file in (None, arm.file):
                key = (arm.regex, arm.file, arm.line)
                partial[key] = partial.get(key, True) and regex.partial
    for (source, home, line), is_part in partial.items():
        for problem in problems_of(source):
            if problem.code == "no-literal" and is_part:
                continue
            if problem.code == "invalid":
                notes.add("bad-regex", home, line, 1, [problem.what.partition(": ")[2]])
                continue
            what = f"{problem.what}, at {problem.offset} of `{short(source)}`"
            notes.add(REGEX[problem.code][0], home, line, 1, [what], [problem.mend])
    _twice(regexes, notes, file)


@lru_cache(maxsize=20_000)
def problems_of(source: str) -> tuple[Problem, ...]:
    """All that is wrong with one arm."""
    return tuple(check_regex(source))


def short(regex: str) -> str:
    """The beginning of a pattern, for a message."""
    return regex if len(regex) <= 60 else regex[:57] + "..."


def _twice(regexes: Iterable[Regex], notes: Notes, file: str | None) -> None:
    """Arms of one regex that are the same: the later one is never reached."""
    for regex in regexes:
        first: dict[str, tuple[str, int]] = {}
        for arm in regex.arms:
            before = first.setdefault(arm.regex, (arm.file, arm.line))
            if before != (arm.file, arm.line) and file in (None, arm.file):
                what = f"`{short(arm.regex)}` stands at {before[0]}:{before[1]}, too"
                notes.add("duplicate-pattern", arm.file, arm.line, 1, [what], ["remove one"])
