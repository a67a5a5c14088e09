"""The way back: from a range of a view to the user's own words."""

from __future__ import annotations

import random
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carerails.evals.attacks import ATTACKS
from carerails.text import normalise

from .phrases import EVERY

ANY = st.text(st.characters(exclude_categories=()), max_size=40) | st.text(
    "aeiklmorst \t\n.,!'013@$-_&;éñ’ѕоЯж\u0301\u200b\u00adｋ½", max_size=40
)


@given(ANY)
def test_both_forms_of_every_edit_agree(text: str) -> None:
    for view in normalise(text):
        assert view._alignment.text == view.text  # pyright: ignore[reportPrivateUsage]


@given(ANY)
def test_the_map_is_monotone_and_inside(text: str) -> None:
    for view in normalise(text):
        last = (0, 0)
        for i in range(len(view.text)):
            start, end = view.to_original(i, i + 1)
            assert 0 <= start < end <= len(text)
            assert last <= (start, end)
            assert last[0] <= start
            assert last[1] <= end
            last = (start, end)
            assert view.to_original(i, i) == (start, start)


@pytest.mark.parametrize(
    ("text", "term", "original"),
    [
        ("Llevo AÑOS así", "anos", "AÑOS"),
        ("cafe\u0301 solo", "cafe", "cafe\u0301"),
        ("say k i l l  m e now", "kill me", "k i l l  m e"),
        ("x ｋ\u200bｉｌｌ y", "kill", "ｋ\u200bｉｌｌ"),
        ("ok &ntilde;o!", "no", "&ntilde;o"),
        ("so k1llll!", "kill", "k1llll"),
        ("  chest \n\n pain  ", "chest pain", "chest \n\n pain"),
        ("a 2½ b", "1/2", "½"),
        ("fußball", "ss", "ß"),
        ("call s.o.s. now", "sos", "s.o.s"),
        ("want\u200bto go", "want to", "want\u200bto"),
    ],
)
def test_where_a_term_stands(text: str, term: str, original: str) -> None:
    view = next(view for view in normalise(text) if term in view.text)
    at = view.text.index(term)
    start, end = view.to_original(at, at + len(term))
    assert text[start:end] == original


@pytest.mark.parametrize("attack", [name for name in ATTACKS if name != "elongation"])
def test_the_words_of_a_disguised_phrase_are_found_whole(attack: str) -> None:
    # A word located in the disguise normalises to the word: the span is neither too short nor too long.
    for seed, phrase in enumerate(EVERY):
        disguised = ATTACKS[attack](f"well {phrase} ok", random.Random(seed))
        words = normalise(phrase)[0].text
        for view in normalise(disguised):
            if words in view.text:
                start, end = view.to_original(at := view.text.index(words), at + len(words))
                again = [v.text for v in normalise(disguised[start:end])]
                assert words in [text.strip(" .") for text in again] or words in " ".join(again)
                assert not disguised[start].isspace()
                assert unicodedata.category(disguised[end : end + 1] or "a")[0] != "M"


def test_a_range_outside_the_view_is_an_error() -> None:
    view = normalise("abc")[0]
    for start, end in ((-1, 1), (2, 1), (0, 4)):
        with pytest.raises(ValueError, match="no range"):
            view.to_original(start, end)


def test_nothing_of_the_patient_shows_in_a_repr() -> None:
    assert "secret" not in repr(normalise("my secret"))
