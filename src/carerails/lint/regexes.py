"""What is wrong with the patterns of rules: each arm alone, and arms that say what another says."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache

from carerails.colang.folding import Regex
from carerails.lint.doubtful import doubts
from carerails.lint.noting import Notes
from carerails.lint.table import REGEX
from carerails.matching import Problem, check_regex

#: How many characters on either side of a problem are looked for to find its string, and how a string writes them.
_AROUND = (6, 3, 1)
_WRITTEN = str.maketrans({"\\": "\\\\", "{": "{{", "}": "}}", '"': '\\"'})


def check_patterns(
    regexes: Collection[Regex],
    notes: Notes,
    file: str | None = None,
    known: Mapping[str, tuple[Problem, ...]] | None = None,
) -> None:
    """Every arm must be safe and fast on every engine, and able to match.

    Args:
        regexes: as flows use them.
        file: only arms that stand there.
        known: what is wrong with arms, where that was found out before.
    """
    known = known or {}
    partial: dict[tuple[str, str, int], bool] = {}
    for regex in regexes:
        for arm in regex.arms:
            if file in (None, arm.file):
                key = (arm.regex, arm.file, arm.line)
                partial[key] = partial.get(key, True) and regex.partial
    told: set[tuple[str, str, tuple[int, int]]] = set()
    for (source, home, line), is_part in partial.items():
        for problem in known[source] if source in known else problems_of(source):
            if problem.code == "no-literal" and is_part:
                continue
            if problem.code == "invalid":
                notes.add("bad-regex", home, line, 1, [problem.what.partition(": ")[2]])
                continue
            code = REGEX[problem.code][0]
            place = _place(notes, home, line, source, problem.offset)
            if (code, home, place) not in told:  # a word that several patterns share is told of once
                told.add((code, home, place))
                what = f"{problem.what}, at {problem.offset} of `{short(source)}`"
                notes.add(code, home, *place, [what], [problem.mend])
    _twice(regexes, notes, file)


def _place(notes: Notes, file: str, line: int, source: str, offset: int) -> tuple[int, int]:
    """Line and column of the string that the problem is in: where what stands around it is written, nearest to the arm.

    An arm is put together from strings of many lines; the whole line of the arm, where none of them has it.
    """
    for many in _AROUND:
        around = source[max(0, offset - many) : offset], source[offset : offset + many]
        before, behind = (text.translate(_WRITTEN) for text in around)
        found = [number for number, text in enumerate(notes.lines(file), 1) if before + behind in text]
        if found and len(before + behind) > 1:
            best = min(found, key=lambda number: abs(number - line))
            return best, notes.line(file, best).index(before + behind) + len(before) + 1
    return line, 1


@lru_cache(maxsize=20_000)
def problems_of(source: str) -> tuple[Problem, ...]:
    """All that is wrong with one arm."""
    problems = check_regex(source)
    return tuple(problems) if problems else tuple(doubts(source))


def short(regex: str) -> str:
    """The beginning of a pattern, for a message."""
    return regex if len(regex) <= 60 else regex[:57] + "..."


def _twice(regexes: Collection[Regex], notes: Notes, file: str | None) -> None:
    """Arms of one regex that are the same: the later one is never reached."""
    for regex in regexes:
        first: dict[str, tuple[str, int]] = {}
        for arm in regex.arms:
            before = first.setdefault(arm.regex, (arm.file, arm.line))
            if before != (arm.file, arm.line) and file in (None, arm.file):
                what = f"`{short(arm.regex)}` stands at {before[0]}:{before[1]}, too"
                notes.add("duplicate-pattern", arm.file, arm.line, 1, [what], ["remove one"])
