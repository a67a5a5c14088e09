"""What many regexes find in one text: the arms that may match are run where they may, and their matches merged.

The leftmost start wins, of two arms at one start the earlier one, and the search goes on behind the match.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from heapq import heapify, heappop, heapreplace
from typing import TYPE_CHECKING, Any

from carerails.matching.literals import EDGE
from carerails.matching.tree import arms
from carerails.matching.verify import Finder, Span, Subject, Verifier

if TYPE_CHECKING:
    from carerails.matching.matcher import Matcher

Window = tuple[int, int]
_Begun = tuple["Span | None", Window, Iterator[Window]]
_NO_MORE: Iterator[Window] = iter(())


class Asked:
    """What the one pass tells of a part of a text.

    Attributes:
        seen: the clauses that stand there.
        leads: those of them that are the first of an arm.
    """

    __slots__ = ("_marked", "_words", "leads", "seen")

    def __init__(self, marked: str, seen: set[int], leads: set[int]) -> None:
        self.seen, self.leads = seen, leads
        self._marked = marked
        self._words: set[str] | None = None

    def may_match(self, arm: Verifier) -> bool:
        """Whether all that an arm needs stands there, the everyday sets included; asked when it is about to be run."""
        if arm.also and not arm.also <= self.seen:
            return False
        if not arm.everyday:
            return True
        words = self._words
        if words is None:
            words = self._words = set(self._marked.split(EDGE))
        for some, pieces in arm.everyday:
            if some.isdisjoint(words):
                for piece in pieces:
                    if piece in self._marked:
                        break
                else:
                    return False
        return True


class Scan:
    """What the regexes of a Matcher find in one text."""

    def __init__(
        self, matcher: Matcher, text: str, ranges: Sequence[Window], asked: Sequence[Asked], outside: Collection[int]
    ) -> None:
        self._matcher = matcher
        self._subject = Subject(text)
        self._ranges = ranges
        self._asked = asked
        self._outside = outside
        self._spans: dict[int, list[tuple[int, int, int]]] = {}
        #: Of the arms that have been run, the first match, the window that it is in, and those behind it.
        self._begun: dict[Verifier, _Begun] = {}
        #: In a text of one part, the arms that may match there: they are few, and found at once.
        self._opened: dict[int, list[Verifier]] = {}
        #: In which parts a clause stands: of those that were asked for.
        self._where: dict[int, list[int]] = {}
        if len(asked) == 1:
            self._open(asked[0])

    def _open(self, asked: Asked) -> None:
        opened, leading, seen = self._opened, self._matcher.leading, asked.seen
        for clause in asked.leads:
            for arm in leading[clause]:
                if not arm.also or arm.also <= seen:
                    if arm.regex in opened:
                        opened[arm.regex].append(arm)
                    else:
                        opened[arm.regex] = [arm]
        for regex, several in self._matcher.always.items():
            opened.setdefault(regex, []).extend(several)

    @property
    def text(self) -> str:
        """What was scanned."""
        return self._subject.text

    @property
    def candidates(self) -> Collection[int]:
        """The regexes that may match: the one pass has told."""
        if len(self._asked) == 1:
            return {*self._opened, *self._outside}
        matcher = self._matcher
        where: dict[int, list[int]] = {}
        # Whoever asks this is about to ask many of them; of another text only the clauses that are asked for are filed.
        for number, part in enumerate(self._asked):
            for clause in part.leads:
                if clause in where:
                    where[clause].append(number)
                else:
                    where[clause] = [number]
        self._where |= where
        return matcher.always.keys() | set(self._outside).union(*map(matcher.led_by.__getitem__, where))

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
        begun = self._begun
        for arm in self._arms(i):  # noqa: SIM110  a generator would cost as much as the search
            if (begun.get(arm) or self._begin(arm))[0]:
                return True
        return False

    def spans(self, i: int) -> list[tuple[int, int, int]]:
        """Start and end of each match of regexes[i], in characters, and the number of the arm that matched."""
        spans = self._spans.get(i)
        if spans is None:
            spans = self._spans[i] = self._by_re(i) if i in self._outside else self._merged(i)
        return spans

    def _arms(self, i: int) -> Iterable[Verifier]:
        """The arms of regexes[i] that may match."""
        if len(self._asked) == 1:
            return self._opened.get(i, ())
        led = self._matcher.led[i]
        found = [arm for clause in led.keys() & self._leads for arm in led[clause]]
        return found + self._matcher.always[i] if i in self._matcher.always else found

    def _begin(self, arm: Verifier) -> _Begun:
        """The first match of an arm, which is run but once for a search and for its matches."""
        span, window = None, (0, 0)
        windows: Iterator[Window] = _NO_MORE
        if len(self._asked) == 1:
            window = self._ranges[0]
            span = arm.find(self._subject, *window) if self._asked[0].may_match(arm) else None
        else:
            windows = self._windows(arm)
            for window in windows:
                span = arm.find(self._subject, *window)
                if span:
                    break
        begun = self._begun[arm] = span, window, windows
        return begun

    def _windows(self, arm: Verifier) -> Iterator[Window]:
        """Where an arm may match, from left to right."""
        numbers = range(len(self._asked)) if arm.lead is None else self._stands(arm.lead)
        if not arm.local:
            return _joined(self._across(arm, numbers))
        windows = self._within(arm, numbers)
        return _joined(windows) if self._overlap else windows

    def _within(self, arm: Verifier, numbers: Iterable[int]) -> Iterator[Window]:
        """Those parts that have all that an arm needs."""
        for number in numbers:
            if self._asked[number].may_match(arm):
                start, end = self._ranges[number]
                yield max(0, start - arm.before), end

    def _across(self, arm: Verifier, numbers: Iterable[int]) -> Iterator[Window]:
        """The surroundings of those parts, where they have all that an arm needs."""
        if not all(map(self._stands, arm.also)):
            return
        length = len(self.text)
        reach = length if arm.longest is None else arm.longest
        for number in numbers:
            start, end = self._ranges[number]
            low, high = max(0, start - reach), min(end + reach, length)
            seen = self._asked[number].seen
            for clause in arm.also:
                if clause not in seen and not self._near(clause, low, high):
                    break
            else:
                yield low, high

    def _near(self, clause: int, low: int, high: int) -> bool:
        """Whether a clause stands in a part that has a share in the range."""
        numbers = self._stands(clause)
        at = bisect_left(numbers, bisect_right(self._ends, low))
        return at < len(numbers) and self._ranges[numbers[at]][0] < high

    def _stands(self, clause: int) -> list[int]:
        """The parts that a clause stands in."""
        numbers = self._where.get(clause)
        if numbers is None:
            numbers = self._where[clause] = [n for n, part in enumerate(self._asked) if clause in part.seen]
        return numbers

    @cached_property
    def _leads(self) -> set[int]:
        """The clauses that lead to arms, of all parts."""
        return set[int]().union(*[part.leads for part in self._asked])

    @cached_property
    def _ends(self) -> list[int]:
        return [end for _, end in self._ranges]

    @cached_property
    def _overlap(self) -> bool:
        """Whether there are parts that overlap."""
        return sum(end - start for start, end in self._ranges) > len(self.text)

    def _by_re(self, i: int) -> list[tuple[int, int, int]]:
        text = self._subject.text
        parts = [re.compile(arm) for arm in arms(self._matcher.regexes[i])]
        return [
            (m.start(), m.end(), next((n for n, part in enumerate(parts) if part.match(text, m.start())), 0))
            for m in self._matcher.whole(i).finditer(text)
        ]

    def _merged(self, i: int) -> list[tuple[int, int, int]]:
        heads: list[tuple[int, int, int, Verifier, _Cursor]] = []
        for arm in self._arms(i):
            span, window, windows = self._begun.get(arm) or self._begin(arm)
            if span:
                heads.append((span[0], arm.order, span[1], arm, _Cursor(arm.find, self._subject, window, windows)))
        heapify(heads)
        spans: list[tuple[int, int, int]] = []
        behind = 0
        while heads:
            start, order, end, arm, cursor = heads[0]
            if start >= behind:
                spans.append((start, end, arm.number))
                behind = end
            span = cursor.next(behind)
            if span:
                heapreplace(heads, (span[0], order, span[1], arm, cursor))
            else:
                heappop(heads)
        return spans


class _Cursor:
    """Walks through the matches of one arm, from one window to those behind it."""

    __slots__ = ("_find", "_subject", "_window", "_windows")

    def __init__(self, find: Finder, subject: Subject, window: Window, windows: Iterator[Window]) -> None:
        self._find, self._subject = find, subject
        self._window: Window | None = window
        self._windows = windows

    def next(self, behind: int) -> Span | None:
        """The first match that starts at `behind` or later; `behind` never goes back."""
        while self._window:
            start, end = self._window
            if behind < end:
                span = self._find(self._subject, max(start, behind), end)
                if span:
                    return span
            self._window = next(self._windows, None)
        return None


def _joined(windows: Iterable[Window]) -> Iterator[Window]:
    """Windows that overlap as one: nothing is searched twice, and no match is cut off that begins where they do."""
    joined: Window | None = None
    for start, end in windows:
        if joined is None:
            joined = start, end
        elif start < joined[1]:
            joined = joined[0], max(joined[1], end)
        else:
            yield joined
            joined = start, end
    if joined:
        yield joined
