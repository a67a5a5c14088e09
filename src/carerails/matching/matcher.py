"""Many regexes on one text, with exactly the answers of Python's `re`, in time linear in the text.

A regex of the subset is an alternation of arms. One pass finds which arms' required literals the text contains; only
those arms are run, only near those literals, by RE2 or by `re`. The alternation's matches are the arms' matches merged:
the leftmost start wins, of two arms at one start the earlier, and the search goes on behind the match.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heapreplace
from typing import Any, Literal

from carerails.matching.literals import EDGE, cost, required_clauses
from carerails.matching.prefilter import Hit, prefilter
from carerails.matching.tree import Node, Text, Unsupported, arms, lengths, parse, to_re2

Backend = Literal["auto", "stdlib"]
Windows = Sequence[tuple[int, int]]

#: Up to this length, in characters, a text is searched whole: finding the places costs more than it saves.
_SHORT = 400

#: Places of a literal closer than this are searched as one; reach is rounded up to it, so that arms share the work.
_CLOSE = 64

#: A second required set that is more common than this, as a share of ordinary messages, is not worth asking for.
_COMMON = 0.3

_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")


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
    """One alternative of a regex.

    `first` and each set of `also` hold the numbers of literals, of which any match has at least one.
    `longest` is the length of its longest match, None without a bound.
    """

    regex: int
    index: int
    source: str
    node: Node
    longest: int | None
    first: frozenset[int]
    also: tuple[frozenset[int], ...]
    re2: bool

    @cached_property
    def find(self) -> Finder:
        """The first match within a range of the subject; compiled when first needed."""
        if isinstance(self.node, Text):
            return _find_literal(self.node.text)
        return (_find_re2(self.node) if self.re2 else None) or _find_re(self.source)


Found = dict[int, dict[Arm, Windows]]
"""The arms that may match, by regex, and where to search for each."""


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
        literals: dict[str, int] = {}
        owners: list[list[Arm]] = []
        for number, regex in enumerate(self.regexes):
            try:
                sources = arms(regex)
                nodes = [parse(source) for source in sources]
                spans = [lengths(node) for node in nodes]
                if not all(shortest for shortest, _ in spans):
                    raise Unsupported("a match may be empty")
            except Unsupported:
                self._outside.add(number)
                self.whole(number)
                continue
            for index, (source, node, (_, longest)) in enumerate(zip(sources, nodes, spans, strict=True)):
                clauses = [clause for clause in required_clauses(node) if clause]
                first, *also = [
                    frozenset(literals.setdefault(literal, len(literals)) for literal in clause)
                    for clause in clauses[:1] + [clause for clause in clauses[1:] if cost(clause) < _COMMON]
                ] or [frozenset[int]()]
                owners += ([] for _ in range(len(literals) - len(owners)))
                arm = Arm(number, index, source, node, longest, first, tuple(also), backend == "auto")
                for literal in first:
                    owners[literal].append(arm)
                if not first:
                    self._always.append(arm)
        self._owners = tuple(tuple(arms) for arms in owners)
        self._edges = tuple(_edges(literal) for literal in literals)
        self._prefilter = prefilter([literal.replace(EDGE, "") for literal in literals], automaton=backend == "auto")

    def scan(self, text: str) -> Scan:
        """Ask all regexes about a text; the answers are worked out when asked for."""
        if not text.isascii():
            return Scan(self, text, {}, frozenset(range(len(self.regexes))))
        found = self._found(text)
        for arm in self._always:
            found.setdefault(arm.regex, {})[arm] = ((0, len(text)),)
        return Scan(self, text, found, self._outside)

    def whole(self, number: int) -> re.Pattern[str]:
        """The regex as `re` compiles it."""
        pattern = self._whole.get(number)
        if pattern is None:
            pattern = self._whole[number] = re.compile(self.regexes[number])
        return pattern

    def _found(self, text: str) -> Found:
        """The arms that may match: each of their sets was seen, within reach of each other."""
        places: dict[int, list[Hit]] = {}
        for hit in self._prefilter.hits(text):
            if hit[0] in places:
                places[hit[0]].append(hit)
            else:
                places[hit[0]] = [hit]
        seen = {literal for literal, hits in places.items() if self._at_edges(text, hits)}
        found: Found = {}
        everywhere = ((0, len(text)),)
        around = None if len(text) <= _SHORT else _Places(places, len(text))
        for literal in seen:
            for arm in self._owners[literal]:
                for clause in arm.also:
                    if clause.isdisjoint(seen):
                        break
                else:
                    windows = around.windows(arm) if around else everywhere
                    if windows:
                        found.setdefault(arm.regex, {})[arm] = windows
        return found

    def _at_edges(self, text: str, hits: list[Hit]) -> bool:
        """Whether one of a literal's hits has the word boundaries that the literal asks for."""
        left, right = self._edges[hits[0][0]]
        if left is None and right is None:
            return True
        for _, start, end in hits:
            if (left is None or (start > 0 and text[start - 1] in _WORD) is not left) and (
                right is None or (end < len(text) and text[end] in _WORD) is not right
            ):
                return True
        return False


class _Places:
    """Where in a long text to search for an arm: around its literals.

    A match holds a literal of each of the arm's sets, so it lies within `longest` of one of each. A window ends one
    character further, where a word boundary still looks, so what starts in a window ends as it does in the whole text.
    """

    def __init__(self, places: dict[int, list[Hit]], length: int) -> None:
        self._places = places
        self._literals = frozenset(places)
        self._length = length
        self._spots: dict[int, list[tuple[int, int]]] = {}
        self._windows: dict[tuple[frozenset[int], int], Windows] = {}

    def windows(self, arm: Arm) -> Windows:
        """Disjoint windows, in order; none if the arm's literals lie too far apart."""
        reach = self._length if arm.longest is None else -(-arm.longest // _CLOSE) * _CLOSE
        windows = self._around(arm.first, reach)
        for clause in arm.also:
            windows = _common(windows, self._around(clause, reach))
        return windows

    def _around(self, clause: frozenset[int], reach: int) -> Windows:
        windows = self._windows.get((clause, reach))
        if windows is not None:
            return windows
        found: list[tuple[int, int]] = []
        for first, last in sorted(spot for literal in clause & self._literals for spot in self._clusters(literal)):
            start, end = max(0, first - reach), min(self._length, last + reach + 1)
            if found and start <= found[-1][1]:
                found[-1] = (found[-1][0], max(end, found[-1][1]))
            else:
                found.append((start, end))
        self._windows[clause, reach] = found
        return found

    def _clusters(self, literal: int) -> list[tuple[int, int]]:
        """The literal's places, those close together as one, so that there are never many."""
        spots = self._spots.get(literal)
        if spots is None:
            spots = self._spots[literal] = []
            for _, start, end in self._places[literal]:
                if spots and start - spots[-1][1] < _CLOSE:
                    spots[-1] = (spots[-1][0], end)
                else:
                    spots.append((start, end))
        return spots


class Scan:
    """What the regexes of a Matcher find in one text."""

    def __init__(self, matcher: Matcher, text: str, found: Found, outside: set[int] | frozenset[int]) -> None:
        self._matcher = matcher
        self._subject = Subject(text)
        self._found = found
        self._outside = outside
        self._spans: dict[int, list[tuple[int, int, int]]] = {}

    def possible(self, numbers: frozenset[int]) -> bool:
        """Whether one of these regexes may match; costs next to nothing, for the one pass has told."""
        return not (numbers.isdisjoint(self._found) and numbers.isdisjoint(self._outside))

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


def _edges(literal: str) -> tuple[bool | None, bool | None]:
    """Of a marked literal, by side: whether its own outermost character is a word's; None where nothing is asked for.

    At a word boundary the neighbour is a word's character exactly if the outermost is not.
    """
    core = literal.replace(EDGE, "")
    left = core[0] in _WORD if literal.startswith(EDGE) else None
    return left, core[-1] in _WORD if literal.endswith(EDGE) else None


def _common(one: Windows, other: Windows) -> Windows:
    """Where two lists of windows overlap."""
    overlaps: list[tuple[int, int]] = []
    i = j = 0
    while i < len(one) and j < len(other):
        start, end = max(one[i][0], other[j][0]), min(one[i][1], other[j][1])
        if start < end:
            overlaps.append((start, end))
        if one[i][1] < other[j][1]:
            i += 1
        else:
            j += 1
    return overlaps


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
    """None where RE2 is missing, or declines (a count above 1,000), or does not agree with `re`."""
    try:
        re2: Any = importlib.import_module("re2")
        regex = to_re2(node).encode()
    except (ImportError, Unsupported):
        return None
    options = re2.Options()
    options.log_errors = False
    try:
        search = re2.compile(regex, options).search
    except re2.error:
        return None

    def find(subject: Subject, start: int, end: int) -> tuple[int, int] | None:
        match = search(subject.data, start, end)
        return match.span() if match else None

    return find
