"""Runs one arm of a regex on a part of a text: by plain search, by RE2, or by `re`."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable
from functools import cache, cached_property
from importlib.util import find_spec
from typing import Any

from carerails.matching.analysis import Arm, Check

Span = tuple[int, int]


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


class Verifier:
    """An arm that can be run.

    Args:
        arm: what is known of it.
        regex: the regex that it is a part of.
        checks: further sets that its matches need.
        re2: whether to use RE2, if it is there and reads the arm alike.
    """

    def __init__(self, arm: Arm, regex: str, checks: Iterable[Check] = (), *, re2: bool) -> None:
        self.regex, self.order, self.longest, self.local = arm.regex, arm.order, arm.longest, arm.local
        self.also = frozenset(arm.clauses[1:])
        self.checks = tuple((frozenset(words), tuple(pieces)) for words, pieces in checks)
        self._arm, self._regex, self._re2 = arm, regex, re2

    def may_match(self, marked: str, words: set[str]) -> bool:
        """Whether a part of a text, which has these words, has one of each further set; asked before it is run."""
        for some, pieces in self.checks:
            if some.isdisjoint(words):
                for piece in pieces:
                    if piece in marked:
                        break
                else:
                    return False
        return True

    @cached_property
    def find(self) -> Finder:
        """The first match within a range of the subject; compiled when first needed, which may take milliseconds."""
        arm = self._arm
        if arm.text:
            return _find_literal(arm.text)
        by_re2 = _find_re2(arm.re2) if self._re2 and arm.re2 else None
        return by_re2 or _find_re(re.compile(self._regex[arm.start : arm.end]), arm.longest)


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
    """None where RE2 is missing, or declines (a count above 1,000)."""
    if not has_re2():
        return None
    re2: Any = importlib.import_module("re2")
    options = re2.Options()
    options.log_errors = False
    try:
        pattern = re2.compile(regex.encode(), options)
    except re2.error:
        return None
    try:
        # What `search` calls, without the match object and the generator around it: twice as fast on a short text.
        match, unanchored = pattern._regexp.Match, re2._Anchor.UNANCHORED
    except AttributeError:
        search = pattern.search

        def find_slowly(subject: Subject, start: int, end: int) -> Span | None:
            found = search(subject.data, start, end)
            return found.span() if found else None

        return find_slowly

    def find(subject: Subject, start: int, end: int) -> Span | None:
        span: Span = match(unanchored, subject.data, start, end)[0]
        return span if span[0] >= 0 else None

    return find
