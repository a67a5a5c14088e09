"""`[cite:ID]` markers: found however they are spaced; what only looks like one is a finding, never dropped."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carerails.drafting import cited, mark, markers

IDS = st.from_regex(r"[a-z]{1,8}(-[a-z0-9]{1,8}){0,3}", fullmatch=True)
SPACE = st.sampled_from(["", " ", "  ", "\t", "\u00a0", "\n"])


@given(IDS, SPACE, SPACE, SPACE, SPACE, st.sampled_from(["cite", "Cite", "CITE"]))
def test_spacing_and_capitals_do_not_matter(card: str, a: str, b: str, c: str, d: str, word: str) -> None:
    assert cited(f"Keep it cool [{a}{word}{b}:{c}{card}{d}].") == (card,)


@given(st.lists(IDS, max_size=6))
def test_ids_come_once_and_in_order(cards: list[str]) -> None:
    text = " and ".join(f"so {mark(card)}" for card in cards)
    assert cited(text) == tuple(dict.fromkeys(cards))
    assert [marker.id for marker in markers(text)] == cards


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Keep it cool [cite].", "[cite]"),
        ("Keep it cool [cite:].", "[cite:]"),
        ("Keep it cool [cite storage].", "[cite storage]"),
        ("Keep it cool [cite:storage, travel].", "[cite:storage, travel]"),
        ("Keep it cool [cite:storage insulin].", "[cite:storage insulin]"),
        ("Keep it cool [cite:storage", "[cite:storage"),
        ("Keep it cool [cite:storage and in the dark. Then [cite:ok].", "[cite:storage"),
        ("Keep it cool (cite:storage).", "(cite:storage)"),
        ("Keep it cool {cite: storage}.", "{cite: storage}"),
        ("Keep it cool cite:storage", "cite:storage"),
        ("Keep it cool 【cite:storage】.", "【cite:storage】"),
        ("Keep it cool [cite：storage].", "[cite：storage]"),
        ("Keep it cool [cite\u200b:storage].", "[cite\u200b:storage]"),
        ("Keep it cool [citation: storage].", "[citation: storage]"),
        ("Guárdalo [cita: storage].", "[cita: storage]"),
        ("Guarde [citação: storage].", "[citação: storage]"),
    ],
)
def test_what_tries_to_be_a_marker_is_kept_as_written(text: str, written: str) -> None:
    assert [marker.written for marker in markers(text) if marker.id is None] == [written]
    assert "storage" not in cited(text)


@pytest.mark.parametrize(
    "text",
    [
        "Recuerda la fecha (cita: lunes a las 8).",
        "Your doctor may recite: one, two.",
        "An exciting [new] idea (cited in a leaflet).",
        "",
    ],
)
def test_other_words_are_no_markers(text: str) -> None:
    assert markers(text) == ()


@given(st.text(alphabet="[]cite: x-,.(\n", max_size=80))
def test_places_are_those_of_the_text(text: str) -> None:
    end = 0
    for marker in markers(text):
        assert end <= marker.start < marker.end <= len(text)
        assert text[marker.start : marker.end].strip() == marker.written
        end = marker.end
