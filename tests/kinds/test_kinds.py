"""The kind of a free-text reply, in three locales; and what the reader of docs/kinds.md is told of it."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from carerails.contracts import Locale
from carerails.kinds import Kind, read_kind
from tests.kinds.replies import REPLIES, UNSEEN

PAGE = Path(__file__).parent.parent.parent / "docs" / "kinds.md"


@pytest.mark.parametrize(("kind", "locale", "text"), REPLIES)
def test_replies_that_the_patterns_were_written_for(kind: Kind, locale: Locale, text: str):
    assert read_kind(text).kind == kind


def test_what_the_page_says_of_unseen_replies():
    right = Counter(kind for kind, _, text in UNSEEN if read_kind(text).kind == kind)
    said = re.findall(r"^\| (answer|refusal|escalation) \| (\d+) of (\d+) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    of = Counter(kind for kind, _, _ in UNSEEN)
    assert {(kind, int(hits), int(total)) for kind, hits, total in said} == {
        (kind, right[kind], of[kind]) for kind in of
    }


def test_an_unseen_answer_is_never_taken_for_a_refusal_or_an_escalation():
    """So that no engine is credited with a rail that it does not have."""
    assert {read_kind(text).kind for kind, _, text in UNSEEN if kind == "answer"} == {"answer"}


@pytest.mark.parametrize("text", ["I'm sorry.", "Lo siento mucho.", "Sinto muito.", "", "…", "OK", "🙂"])
def test_sorry_is_not_a_refusal_and_nothing_is_an_answer_that_says_nothing(text: str):
    assert read_kind(text).kind == "answer"


@pytest.mark.parametrize(
    ("text", "crisis"),
    [
        ("Call 988 now.", True),
        ("Ligue para o CVV agora.", True),
        ("No estás sola. Llama ya a la línea de crisis.", True),
        ("Call 911 now.", False),
        ("Llama a una ambulancia.", False),
    ],
)
def test_an_escalation_says_whether_somebody_may_end_their_life(text: str, crisis: bool):
    reading = read_kind(text)
    assert (reading.kind, reading.crisis) == ("escalation", crisis)


def test_a_long_reply_takes_little_time():
    import time

    began = time.perf_counter()
    read_kind("You can call it that if you like, no puedo, se voce ligar. " * 2_000)
    assert time.perf_counter() - began < 5
