"""The de-obfuscated views, what they read and what they leave alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carerails.text import fold, normalise, unmask

MASKED = st.text("aeiklmorst  .-_*!'01345@$|", max_size=40)


def views(text: str) -> list[str]:
    return [view.text for view in normalise(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("k i l l  m y s e l f", "kill myself"),
        ("I  w a n t  t o  d i e", "i want to die"),
        ("k.i.l.l m.y.s.e.l.f", "kill myself"),
        ("k-i-l-l m-y-s-e-l-f", "kill myself"),
        ("k_i_l_l m_e", "kill me"),
        ("k - i - l - l   m - e", "kill me"),
        ("k·i·1·l", "kill"),
        ("d o n ' t  w a n t", "don't want"),
        ("d o n't  w a n t", "don't want"),
        ("I want to d i e now", "i want to die now"),
        ("k i l l m e", "killme"),  # equal gaps: nothing tells the words
        ("m\no\nr\ni\nr", "morir"),
        ("i_want_to_die", "i want to die"),
        ("_kill me_", "kill me"),
        ("quiero.morir.ya", "quiero morir ya"),
        ("want\u200bto\u200bdie", "want to die"),
        ("k1ll mys3lf", "kill myself"),
        ("su1c1d3", "suicide"),
        ("5uicide", "suicide"),
        ("$uicide", "suicide"),
        ("0verdose", "overdose"),
        ("d0l0r mu3rt3 m4t4r m@tar", "dolor muerte matar matar"),
        ("k!ll di3", "kill die"),
        ("he1p, I'm b1eeding", "help, i'm bleeding"),
        ("ki11 k111", "kill kill"),
        ("killllll myselffff", "kill myself"),
        ("diiiieeee", "die"),
        ("me dueleeee muchooooo", "me duele mucho"),
        ("bleeeeeding", "bleeding"),
        ("heeeelp", "help"),
        ("quero morrrrrer", "quero morrer"),
        ("llllloro", "lloro"),
        ("ｋ １ ｌ ｌ ｌ ｌ  ｍ ｅ", "kill me"),
    ],
)
def test_reads(text: str, expected: str) -> None:
    assert expected in views(text)
    assert len(views(text)) <= 4


@pytest.mark.parametrize(
    "text",
    [
        "I take 10mg of it, 2x a day, with vitamin b12 and d3, 500 mcg, 5ml, 1st week",
        "covid19, omega 3, 180/110, 1.5 mg, 8:30 p.m., 50%, $20, n95, 24h",
        "is a or b better? vitamin c!",
        "step 1 2 3 4, room 5 a",
        "over-the-counter, day-to-day",
        "Llevo tres años así; ¿y usted? No sé...",
        "Tomo 1 comprimido às 8h e 2 às 20h.",
        "see the chest pain leaflet, success, connection, vacuum",
    ],
)
def test_ordinary_text_has_one_view(text: str) -> None:
    assert len(views(text)) == 1


@pytest.mark.parametrize("word", ["10mg", "b12", "2x", "h1n1", "a1c", "g6pd"])
def test_the_plain_view_keeps_doses_and_codes(word: str) -> None:
    assert word in views(f"about {word}, k i l l and muchoooo")[0]


@given(MASKED)
def test_the_signs_are_necessary(text: str) -> None:
    # An edit changes something only where a sign shows: skipping the edits without a sign loses nothing.
    loose = fold.loosen(text)
    plain = fold.tidy(loose)
    if any(sign.search(plain) for sign in unmask.SIGNS):
        return
    for edit in (unmask.JOIN, unmask.UNCHAIN, unmask.UNDERSCORES, unmask.LEET_I, unmask.LEET_L):
        assert fold.tidy(edit.apply(loose)) == plain
    assert unmask.DRAWN_TO_ONE.apply(plain) == unmask.DRAWN_TO_TWO.apply(plain) == plain


@given(MASKED)
def test_there_are_few_views_and_all_differ(text: str) -> None:
    found = views(text)
    assert 1 <= len(found) == len(set(found)) <= 4
