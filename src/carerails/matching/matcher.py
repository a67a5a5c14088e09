"""Many regexes on one text, with exactly the answers of Python's `re`, in time linear in the text.

A regex of the subset is an alternation of arms. One pass finds which arms' required literals the text contains; only
those arms are run, only near those literals, by RE2 or by `re`. The alternation's matches are the arms' matches merged:
the leftmost start wins, of two arms at one start the earlier, and the search goes on behind the match.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from heapq import heapify, heappop, heapreplace
from typing import Any, Literal

from carerails.matching.cache import analysis_of
from carerails.matching.literals import EDGE
from carerails.matching.places import SHIFT, Blocks, Windows, reach_of, spread, windows
from carerails.matching.prefilter import Hit, prefilter
from carerails.matching.tree import arms
from carerails.matching.verify import Finder, Subject, Verifier, has_re2

Backend = Literal["auto", "stdlib"]

#: Up to this length, in characters, a text is searched whole: finding the places costs more than it saves.
_SHORT = 400

_BOUNDARY = re.compile("\\b")

Found = dict[int, dict[Verifier, Blocks]]
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
        analysis = analysis_of(self.regexes)
        self._outside = frozenset(analysis.outside)
        for number in self._outside:
            self.whole(number)
        self._always: list[Verifier] = []
        #: Arms by their first clause.
        self._led: dict[int, list[Verifier]] = {}
        for arm in analysis.arms:
            verifier = Verifier(arm, self.regexes[arm.regex], re2=backend == "auto")
            (self._led.setdefault(arm.clauses[0], []) if arm.clauses else self._always).append(verifier)
        #: Clauses by literal.
        self._holding: list[list[int]] = [[] for _ in analysis.literals]
        for clause, literals in enumerate(analysis.clauses):
            for literal in literals:
                self._holding[literal].append(clause)
        self._prefilter = prefilter(list(map(_marked, analysis.literals)), automaton=backend == "auto")

    def scan(self, text: str) -> Scan:
        """Ask all regexes about a text; the answers are worked out when asked for."""
        if not text.isascii() or EDGE in text:
            return Scan(self, text, "", {}, frozenset(range(len(self.regexes))))
        # With every word boundary marked, the literals that ask for one are found where they have it, and only there.
        marked = _BOUNDARY.sub(EDGE, text)
        everywhere = spread(1, reach_of(None, len(marked)))
        found = self._found(marked, everywhere)
        for arm in self._always:
            found.setdefault(arm.regex, {})[arm] = everywhere
        return Scan(self, text, marked, found, self._outside)

    def warm(self, *, whole: bool = False) -> None:
        """Compile all that would otherwise be compiled by the first text that needs it.

        Without RE2 that is not worth its ten seconds, and arms wait for their first text.

        Args:
            whole: whole regexes by `re`, into its cache, and not arm by arm for `scan`.
        """
        if whole:
            for regex in self.regexes:
                re.compile(regex)
            return
        if has_re2():
            for arm in [*self._always, *(arm for led in self._led.values() for arm in led)]:
                arm.find  # noqa: B018  compiled by being looked at

    def whole(self, number: int) -> re.Pattern[str]:
        """The regex as `re` compiles it."""
        pattern = self._whole.get(number)
        if pattern is None:
            pattern = self._whole[number] = re.compile(self.regexes[number])
        return pattern

    def _found(self, marked: str, everywhere: Blocks) -> Found:
        """The arms that may match: each of their clauses was seen, within reach of each other."""
        hits, holding, found = self._prefilter.hits(marked), self._holding, Found()
        around = _Around(_places(hits, holding), len(marked)) if len(marked) > _SHORT else None
        seen = around.places.keys() if around else {clause for hit in hits for clause in holding[hit[0]]}
        for clause in seen & self._led.keys():
            for arm in self._led[clause]:
                for other in arm.also:
                    if other not in seen:
                        break
                else:
                    blocks = around.arm(clause, arm) if around else everywhere
                    if blocks:
                        found.setdefault(arm.regex, {})[arm] = blocks
        return found


class _Around:
    """Where in a long text an arm's clauses stand close enough to each other for a match."""

    def __init__(self, places: dict[int, Blocks], length: int) -> None:
        self.places = places
        self._length = length
        self._near: dict[tuple[int, int], Blocks] = {}

    def arm(self, first: int, arm: Verifier) -> Blocks:
        """All that a match may have a part in; none if there can be no match."""
        reach = reach_of(arm.longest and 2 * arm.longest + 2, self._length)  # there are as many marks
        blocks = self._near.get((first, reach))
        if blocks is None:
            blocks = self._near[first, reach] = spread(self.places[first], reach)
        for clause in arm.also:
            # A match lies within reach of each of its literals, so all of it is in what is left.
            blocks &= spread(blocks & self.places[clause], reach)
        return blocks


class Scan:
    """What the regexes of a Matcher find in one text."""

    def __init__(self, matcher: Matcher, text: str, marked: str, found: Found, outside: frozenset[int]) -> None:
        self._matcher = matcher
        self._marked = marked
        self._subject = Subject(text)
        self._found = found
        self._outside = outside
        self._spans: dict[int, list[tuple[int, int, int]]] = {}
        self._ranges: dict[Blocks, Windows] = {}

    @property
    def text(self) -> str:
        """What was scanned."""
        return self._subject.text

    @property
    def candidates(self) -> Collection[int]:
        """The regexes that may match: the one pass has told."""
        return {*self._found, *self._outside} if self._outside else self._found.keys()

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
            arm.find(self._subject, start, end)
            for arm, blocks in self._found[i].items()
            for start, end in self._windows(blocks)
        )

    def spans(self, i: int) -> list[tuple[int, int, int]]:
        """Start and end of each match of regexes[i], in characters, and the number of the arm that matched."""
        spans = self._spans.get(i)
        if spans is None:
            spans = self._spans[i] = self._by_re(i) if i in self._outside else self._merged(i)
        return spans

    def _windows(self, blocks: Blocks) -> Windows:
        """Most arms share theirs, so each set of blocks is cut into windows once."""
        found = self._ranges.get(blocks)
        if found is None:
            ranges = windows(blocks, len(self._marked))
            found = self._ranges[blocks] = _unmarked(ranges, self._marked, len(self._subject.text))
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
        for arm, blocks in self._found.get(i, {}).items():
            cursor = _Cursor(arm.find, self._subject, self._windows(blocks))
            span = cursor.next(0)
            if span:
                heads.append((span[0], arm.order, span[1], cursor))
        if not heads:
            return []
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


def _marked(literal: str) -> str:
    """A literal as it stands in a marked text: its own boundaries are marked, the outermost where it asks for one."""
    core = _BOUNDARY.sub(EDGE, literal.replace(EDGE, "")).strip(EDGE)
    return EDGE * literal.startswith(EDGE) + core + EDGE * literal.endswith(EDGE)


def _places(hits: Iterable[Hit], holding: Sequence[Sequence[int]]) -> dict[int, Blocks]:
    """Where in the marked text each clause has one of its literals."""
    literals: dict[int, Blocks] = {}
    for literal, start, _ in hits:
        literals[literal] = literals.get(literal, 0) | 1 << (start >> SHIFT)
    clauses: dict[int, Blocks] = {}
    for literal, blocks in literals.items():
        for clause in holding[literal]:
            clauses[clause] = clauses.get(clause, 0) | blocks
    return clauses


def _unmarked(ranges: Windows, marked: str, length: int) -> Windows:
    """Ranges of the marked text as ranges of the text, which has `length` characters.

    They end one character further, where a word boundary still looks, so what starts in a range ends as it does in the
    whole text.
    """
    found: list[tuple[int, int]] = []
    at = place = 0
    for start, end in ranges:
        place += start - at - marked.count(EDGE, at, start)
        first = place
        place += end - start - marked.count(EDGE, start, end)
        at = end
        found.append((first, min(place + 1, length)))
    return found
