"""What many regexes find in one text: the arms that may match are run where they may, and their matches merged.

The leftmost start wins, of two arms at one start the earlier one, and the search goes on behind the match.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from heapq import heapify, heappop, heapreplace
from typing import TYPE_CHECKING, Any, NamedTuple

from carerails.matching.literals import EDGE
from carerails.matching.sentences import Part
from carerails.matching.tree import arms
from carerails.matching.verify import Finder, Span, Subject, Verifier

if TYPE_CHECKING:
    from carerails.matching.matcher import Matcher

Window = tuple[int, int]
Arms = Mapping[Verifier, Sequence[Window]]
"""Arms that may match, and where to search for each, from left to right."""


class Asked(NamedTuple):
    """What the one pass tells of a part of a text: the clauses that stand there, and which of them lead to arms."""

    seen: set[int]
    leads: set[int]


class Scan:
    """What the regexes of a Matcher find in one text."""

    def __init__(
        self,
        matcher: Matcher,
        text: str,
        ranges: Sequence[Part],
        asked: Sequence[Asked],
        outside: Collection[int],
        always: Mapping[int, Sequence[Verifier]],
    ) -> None:
        self._matcher = matcher
        self._subject = Subject(text)
        self._ranges = ranges
        self._asked = asked
        self._outside = outside
        self._always = always
        self._spans: dict[int, list[tuple[int, int, int]]] = {}
        self._opened: dict[int, dict[Verifier, Sequence[Window]]] = {}
        self._words: dict[int, set[str]] = {}
        #: The first match of arms that have been run: where, or that there is none.
        self._first: dict[Verifier, Span | None] = {}
        #: In which parts a clause stands that leads to arms.
        self._where: dict[int, list[int]] = {}
        if len(asked) == 1:
            self._open_all()
        else:
            self._index()

    def _open_all(self) -> None:
        """In a text of one part the arms that may match are few, so they are found at once."""
        (asked,) = self._asked
        leading, opened, always = self._matcher.leading, self._opened, self._always
        whole = ((0, len(self._subject.text)),)
        for clause in asked.leads:
            for arm in leading[clause]:
                if arm.also <= asked.seen:
                    if arm.regex in opened:
                        opened[arm.regex][arm] = whole
                    else:
                        opened[arm.regex] = {arm: whole}
        for regex, several in always.items():
            opened.setdefault(regex, {}).update(dict.fromkeys(several, whole))

    def _index(self) -> None:
        where = self._where
        for number, part in enumerate(self._asked):
            for clause in part.leads:
                if clause in where:
                    where[clause].append(number)
                else:
                    where[clause] = [number]

    @property
    def text(self) -> str:
        """What was scanned."""
        return self._subject.text

    @property
    def candidates(self) -> Collection[int]:
        """The regexes that may match: the one pass has told."""
        if len(self._asked) == 1:
            return {*self._opened, *self._outside}
        leading = self._matcher.leading
        found = {arm.regex for clause in self._where for arm in leading[clause]}
        return found.union(self._outside, self._always)

    def find_all(self, i: int) -> list[Any]:
        """`re.findall(regexes[i], text)`: of a regex of the subset the matched texts."""
        if i in self._outside:
            return self._matcher.whole(i).findall(self._subject.text)
        text = self._subject.text
        return [text[start:end] for start, end, _ in self.spans(i)]

    def search(self, i: int) -> bool:
        """Whether `re.search(regexes[i], text)` finds something."""
        if i in self._outside:
            return self._matcher.whole(i).search(self._subject.text) is not None
        if i in self._spans:
            return bool(self._spans[i])
        return any(self._first_of(arm, windows) for arm, windows in self._arms(i).items())

    def spans(self, i: int) -> list[tuple[int, int, int]]:
        """Start and end of each match of regexes[i], in characters, and the number of the arm that matched."""
        spans = self._spans.get(i)
        if spans is None:
            spans = self._spans[i] = self._by_re(i) if i in self._outside else self._merged(i)
        return spans

    def _arms(self, i: int) -> Arms:
        """The arms of regexes[i] that may match, each with its windows."""
        found = self._opened.get(i)
        if found is not None:
            return found
        found = self._opened[i] = dict.fromkeys(self._always.get(i, ()), ((0, len(self.text)),))
        led = self._matcher.led[i]
        for clause in led.keys() & self._where.keys():
            for arm in led[clause]:
                windows = (self._within if arm.local else self._across)(arm, self._where[clause])
                if windows:
                    found[arm] = windows
        return found

    def _within(self, arm: Verifier, numbers: Sequence[int]) -> list[Window]:
        """Those parts that have all that an arm needs."""
        windows: list[Window] = []
        for number in numbers:
            if arm.also <= self._asked[number].seen and (not arm.checks or self._may_match(arm, number)):
                _, start, end = self._ranges[number]
                _widen(windows, start, end)
        return windows

    def _across(self, arm: Verifier, numbers: Sequence[int]) -> list[Window]:
        """The surroundings of those parts, where they have all that an arm needs."""
        windows: list[Window] = []
        length = len(self.text)
        reach = length if arm.longest is None else arm.longest
        for number in numbers:
            _, start, end = self._ranges[number]
            low, high = max(0, start - reach), min(end + reach, length)
            seen = self._asked[number].seen
            if arm.also <= seen or all(clause in seen or self._near(clause, low, high) for clause in arm.also):
                _widen(windows, low, high)
        return windows

    def _may_match(self, arm: Verifier, number: int) -> bool:
        marked = self._ranges[number].marked
        words = self._words.get(number)
        if words is None:
            words = self._words[number] = set(marked.split(EDGE))
        return arm.may_match(marked, words)

    def _first_of(self, arm: Verifier, windows: Sequence[Window]) -> Span | None:
        """An arm is run but once, for a search and for its matches."""
        if arm not in self._first:
            span = None
            if not arm.checks or len(self._asked) > 1 or self._may_match(arm, 0):
                for start, end in windows:
                    span = arm.find(self._subject, start, end)
                    if span:
                        break
            self._first[arm] = span
        return self._first[arm]

    def _near(self, clause: int, low: int, high: int) -> bool:
        """Whether a clause stands in a part that has a share in the range."""
        numbers = self._beside.get(clause, ())
        at = bisect_left(numbers, bisect_right(self._ends, low))
        return at < len(numbers) and self._ranges[numbers[at]].start < high

    @cached_property
    def _ends(self) -> list[int]:
        return [end for _, _, end in self._ranges]

    @cached_property
    def _beside(self) -> dict[int, list[int]]:
        """In which parts a clause stands that arms ask for in other parts, too."""
        found: dict[int, list[int]] = {}
        beside = self._matcher.beside
        for number, part in enumerate(self._asked):
            for clause in part.seen & beside:
                found.setdefault(clause, []).append(number)
        return found

    def _by_re(self, i: int) -> list[tuple[int, int, int]]:
        text = self._subject.text
        parts = [re.compile(arm) for arm in arms(self._matcher.regexes[i])]
        return [
            (m.start(), m.end(), next((n for n, part in enumerate(parts) if part.match(text, m.start())), 0))
            for m in self._matcher.whole(i).finditer(text)
        ]

    def _merged(self, i: int) -> list[tuple[int, int, int]]:
        heads: list[tuple[int, int, int, _Cursor]] = []
        for arm, windows in self._arms(i).items():
            span = self._first_of(arm, windows)
            if span:
                heads.append((span[0], arm.order, span[1], _Cursor(arm.find, self._subject, windows)))
        heapify(heads)
        spans: list[tuple[int, int, int]] = []
        behind = 0
        while heads:
            start, index, end, cursor = heads[0]
            if start >= behind:
                spans.append((start, end, index))
                behind = end
            span = cursor.next(behind)
            if span:
                heapreplace(heads, (span[0], index, span[1], cursor))
            else:
                heappop(heads)
        return spans


class _Cursor:
    """Walks through the matches of one arm, window by window."""

    __slots__ = ("_at", "_find", "_subject", "_windows")

    def __init__(self, find: Finder, subject: Subject, windows: Sequence[Window]) -> None:
        self._find = find
        self._subject = subject
        self._windows = windows
        self._at = 0

    def next(self, behind: int) -> tuple[int, int] | None:
        """The first match that starts at `behind` or later; `behind` never goes back."""
        while self._at < len(self._windows):
            start, end = self._windows[self._at]
            if behind < end:
                span = self._find(self._subject, max(start, behind), end)
                if span:
                    return span
            self._at += 1
        return None


def _widen(windows: list[Window], start: int, end: int) -> None:
    """Add a window behind the others; what touches becomes one, so that nothing is searched twice."""
    if windows and windows[-1][1] >= start:
        start, end = windows[-1][0], max(windows.pop()[1], end)
    windows.append((start, end))
