"""A regex in the subset finds what the original finds, or there is a reason why there is none."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from carerails.importing.patterns import escaped, loosely, of_text, port
from carerails.matching import check_regex
from carerails.text import normalise

PORTED = [
    (r"(?i)\bFoo\b", r"\bfoo\b"),
    (r".*bomba.*", "bomba"),
    (r"^.*(kill|hurt).*$", "(?:kill|hurt)"),
    (r"(?P<who>me|us) now", "(?:me|us) now"),
    (r"call\s+me\s*now", "call me ?now"),
    (r"call[\s-]me", "call[ -]me"),
    (r"pass\w+ word\d*", r"pass\w{1,40} word\d{0,40}"),
    (r"diagnóstico|AÇÃO", "diagnostico|acao"),
    (r"forb{2,}idden", "forb{2,40}idden"),
    (r"a.*?b see", "a.{0,40}?b see"),
    (r"\bDROP\W{1,3}TABLE\b", r"\bdrop\W{1,3}table\b"),
    (r"secret\.txt", r"secret\.txt"),
    (r"in c:\\", r"in c:[\\]"),
    (r"costs? \$five", "costs? [$]five"),
]
UNPORTED = [
    ("(", "not a regular expression"),
    ("(?<!not )hack", "look-around"),
    (r"(\w)\1 word", "group reference"),
    (".*", "any text"),
    (r"\d+", ""),
    (r"(?s)abc.def", "inline flags"),
    (r"(?:a+)+ word", ""),
    ("паспорт", ""),
]


@pytest.mark.parametrize(("pattern", "regex"), PORTED)
def test_it_is_brought_into_the_subset(pattern: str, regex: str):
    ported = port(pattern)
    assert (ported.regex, ported.why) == (regex, "")
    assert check_regex(regex) == []


@pytest.mark.parametrize(("pattern", "why"), UNPORTED)
def test_what_cannot_be_has_a_reason(pattern: str, why: str):
    ported = port(pattern)
    assert ported.regex == ""
    assert why in ported.why
    assert ported.why


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_it_finds_what_the_original_finds(data: st.DataObject):
    """On texts that the original matches, read as rails read them: in lower case, without accents, one space."""
    pattern, regex = data.draw(st.sampled_from(PORTED))
    text = data.draw(
        st.from_regex(re.compile(pattern, re.ASCII | re.IGNORECASE), fullmatch=True).filter(str.isprintable)
    )
    assume(text.isascii() and not re.search(r"\S{41}|.{82}", text))
    view = " ".join(text.lower().split())
    assume(any(each.text == view for each in normalise(text)))
    assert re.search(regex, view)


def test_a_regex_for_the_very_words():
    assert of_text("¿Será que tengo dengue?").regex == r"\bsera que tengo dengue\b"
    assert of_text("  WHAT is   2+2?! ").regex == r"\bwhat is 2\+2\b"
    assert of_text("?!").why
    assert of_text("").why


@given(st.text(max_size=30))
@settings(max_examples=200, deadline=None)
def test_an_escaped_text_finds_itself(text: str):
    assert re.fullmatch(escaped(text), text)


@given(st.text(max_size=40))
@settings(max_examples=200, deadline=None)
def test_nothing_ported_leaves_the_subset(text: str):
    ported = port(text)
    assert bool(ported.regex) != bool(ported.why)
    assert not ported.regex or check_regex(ported.regex) == []


DOUBLE = "Should I double my dose tonight?"
VARIED = {
    "should i DOUBLE my dose, tonight": True,
    "do i double the morning dose tonight": True,
    "could i perhaps double my dose of it tonight please": True,
    "is my dose double tonight": False,
    "double rooms are nice. my dose is at home. tonight": False,
    "should i take my dose tonight": False,
}


@pytest.mark.parametrize(("said", "hit"), VARIED.items(), ids=VARIED)
def test_a_text_is_found_again_with_other_words_between(said: str, hit: bool):
    (view,) = normalise(said)
    assert bool(re.search(loosely(DOUBLE), view.text)) is hit


@pytest.mark.parametrize("text", ["how are you?", "can I have it", "¿puedo tomar uno?", "oi", ""])
def test_a_text_of_few_words_is_only_found_word_by_word(text: str):
    assert loosely(text) == ""
