"""The Matcher answers exactly what `re` answers, with either backend, in linear time."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carerails.matching import Matcher, arms, pieces, verify
from carerails.matching.matcher import Backend
from tests.matching.strategies import BY_CHANCE, case, seeds

BACKENDS: tuple[Backend, ...] = ("auto", "stdlib")


def agree(regexes: list[str], text: str, backend: Backend) -> None:
    scan = Matcher(regexes, backend=backend).scan(text)
    for number, regex in enumerate(regexes):
        assert scan.search(number) == bool(re.search(regex, text))
        assert scan.find_all(number) == re.findall(regex, text)
        spans = scan.spans(number)
        assert [(start, end) for start, end, _ in spans] == [m.span() for m in re.finditer(regex, text)]
        parts = arms(regex)
        for start, end, arm in spans:
            assert all(not re.compile(part).match(text, start) for part in parts[:arm])
            match = re.compile(parts[arm]).match(text, start)
            assert match
            assert match.end() == end


@pytest.mark.parametrize("backend", BACKENDS)
@settings(BY_CHANCE, max_examples=400)
@given(chance=seeds)
def test_it_agrees_with_re(backend: Backend, chance: Random) -> None:
    agree(*case(chance), backend)


@settings(BY_CHANCE, max_examples=200)
@given(chance=seeds, short=st.integers(0, 60))
def test_it_agrees_with_re_where_arms_walk_and_where_they_have_automata(chance: Random, short: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verify, "_SHORT", short)
        agree(*case(chance), "auto")


@pytest.mark.parametrize("backend", BACKENDS)
@settings(BY_CHANCE, max_examples=200)
@given(chance=seeds, most=st.integers(0, 60))
def test_it_agrees_with_re_however_small_the_pieces_of_arms(backend: Backend, chance: Random, most: int) -> None:
    regexes, text = case(chance)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "MOST", most)
        agree([*regexes, *(rf"\b(?:{regex})\b|(?:{regex})" for regex in regexes)], text, backend)


@pytest.mark.parametrize(
    ("most", "found"),
    [
        (99, [(0, 26, "", "")]),
        (12, [(5, 15, r"\b", r"\b"), (16, 23, r"\b", r"\b")]),
        (6, [(5, 7, r"\b", r"\b"), (11, 14, r"\b", r"\b"), (16, 23, r"\b", r"\b")]),
    ],
)
def test_a_long_arm_that_is_one_group_is_cut_into_pieces(
    most: int, found: list[tuple[int, int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    regex = r"\b(?:ab|(?:c|d)|take it)\b|x(?:y|z)"
    monkeypatch.setattr(pieces, "MOST", most)
    assert [[tuple(piece) for piece in arm] for arm in pieces.pieces(regex)] == [found, [(27, 35, "", "")]]


@pytest.mark.parametrize("backend", BACKENDS)
@settings(BY_CHANCE, max_examples=60)
@given(chance=seeds, strange=st.text(min_size=1, max_size=4))
def test_it_agrees_on_any_script(backend: Backend, chance: Random, strange: str) -> None:
    regexes, text = case(chance)
    agree(regexes, strange.join([text[:10], text[10:30], text[30:]]), backend)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("regex", "text"),
    [
        ("pain|chest pain", "chest pain and pain"),
        ("chest pain|chest", "chest pain"),
        ("chest|chest pain", "chest pain"),
        ("\\bpain\\b", "painful pain"),
        ("aba|b", "ababab"),
        ("(pain)", "pain (pain)"),
        ("(a)(b)|c", "ab c"),
        ("(?i)pain|chest", "PAIN CHEST"),
        ("a*", "baab"),
        ("pain|", "a pain"),
        ("pain$", "pain\n"),
        ("pain\\s+x", "pain \x1cx"),
        ("(?=pain)p", "pain"),
        ("(?<=a )pain", "a pain"),
        ("[|]pain|(?:a|b)c\\|d", "|pain ac|d"),
        ("p[]a]in|[^]b]n", "pain p]in"),
        ("x{2000}pain", "x" * 2100 + "pain"),
        ("pain.*chest", "pain " + "x" * 900 + " chest"),
        ("a{,2}pain", "aaapain a{,2}pain"),
        ("\\d\\d", "20 mg 3 44"),
        ("", "pain"),
        ("pain", ""),
        ("pain\\x00?\\x1f", "pain\x00\x1f pain\x1f"),
        ("pain[\\x08] x|\\bche", "a pain\x08 x che"),
        ("\\bpain\\b \\bche", "pain che"),
        (" pain\\b|-che|\\b-pain", "a pain-che a-pain pains"),
        ("(?:pain)??che|(?:x){}y", "painche x{}y"),
        ("p{a}in|x{,2}y|(?:z){,2}pain", "p{a}in xxy zpain"),
    ],
)
def test_it_agrees_on_corner_cases(backend: Backend, regex: str, text: str) -> None:
    scan = Matcher([regex, "chest"], backend=backend).scan(text)
    assert scan.find_all(0) == re.findall(regex, text)
    assert scan.search(0) == bool(re.search(regex, text))
    assert [(s, e) for s, e, _ in scan.spans(0)] == [m.span() for m in re.finditer(regex, text)]
    assert scan.find_all(1) == re.findall("chest", text)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_window_does_not_cut_a_match(backend: Backend) -> None:
    """The literal stands at either end of a match as long as its regex allows, in a long text."""
    regex = "\\bpain.{0,40}[xy]\\b|[xy].{0,40}pain\\b"
    for gap in (0, 1, 39, 40, 41):
        for around in ("", " ", "a"):
            text = (
                "z " * 300 + around + "pain" + "-" * gap + "x" + around + " z" * 300 + "y" + "-" * gap + "pain" + around
            )
            agree([regex], text, backend)


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_is_warm_answers_alike(backend: Backend) -> None:
    matcher = Matcher(["chest (?:pain|pressure)|\\d{1,3} pills", "[a-z]{2}"], backend=backend)
    matcher.warm()
    scan = matcher.scan("chest pressure after 20 pills")
    assert scan.find_all(0) == ["chest pressure", "20 pills"]
    assert set(scan.candidates) == {0, 1}
    assert not set(matcher.scan("a headache").candidates) - {1}


def test_another_release_of_re2_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the inner function that is called directly, the public one is."""
    re2 = pytest.importorskip("re2")
    compiled: Callable[..., Any] = re2.compile

    def without(regex: bytes, options: object) -> SimpleNamespace:
        return SimpleNamespace(search=compiled(regex, options).search)

    monkeypatch.setattr(re2, "compile", without)
    agree(["\\bchest (?:pain|pressure)", "pain|x"], "chest pain, chest pressure", "auto")


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_regex_that_python_refuses_is_refused(backend: Backend) -> None:
    for regex in ("(?:chest", "chest)", "(?:chest){2}{3}", "pain|*chest", "[chest", "chest\\"):
        with pytest.raises(re.error):
            Matcher(["pain", regex], backend=backend)


ADVERSARIAL = {
    "one literal everywhere": "matar ",
    "overlapping": "aba",
    "almost": "take take tak chest pai ",
    "all": "pain chest take pills kill matar dor. ",
    "spaces": " ",
}
HARD = [
    "\\btake[^.!?\\n]{0,40}pills\\b|\\bpills[^.!?\\n]{0,40}take\\b|aba.{0,40}z",
    "\\b(?:me|te) (?:quiero|voy a) matar\\b|\\bmatar[^.!?\\n]{0,40}dor\\b",
    "|".join(f"\\b(?:pain|matar|aba)[^.!?\\n]{{0,{n}}}(?:chest|dor|q{n})\\b" for n in range(1, 40)),
]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("unit", ADVERSARIAL.values(), ids=ADVERSARIAL.keys())
def test_time_is_linear_in_the_text(backend: Backend, unit: str) -> None:
    """Eight times the text may take at most twenty times as long; quadratic would be sixty-four."""
    matcher = Matcher(HARD, backend=backend)

    def seconds(length: int) -> float:
        text = (unit * (length // len(unit) + 1))[:length]
        best = 9.0
        for _ in range(3):
            start = time.process_time()
            scan = matcher.scan(text)
            for number in range(len(HARD)):
                scan.spans(number)
            best = min(best, time.process_time() - start)
        return best

    seconds(500)
    assert seconds(40_000) < 20 * seconds(5_000) + 0.01
