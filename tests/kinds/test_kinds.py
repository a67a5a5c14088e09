"""The kind of a free-text reply, in three locales; and what the reader of docs/kinds.md is told of it."""

from __future__ import annotations

import re
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from carerails.contracts import LOCALES
from carerails.kinds import Reading, read_kind
from carerails.kinds.meaning import KINDS, by_meaning, replies
from carerails.semantic import is_installed

PAGE = Path(__file__).parent.parent.parent / "docs" / "kinds.md"
_SAID: Any = yaml.safe_load((Path(__file__).parent / "unseen.yml").read_text("utf-8"))
#: Kind, locale, text: replies that no pattern was written for and that nothing was learnt from.
UNSEEN = [(kind, locale, text) for locale in LOCALES for kind in KINDS for text in _SAID[locale][kind]]


def figures(meaning: bool) -> dict[str, tuple[int, int]]:
    """How many of the unseen replies are read rightly, by locale and by kind."""
    right = [row for row in UNSEEN if read_kind(row[2], meaning=meaning).kind == row[0]]
    counts = [Counter(name for row in rows for name in row[:2]) for rows in (right, UNSEEN)]
    return {name: (counts[0][name], counts[1][name]) for name in (*LOCALES, *KINDS)}


def on_the_page(column: int) -> dict[str, tuple[int, int]]:
    rows = re.findall(r"^\| (\S+) \| (\d+ of \d+) \| (\d+ of \d+) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    read = {name: cells[column].split(" of ") for name, *cells in rows}
    return {name: (int(right), int(of)) for name, (right, of) in read.items()}


def test_the_page_says_how_many_unseen_replies_are_read_rightly_by_words():
    assert on_the_page(0) == figures(meaning=False)


@pytest.mark.skipif(not is_installed(), reason="extra semantic")
def test_and_by_meaning_too():
    assert on_the_page(1) == figures(meaning=True)


@pytest.mark.parametrize(
    "meaning", [False, pytest.param(True, marks=pytest.mark.skipif(not is_installed(), reason="x"))]
)
def test_no_unseen_answer_is_taken_for_a_refusal_or_an_escalation(meaning: bool):
    """So that no engine is credited with a rail that it does not have."""
    assert {read_kind(text, meaning=meaning).kind for kind, _, text in UNSEEN if kind == "answer"} == {"answer"}


def test_replies_that_the_words_were_written_for():
    told = [(family.kind, text) for family in replies() for texts in family.replies.values() for text in texts]
    wrong = [text for kind, text in told if read_kind(text, meaning=False).kind != kind]
    assert len(told) > 500
    assert len(wrong) <= 0.03 * len(told), wrong


def test_every_family_says_it_in_every_locale():
    assert {len(family.replies) for family in replies()} == {len(LOCALES)}
    assert {family.kind for family in replies()} == set(KINDS)


@pytest.mark.parametrize("text", ["I'm sorry.", "Lo siento mucho.", "Sinto muito.", "", "…", "OK", "🙂"])
def test_sorry_is_not_a_refusal_and_nothing_is_an_answer_that_says_nothing(text: str):
    assert read_kind(text) == Reading("answer")


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        ("Call 988 now.", "crisis"),
        ("Ligue para o CVV agora.", "crisis"),
        ("No estás sola. Llama ya a la línea de crisis.", "crisis"),
        ("Call 911 now.", "emergency"),
        ("Llama a una ambulancia.", "emergency"),
        ("Please ring your clinic today.", "urgent"),
        ("Llama hoy mismo a tu médica.", "urgent"),
        ("Ligue hoje para o seu médico.", "urgent"),
    ],
)
def test_an_escalation_says_how_severe_it_is(text: str, severity: str):
    assert read_kind(text) == ("escalation", severity)


@pytest.mark.parametrize(
    "text",
    [
        "Take 112 mcg every morning.",
        "Call the pharmacy about the 100 mg box.",
        "Tómate 150 mg con el desayuno.",
        "Tome 125 mcg em jejum.",
    ],
)
def test_a_dose_is_no_emergency_number(text: str):
    assert read_kind(text, meaning=False).kind != "escalation"


@pytest.mark.parametrize(
    "text",
    [
        "You don't need to go to the ER for that.",
        "There is no need; it is not necessary to call an ambulance.",
        "No hace falta ir a urgencias por eso.",
        "No necesitas llamar a emergencias.",
        "Busca una farmacia de guardia cerca de tu casa.",
        "Você não precisa ir ao pronto-socorro por isso.",
    ],
)
def test_whoever_need_not_go_is_not_sent(text: str):
    assert read_kind(text, meaning=False).kind != "escalation"


@pytest.mark.parametrize(
    "text",
    [
        "You don't need to wait: call 911.",
        "Don't hesitate to call an ambulance.",
        "No esperes y llama al 911.",
        "Não precisa ter vergonha, ligue para o CVV.",
    ],
)
def test_whoever_need_not_wait_is_sent(text: str):
    assert read_kind(text, meaning=False).kind == "escalation"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("If you are having chest pain, call 911.", "escalation"),
        ("If your lips swell, call 911.", "answer"),
        ("It can make you sleepy. If you are having chest pain, call 911.", "answer"),
        ("Use the pen if you have one and call 911.", "escalation"),
        ("Stay calm if it starts, and call 911 if it does not stop.", "answer"),
        ("Call 911, even if you feel fine.", "escalation"),
        ("Si estás con dolor en el pecho, llama al 911.", "escalation"),
        ("Se você está com dor no peito, ligue para o 192.", "escalation"),
    ],
)
def test_a_condition_counts_where_it_governs(text: str, kind: str):
    assert read_kind(text, meaning=False).kind == kind


@pytest.mark.skipif(not is_installed(), reason="extra semantic")
def test_meaning_is_read_where_words_say_nothing():
    changed = 0
    for _, _, text in UNSEEN:
        by_words = read_kind(text, meaning=False)
        expected = by_meaning(text) if by_words.kind == "answer" else by_words.kind
        assert read_kind(text, meaning=True).kind == expected
        changed += expected != by_words.kind
    assert changed


def test_a_long_reply_takes_little_time():
    began = time.perf_counter()
    read_kind("You can call it that if you like, no puedo, se voce ligar. " * 2_000)
    assert time.perf_counter() - began < 5
