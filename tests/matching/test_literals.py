"""Every match of a regex contains one of its required literals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, settings

from carerails.matching import arms, required_literals
from carerails.matching.literals import EDGE, required_clauses
from carerails.matching.tree import parse
from tests.matching.strategies import BY_CHANCE, case, seeds


@pytest.mark.parametrize(
    ("regex", "literals"),
    [
        ("\\bchest pain\\b", {"chest pain"}),
        ("\\bchest (?:pain|pressure)\\b", {"chest pain", "chest pressure"}),
        ("tight(?:ness)? chest", {"tight chest", "tightness chest"}),
        ("me (?:quiero|voy a) matar", {"me quiero matar", "me voy a matar"}),
        ("anafil[aá]?xia", {"anafilxia", "anafilaxia", "anafiláxia"}),
        ("\\w{1,9} anaphylaxis", {" anaphylaxis"}),
        ("take.{0,40}anaphylaxis", {"anaphylaxis"}),
        ("anaphylaxis|stroke", {"anaphylaxis", "stroke"}),
        ("anaphyl|anaphylaxis", {"anaphyl"}),
        ("[a-z]{3}", None),
        ("stroke|[a-z]{3}", None),
        ("(stroke)", None),
    ],
)
def test_the_rarest_set_is_chosen(regex: str, literals: set[str] | None) -> None:
    assert required_literals(regex) == literals


@settings(BY_CHANCE, max_examples=300)
@given(chance=seeds)
def test_every_match_contains_one(chance: Random) -> None:
    regexes, text = case(chance)
    for regex in regexes:
        literals = required_literals(regex)
        for match in re.finditer(regex, text):
            assert literals is None or any(literal in match.group() for literal in literals)


@settings(BY_CHANCE, max_examples=300)
@given(chance=seeds)
def test_every_match_contains_one_of_each_clause_at_its_word_boundaries(chance: Random) -> None:
    regexes, text = case(chance)
    for arm in (arm for regex in regexes for arm in arms(regex)):
        clauses = required_clauses(parse(arm))
        for match in re.finditer(arm, text):
            for clause in clauses:
                assert any(_stands(literal, match) for literal in clause), (arm, clause)


def _stands(literal: str, match: re.Match[str]) -> bool:
    """Whether the literal stands within the match, with the word boundaries that it asks for."""
    core = re.escape(literal.replace(EDGE, ""))
    marked = "\\b" * literal.startswith(EDGE) + core + "\\b" * literal.endswith(EDGE)
    return any(found.end() <= match.end() for found in _everywhere(marked, match))


def _everywhere(marked: str, match: re.Match[str]) -> Iterator[re.Match[str]]:
    """All occurrences from the start of the match, overlapping ones too."""
    pattern = re.compile(marked)
    found = pattern.search(match.string, match.start())
    while found:
        yield found
        found = pattern.search(match.string, found.start() + 1)
