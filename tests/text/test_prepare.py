"""From a turn to what is scanned, and back."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carerails.contracts import Locale, Message, Role, Span, Turn
from carerails.text import detect_locale, prepare


def turn(*messages: tuple[Role, Any], **fields: Any) -> Turn:
    return Turn(messages=tuple(Message(role=role, content=content) for role, content in messages), **fields)


def test_every_unanswered_user_message_counts() -> None:
    prepared = prepare(
        turn(
            ("user", "answered"),
            ("assistant", "hello"),
            ("user", "One"),
            ("system", "note"),
            ("tool", "42"),
            ("user", "TWO"),
        )
    )
    assert prepared.messages == (2, 5)
    assert prepared.text == "one\ntwo"
    assert prepared.problem is None
    assert prepared.locate(4, 7) == Span(message=5, start=0, end=3)
    assert prepared.locate(2, 5) is None  # across the two
    assert prepared.locate(0, 99) is None


CONTENTS: list[tuple[Any, str | None, str | None]] = [
    ("", "", "empty"),
    (" \n\t", "", "empty"),
    ("?!... 😀", "?!...", "empty"),
    ("___", None, "empty"),
    ("我想死", None, "empty"),  # no rule can read it
    ("Доктор, у меня болит голова", None, "empty"),
    ("the word 我 means I", "the word _ means i\nthe word means i", None),
    ([{"type": "text", "text": "chest"}, {"type": "text", "text": "pain"}], "chest pain", None),
    (["chest", "pain"], "chest pain", None),
    ([{"type": "image_url", "image_url": {"url": "x"}}], "", "image"),
    ([{"type": "text", "text": "what is it"}, {"type": "image", "source": {}}], "what is it", "image"),
    ([{"type": "audio"}, "help"], "help", "not-text"),
    ([{"type": "text", "text": 5}], "", "not-text"),
    ([{"type": ["text"]}], "", "not-text"),
    ([None], "", "not-text"),
    ([], "", "empty"),
    (None, "", "not-text"),
    (b"chest pain", "", "not-text"),
    (3.5, "", "not-text"),
    (True, "", "not-text"),
    ({"text": "chest pain"}, "", "not-text"),
    ("chest\x00 \ud800pain\x1b", "chest pain", None),
]


@pytest.mark.parametrize(("content", "text", "problem"), CONTENTS)
def test_contents(content: Any, text: str | None, problem: str | None) -> None:
    prepared = prepare(turn(("user", content)))
    assert prepared.problem == problem
    assert text is None or prepared.text == text


def test_a_turn_without_a_user_message_is_empty() -> None:
    for empty in (turn(), turn(("user", "hi"), ("assistant", "hello")), turn(("system", "x"))):
        assert prepare(empty).problem == "empty"
        assert prepare(empty).locate(0, 0) is None


def test_an_empty_message_beside_text_is_no_problem() -> None:
    assert prepare(turn(("user", ""), ("user", "hello there"))).problem is None


def test_spans_land_in_the_joined_parts() -> None:
    prepared = prepare(turn(("user", [{"type": "text", "text": "Tengo años,"}, "DOLOR de pecho"])))
    start = prepared.text.index("anos, dolor")
    span = prepared.locate(start, start + len("anos, dolor"))
    assert span is not None
    assert span == Span(message=0, start=6, end=17)
    assert prepared.original(span) == "años,\nDOLOR"


def test_a_match_in_any_view_leads_back() -> None:
    prepared = prepare(turn(("user", "hello"), ("user", "quiero m o r i r ya")))
    start = prepared.text.index("morir")
    span = prepared.locate(start, start + 5)
    assert span is not None
    assert span.message == 1
    assert prepared.original(span) == "m o r i r"


@pytest.mark.parametrize(("position", "found"), [("head", True), ("middle", False), ("tail", True)])
def test_of_a_long_turn_both_ends_are_scanned(position: str, found: bool) -> None:
    filler = "lorem ipsum " * 100
    text = {"head": f"CHEST pain {filler}", "middle": f"{filler}CHEST pain {filler}", "tail": f"{filler} CHEST pain"}
    prepared = prepare(turn(("user", text[position])), max_chars=400)
    assert prepared.problem == "too-long"
    assert len(prepared.text) <= 401
    assert ("chest pain" in prepared.text) is found
    if found:
        start = prepared.text.index("chest")
        span = prepared.locate(start, start + 5)
        assert span is not None
        assert prepared.original(span) == "CHEST"
        assert text[position][span.start : span.end] == "CHEST"


def test_the_limit_is_for_the_turn() -> None:
    messages = [("user", f"message number {i} ") for i in range(50)]
    prepared = prepare(turn(*messages), max_chars=100)  # type: ignore[arg-type]
    assert prepared.problem == "too-long"
    assert len(prepared.text) < 120
    assert "number 0" in prepared.text
    assert "number 49" in prepared.text
    assert prepare(turn(("user", "a" * 100)), max_chars=100).problem is None


@pytest.mark.parametrize("filler", ["é k1ll ", "k i l l ", "a\u0301", "\u200b"])
def test_ten_megabytes_are_cut_before_they_are_folded(filler: str) -> None:
    huge = turn(("user", filler * (10_000_000 // len(filler))), locale="en")
    before = time.process_time()
    assert prepare(huge).problem == "too-long"
    assert time.process_time() - before < 1.5  # 0.2 s on an idle machine; folding all of it takes ten or more


ADVERSARIAL = {
    "combining": "\u0301",
    "single letters": "k ",
    "single letters, wide": "k  ",
    "leet": "k1",
    "leet words": "k1l ",
    "zero-width": "\u200b",
    "alternating": "k\u200b",
    "drawn": "aaab",
    "entities": "&amp;",
    "half entities": "&amp",
    "dots": "a.",
    "chains": "ab.",
    "apostrophes": "'a",
    "scripts": "aж",
    "look-alikes": "сa",
    "long decompositions": "ﷺ",
    "underscores": "_",
    "signs": "a!",
}


@pytest.mark.parametrize("unit", ADVERSARIAL.values(), ids=ADVERSARIAL.keys())
def test_time_grows_with_length_and_no_faster(unit: str) -> None:
    def took(length: int) -> float:
        text = turn(("user", unit * (length // len(unit))), locale="en")
        best = 9.0
        for _ in range(3):
            before = time.process_time()
            prepare(text)
            best = min(best, time.process_time() - before)
        return best

    small, large = took(5_000), took(80_000)  # sixteen times the text: quadratic would be 256 times the time
    assert large < 64 * max(small, 0.0005)


@pytest.mark.parametrize(
    ("fields", "text", "locale"),
    [
        ({"locale": "pt-BR", "previous_locale": "en"}, "me duele mucho el pecho", "pt-BR"),
        ({"previous_locale": "es-419"}, "my chest hurts very much today", "es-419"),
        ({}, "me duele mucho el pecho desde ayer", "es-419"),
        ({}, "estou com muita dor no peito desde ontem", "pt-BR"),
        ({}, "my chest has been hurting since yesterday", "en"),
        ({}, "ok", "en"),
        ({}, "", "en"),
        ({}, "\ud800 \ud801 \ud802 \ud803", "en"),
    ],
)
def test_locale(fields: dict[str, Locale], text: str, locale: Locale) -> None:
    assert prepare(turn(("user", text), **fields)).locale == locale


def test_detection_knows_three_locales_only() -> None:
    assert detect_locale("Je ne sais pas quoi faire de ma vie") in ("en", "es-419", "pt-BR")


def test_importing_and_preparing_loads_nothing_heavy() -> None:
    code = (
        "import sys; from carerails.text import prepare; from carerails.contracts import Turn;"
        "prepare(Turn.of('me duele', locale='es-419')).locale;"
        "print([m for m in ('py3langid', 'numpy', 'nemoguardrails', 'hypothesis') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text() | st.binary(), st.lists, max_leaves=6))
def test_never_raises_and_never_passes_what_is_no_text(content: Any) -> None:
    prepared = prepare(turn(("user", content)))
    assert prepared.text.isascii()
    if not isinstance(content, (str, list)):
        assert prepared.problem == "not-text"


def test_nothing_of_the_patient_shows_in_a_repr() -> None:
    assert "secret" not in repr(prepare(Turn.of("my secret")))
