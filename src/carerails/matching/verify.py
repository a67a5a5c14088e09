"""Runs one arm of a regex on a part of a text: by plain search, by RE2, or by `re`."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib.util import find_spec
from typing import Any

from carerails.matching.analysis import Arm

Span = tuple[int, int]

#: An arm walks texts of up to so many characters, and has an automaton for longer ones.
_SHORT = 600


@cache
def has_re2() -> bool:
    """Whether RE2 is installed."""
    return find_spec("re2") is not None


class Subject:
    """A text to search; `data` is the same for RE2, which reads bytes and is only asked about ASCII."""

    __slots__ = ("data", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.data = text.encode("ascii", "replace")


Finder = Callable[[Subject, int, int], "Span | None"]


#: A set of which an arm's matches have one: words, and pieces, which have marks.
Everyday = tuple[frozenset[str], tuple[str, ...]]


class Verifier:
    """An arm that can be run.

    Args:
        arm: what is known of it.
        regex: the regex that it is a part of.
        everyday: further sets that its matches need.
        re2: whether to use RE2, if it is there and reads the arm alike.

    Attributes:
        lead: the rarest clause that its matches need, None where there is none.
        also: the other ones.
        find: the first match within a range of the subject.
    """

    __slots__ = (
        "_arm",
        "_re2",
        "_regex",
        "also",
        "before",
        "everyday",
        "find",
        "lead",
        "local",
        "longest",
        "number",
        "order",
        "regex",
    )

    def __init__(self, arm: Arm, regex: str, everyday: Sequence[Everyday] = (), *, re2: bool) -> None:
        self.regex, self.number, self.order = arm.regex, arm.number, arm.order
        self.longest, self.local, self.before = arm.longest, arm.local, arm.before
        self.lead = arm.clauses[0] if arm.clauses else None
        self.also = frozenset(arm.clauses[1:])
        self.everyday = everyday
        self._arm, self._regex, self._re2 = arm, regex, re2
        self.find: Finder = self._find_first

    def warm(self) -> None:
        """Compile it, which may take milliseconds and is else done when it is first needed."""
        arm = self._arm
        if arm.text:
            self.find = _find_literal(arm.text)
            return
        by_re2 = _find_re2(arm.re2) if self._re2 and arm.re2 else None
        self.find = by_re2 or _find_re(re.compile(arm.piece.source(self._regex)), arm.longest)

    def _find_first(self, subject: Subject, start: int, end: int) -> Span | None:
        self.warm()
        return self.find(subject, start, end)


def _find_literal(literal: str) -> Finder:
    def find(subject: Subject, start: int, end: int) -> Span | None:
        at = subject.text.find(literal, start, end)
        return None if at < 0 else (at, at + len(literal))

    return find


def _find_re(pattern: re.Pattern[str], longest: int | None) -> Finder:
    search = pattern.search

    def find(subject: Subject, start: int, end: int) -> Span | None:
        text = subject.text
        match = search(text, start, end)
        if match and match.end() == end < len(text):
            # `re` takes the end of the range for the end of the text: a boundary may stand there that is none.
            match = search(text, start, len(text) if longest is None else end + longest)
            if match and match.start() >= end:
                return None
        return match.span() if match else None

    return find


def _find_re2(regex: str) -> Finder | None:
    """None where RE2 is missing, or declines (a count above 1,000).

    RE2's automaton is fast where texts have led it before; until then each character costs a new state. So a new arm
    walks short texts, one alternative after another, as linear and with nothing to build. RE2 does that for a match
    that begins where the text does, with a group in it.
    """
    if not has_re2():
        return None
    re2: Any = importlib.import_module("re2")
    source = regex.encode()
    try:
        walking = _compiled(b"(?s:.*?)(%b)" % source)
    except re2.error:
        return None
    try:
        # What `match` calls, without the match object and the generator around it: twice as fast on a short text.
        walk = partial(walking._regexp.Match, re2._Anchor.ANCHOR_START)
    except AttributeError:
        return _find_slowly(_compiled(source).search)
    run: Callable[[bytes, int, int], Sequence[Span]] | None = None

    def find(subject: Subject, start: int, end: int) -> Span | None:
        nonlocal run
        if end - start <= _SHORT:
            span = walk(subject.data, start, end)[1]
        else:
            if run is None:
                run = partial(_compiled(source)._regexp.Match, re2._Anchor.UNANCHORED)
            span = run(subject.data, start, end)[0]
        return span if span[0] >= 0 else None

    return find


def _find_slowly(search: Callable[[bytes, int, int], Any]) -> Finder:
    def find(subject: Subject, start: int, end: int) -> Span | None:
        found = search(subject.data, start, end)
        return found.span() if found else None

    return find


def _compiled(source: bytes) -> Any:
    """Raises `re2.error` where RE2 declines."""
    re2: Any = importlib.import_module("re2")
    options = re2.Options()
    options.log_errors = False
    options.encoding = re2.Options.Encoding.LATIN1  # a class that excludes is one range of bytes, and not of UTF-8
    return re2.compile(source, options)
