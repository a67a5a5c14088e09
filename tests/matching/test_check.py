"""Each lint rule finds its case, at its place, and leaves good patterns alone."""

from __future__ import annotations

import pytest

from carerails.matching import check_regex

GOOD = [
    "\\bchest (?:pain|pressure)\\b",
    "\\bpain(?: in)?(?: my)? (?:[a-z]{1,9} )?chest\\b",
    "\\btook[^.!?\\n]{0,40}pills\\b|\\bpills.{0,40}took\\b",
    "can'?t breath?e?\\b",
    "\\b20 ?mg\\b",
    "(?: [a-z]{1,9}){2} chest",
    "mother.{0,40}[^a-z\\n]{0,40}father",
    "[|(^$]chest",
]


@pytest.mark.parametrize("regex", GOOD)
def test_a_good_pattern_passes(regex: str) -> None:
    assert check_regex(regex) == []


BAD = [
    ("(?=pain)chest", 0, "look-around"),
    ("chest(?<!a)", 5, "look-around"),
    ("chest (pain)", 6, "capture-group"),
    ("chest (?P<x>pain)", 6, "capture-group"),
    ("(?:chest)\\1", 0, "invalid"),
    ("(chest) \\1", 8, "backreference"),
    ("(?i)chest", 0, "inline-flags"),
    ("chest (?i:pain)", 6, "inline-flags"),
    ("chest (?#here)pain", 6, "comment"),
    ("chest.*pain", 6, "unbounded"),
    ("chest.+?pain", 6, "unbounded"),
    ("chest.{2,}pain", 6, "unbounded"),
    ("chest.{,5}pain", 6, "open-count"),
    ("^chest", 0, "anchor"),
    ("chest$", 5, "anchor"),
    ("chest\\Z", 5, "anchor"),
    ("\\Achest", 0, "anchor"),
    ("chest\\spain", 5, "white-space"),
    ("chest[\\s]pain", 5, "white-space"),
    ("chest\\x41", 5, "escape"),
    ("chest\\npain", 5, "line-end"),
    ("chest[^.]{0,40}pain", 5, "newline"),
    ("Chest", 0, "capital"),
    ("chest pAin", 7, "capital"),
    ("chest [A-Z]", 7, "capital"),
    ("pulm\u00e3o", 4, "foreign"),
    ("chest [\u00e1a]", 7, "foreign"),
    ("chest|a?b?", 6, "empty"),
    ("chest|\\bir\\b", 6, "no-literal"),
    ("chest|[0-9]{2} (?:mg|ml)\\b|[a-z]{3}", 27, "no-literal"),
    ("chest|pain|chest", 11, "duplicate"),
    ("chest(?:pain.{0,10}){0,10}", 0, "nested"),
    ("chest(?:(?:a|b.{0,10}){0,10}c){0,10}", 0, "nested"),
    ("(?:chest", 0, "invalid"),
    ("chest**", 0, "invalid"),
]


@pytest.mark.parametrize(("regex", "offset", "code"), BAD)
def test_a_bad_pattern_is_found(regex: str, offset: int, code: str) -> None:
    found = [(problem.offset, problem.code) for problem in check_regex(regex)]
    if code == "invalid":
        assert [code for _, code in found] == ["invalid"]
    else:
        assert (offset, code) in found
    assert all(problem.what and problem.mend for problem in check_regex(regex))
