"""Patterns that decide nothing, since whatever one of them matches, another pattern of the same regex matches too.

Judged where it can be proved: a pattern that stands for few texts is compared text by text, at a word's edge and within
a word. Patterns with gaps are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import product

from carerails.colang.folding import Pattern, Regex
from carerails.lint.noting import Notes
from carerails.lint.regexes import short
from carerails.matching.tree import Boundary, Chars, Choice, Node, Repeat, Sequence, Text, Unsupported, parse
from carerails.policy import Policy

#: A pattern that stands for more texts than this is not judged.
MOST_TEXTS = 48
#: What may stand beside a match.
_PLAIN = re.compile(r"(?:\\b|[\w ',-])+")
_BESIDE = ("", "x", " ")


def check_shadows(policy: Policy, notes: Notes) -> None:
    """Compare the patterns of each regex of each rule."""
    seen: set[int] = set()
    for rule in policy.rules:
        for regex in policy.regexes(rule):
            if regex.number in seen or regex.partial or len(regex.arms) < 2:
                continue
            seen.add(regex.number)
            for arm, other in shadowed(regex):
                notes.add("shadowed-pattern", arm.file, arm.line, 1, [short(arm.regex), short(other.regex), other.line])


def shadowed(regex: Regex) -> Iterator[tuple[Pattern, Pattern]]:
    """Each pattern of a regex that says nothing which another does not say, with that other."""
    few = [(number, arm, texts) for number, arm in enumerate(regex.arms) if (texts := texts_of(arm.regex))]
    gone: set[int] = set()
    for number, arm, texts in few:
        told = list(_told(arm.regex, texts))
        literal = min(texts, key=len)
        for place, other in enumerate(regex.arms):
            if place == number or place in gone or other.regex == arm.regex or not _may_hold(other.regex, literal):
                continue
            search = re.compile(other.regex).search
            if told and all(search(text) for text in told):
                gone.add(number)
                yield arm, other
                break


def _may_hold(regex: str, text: str) -> bool:
    """A cheap no: the other pattern must be able to start somewhere in the text."""
    words = re.findall(r"[a-z]{3,}", re.sub(r"\\.", " ", regex))
    return not words or not _PLAIN.fullmatch(regex) or words[0] in text


def _told(regex: str, texts: Iterable[str]) -> Iterator[str]:
    """The texts beside whatever lets the pattern match them."""
    pattern = re.compile(regex)
    for text, before, after in product(texts, _BESIDE, _BESIDE):
        around = before + text + after
        match = pattern.search(around, len(before))
        if match and match.start() == len(before):
            yield around


def texts_of(regex: str) -> frozenset[str] | None:
    """All texts that a pattern stands for; None where they are many."""
    try:
        return _texts(parse(regex))
    except (Unsupported, re.error):
        return None


def _texts(node: Node) -> frozenset[str] | None:
    match node:
        case Text():
            return frozenset({node.text})
        case Boundary():
            return frozenset({""})
        case Chars():
            return node.members
        case Choice():
            return _joined(_texts(branch) for branch in node.branches)
        case Sequence():
            return _in_turn(_texts(item) for item in node.items)
        case Repeat():
            one = _texts(node.item)
            if one is None or node.high is None or node.high > 3:
                return None
            return _joined(_in_turn([one] * count) for count in range(node.low, node.high + 1))


def _joined(sets: Iterable[frozenset[str] | None]) -> frozenset[str] | None:
    found: set[str] = set()
    for texts in sets:
        if texts is None or len(found) + len(texts) > MOST_TEXTS:
            return None
        found |= texts
    return frozenset(found)


def _in_turn(sets: Iterable[frozenset[str] | None]) -> frozenset[str] | None:
    found = frozenset({""})
    for texts in sets:
        if texts is None or len(found) * len(texts) > MOST_TEXTS:
            return None
        found = frozenset(before + text for before in found for text in texts)
    return found
