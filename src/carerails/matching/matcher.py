"""Many regexes on one text, with exactly the answers of Python's `re`, in time linear in the text.

A regex of the subset is an alternation of arms. One pass finds which arms' required literals the text contains; only
those arms are run, only near those literals, by RE2 or by `re`. The alternation's matches are the arms' matches merged:
the leftmost start wins, of two arms at one start the earlier, and the search goes on behind the match.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heapreplace
from typing import Any, Literal

from carerails.matching.literals import EDGE, marked_literals
from carerails.matching.prefilter import Hit, prefilter
from carerails.matching.tree import Node, Unsupported, arms, parse, plain_text, to_re2

Backend = Literal["auto", "stdlib"]
Windows = Sequence[tuple[int, int]]

#: Up to this length, in characters, a text is searched whole: finding the places costs more than it saves.
_SHORT = 400


class Subject:
    """A text to search; `data` is the same for RE2, which reads bytes."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def data(self) -> bytes:
        """The text, which is ASCII, as bytes."""
        return self.text.encode("ascii")


Finder = Callable[[Subject, int, int], "tuple[int, int] | None"]


@dataclass(eq=False)
class Arm:
    """One alternative of a regex. `longest` is the length of its longest match, None without a bound."""

    regex: int
    index: int
    source: str
    node: Node
    longest: int | None
    literals: frozenset[str] | None
    re2: bool

    @cached_property
    def find(self) -> Finder:
        """The first match within a range of the subject; compiled when first needed."""
        literal = plain_text(self.node)
        if literal is not None:
            return _find_literal(literal)
        return (_find_re2(self.node) if self.re2 else None) or _find_re(self.source)


class Matcher:
    """Compiled once for a set of regexes; `scan` a text with it, from any thread.

    Args:
        regexes: as for `re`. One that leaves the subset (see check_regex) is run whole by `re`: slower, still right.
        backend: `stdlib` uses neither ahocorasick_rs nor RE2; the answers are the same.

    Raises:
        re.error: a regex does not compile.
    """

    def __init__(self, regexes: Sequence[str], *, backend: Backend = "auto") -> None:
        self.regexes = tuple(regexes)
        self._whole: dict[int, re.Pattern[str]] = {}
        self._always: list[Arm] = []
        self._outside: set[int] = set()
        owners: dict[str, list[Arm]] = {}
        for number, regex in enumerate(self.regexes):
            try:
                parts = _arms_of(number, regex, re2=backend == "auto")
            except Unsupported:
                self._outside.add(number)
                self.whole(number)
                continue
            for arm in parts:
                for literal in arm.literals or ():
                    owners.setdefault(literal, []).append(arm)
                if not arm.literals:
                    self._always.append(arm)
        self._owners = tuple(tuple(arms) for arms in owners.values())
        self._prefilter = prefilter(list(owners), automaton=backend == "auto")

    def scan(self, text: str) -> Scan:
        """Ask all regexes about a text; the answers are worked out when asked for."""
        if not text.isascii():
            return Scan(self, text, {}, frozenset(range(len(self.regexes))))
        hits = self._prefilter.hits(text)
        found = self._near(text, hits) if len(text) > _SHORT else self._anywhere(text, hits)
        for arm in self._always:
            found.setdefault(arm.regex, {})[arm] = [(0, len(text))]
        return Scan(self, text, found, self._outside)

    def whole(self, number: int) -> re.Pattern[str]:
        """The regex as `re` compiles it."""
        pattern = self._whole.get(number)
        if pattern is None:
            pattern = self._whole[number] = re.compile(self.regexes[number])
        return pattern

    def _anywhere(self, text: str, hits: Iterable[Hit]) -> dict[int, dict[Arm, Windows]]:
        """The arms that may match, by regex, each to be searched for in the whole text."""
        found: dict[int, dict[Arm, Windows]] = {}
        everywhere = ((0, len(text)),)
        for literal in {hit[0] for hit in hits}:
            for arm in self._owners[literal]:
                found.setdefault(arm.regex, {})[arm] = everywhere
        return found

    def _near(self, text: str, hits: Iterable[Hit]) -> dict[int, dict[Arm, Windows]]:
        """The arms that may match, by regex, each to be searched for around its literals.

        A match holds a literal, so it lies within `longest` of it. The window's end is one character further, where a
        word boundary still looks, so whatever starts in a window finds the same end as in the whole text.
        """
        places: dict[int, list[tuple[int, int]]] = {}
        for literal, start, end in hits:
            spots = places.setdefault(literal, [])
            if spots and start - spots[-1][1] < _SHORT:
                spots[-1] = (spots[-1][0], end)
            else:
                spots.append((start, end))
        around: dict[Arm, list[tuple[int, int]]] = {}
        for literal, spots in places.items():
            for arm in self._owners[literal]:
                reach = len(text) if arm.longest is None else arm.longest
                windows = [(max(0, start - reach), min(len(text), end + reach + 1)) for start, end in spots]
                around.setdefault(arm, []).extend(windows)
        found: dict[int, dict[Arm, Windows]] = {}
        for arm, windows in around.items():
            found.setdefault(arm.regex, {})[arm] = _joined(windows)
        return found


class Scan:
    """What the regexes of a Matcher find in one text."""

    def __init__(
        self, matcher: Matcher, text: str, found: dict[int, dict[Arm, Windows]], outside: set[int] | frozenset[int]
    ) -> None:
        self._matcher = matcher
        self._subject = Subject(text)
        self._found = found
        self._outside = outside
        self._spans: dict[int, list[tuple[int, int, int]]] = {}

    def find_all(self, i: int) -> list[Any]:
        """`re.findall(regexes[i], text)`: of a regex of the subset the matched texts."""
        if i in self._outside:
            return self._matcher.whole(i).findall(self._subject.text)
        if i not in self._found:
            return []
        text = self._subject.text
        return [text[start:end] for start, end, _ in self.spans(i)]

    def search(self, i: int) -> bool:
        """Whether `re.search(regexes[i], text)` finds something."""
        if i in self._outside:
            return self._matcher.whole(i).search(self._subject.text) is not None
        if i not in self._found:
            return False
        if i in self._spans:
            return bool(self._spans[i])
        return any(
            arm.find(self._subject, start, end) for arm, windows in self._found[i].items() for start, end in windows
        )

    def spans(self, i: int) -> list[tuple[int, int, int]]:
        """Start and end of each match of regexes[i], in characters, and the number of the arm that matched."""
        spans = self._spans.get(i)
        if spans is None:
            spans = self._spans[i] = self._by_re(i) if i in self._outside else self._merged(i)
        return spans

    def _by_re(self, i: int) -> list[tuple[int, int, int]]:
        text = self._subject.text
        parts = [re.compile(arm) for arm in arms(self._matcher.regexes[i])]
        return [
            (m.start(), m.end(), next((n for n, part in enumerate(parts) if part.match(text, m.start())), 0))
            for m in self._matcher.whole(i).finditer(text)
        ]

    def _merged(self, i: int) -> list[tuple[int, int, int]]:
        heads: list[tuple[int, int, int, _Cursor]] = []
        for arm, windows in self._found.get(i, {}).items():
            cursor = _Cursor(arm.find, self._subject, windows)
            span = cursor.next(0)
            if span:
                heads.append((span[0], arm.index, span[1], cursor))
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

    def __init__(self, find: Finder, subject: Subject, windows: Windows) -> None:
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


def _arms_of(number: int, regex: str, *, re2: bool) -> list[Arm]:
    found: list[Arm] = []
    for index, source in enumerate(arms(regex)):
        tree = parse(source)
        if tree.shortest == 0:
            raise Unsupported("a match may be empty")
        marked = marked_literals(tree.node)
        literals = frozenset(literal.replace(EDGE, "") for literal in marked) if marked else None
        found.append(Arm(number, index, source, tree.node, tree.longest, literals, re2))
    return found


def _joined(windows: list[tuple[int, int]]) -> Windows:
    """The same places as disjoint windows in order."""
    windows.sort()
    joined = [windows[0]]
    for start, end in windows[1:]:
        if start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _find_literal(literal: str) -> Finder:
    def find(subject: Subject, start: int, end: int) -> tuple[int, int] | None:
        at = subject.text.find(literal, start, end)
        return None if at < 0 else (at, at + len(literal))

    return find


def _find_re(source: str) -> Finder:
    search = re.compile(source).search

    def find(subject: Subject, start: int, end: int) -> tuple[int, int] | None:
        match = search(subject.text, start, end)
        return match.span() if match else None

    return find


def _find_re2(node: Node) -> Finder | None:
    """None where RE2 is missing, or declines (a count above 1,000)."""
    try:
        re2: Any = importlib.import_module("re2")
    except ImportError:
        return None
    options = re2.Options()
    options.log_errors = False
    try:
        search = re2.compile(to_re2(node).encode(), options).search
    except re2.error:
        return None

    def find(subject: Subject, start: int, end: int) -> tuple[int, int] | None:
        match = search(subject.data, start, end)
        return match.span() if match else None

    return find
