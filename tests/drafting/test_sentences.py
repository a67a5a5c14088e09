"""Where a sentence ends, and whose marker it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carerails.drafting import markers
from carerails.drafting.sentences import sentences


def split(text: str) -> list[tuple[str, bool]]:
    return [(sentence.text, sentence.cited) for sentence in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # the marker before or after the full stop, or in front
        ("Keep it cool [cite:a]. Shake it.", [("Keep it cool.", True), ("Shake it.", False)]),
        ("Keep it cool. [cite:a] Shake it.", [("Keep it cool.", True), ("Shake it.", False)]),
        ("Keep it cool.[cite:a] [cite:b] Shake it!", [("Keep it cool.", True), ("Shake it!", False)]),
        ("[cite:a] Keep it cool. Shake it.", [("Keep it cool.", True), ("Shake it.", False)]),
        ("Keep it cool.\n[cite:a]\nShake it.", [("Keep it cool.", True), ("Shake it.", False)]),
        ("Keep [cite:a] it cool", [("Keep it cool", True)]),
        ("Keep it cool [cite x].", [("Keep it cool.", False)]),  # a malformed marker covers nothing
        # abbreviations and decimals
        ("Ask Dr. Smith or the Sra. Pérez.", [("Ask Dr. Smith or the Sra. Pérez.", False)]),
        ("Use one, e.g. Monday. Then rest.", [("Use one, e.g. Monday.", False), ("Then rest.", False)]),
        ("Usa algo, p. ej. Una caja.", [("Usa algo, p. ej. Una caja.", False)]),
        ("It holds 7.2 or 1.000 in all.", [("It holds 7.2 or 1.000 in all.", False)]),
        ("At 8 a.m. or 9 p. m. daily. Rest.", [("At 8 a.m. or 9 p. m. daily.", False), ("Rest.", False)]),
        ("It has 5 mg. Keep it.", [("It has 5 mg.", False), ("Keep it.", False)]),
        ("It has vitamin D. Keep it.", [("It has vitamin D.", False), ("Keep it.", False)]),
        ("U.S. leaflets say so.", [("U.S. leaflets say so.", False)]),
        # a claim does not hide behind its neighbour's marker
        ("Keep it cool.Shake it [cite:a].", [("Keep it cool.", False), ("Shake it.", True)]),
        ("Keep it cool! shake it [cite:a].", [("Keep it cool!", False), ("shake it.", True)]),
        ("Keep it cool\nShake it [cite:a]", [("Keep it cool", False), ("Shake it", True)]),
        # lists
        ("- Cool [cite:a]\n* Dark\n2) Dry. [cite:b]", [("Cool", True), ("Dark", False), ("Dry.", True)]),
        ("1. Cool. [cite:a]\n2. Dark.", [("Cool.", True), ("Dark.", False)]),
        # quotes, ellipses, Spanish marks
        ("Asking 'why?' helps. So.", [("Asking 'why?' helps.", False), ("So.", False)]),
        ("He said “keep it.” Rest.", [("He said “keep it.”", False), ("Rest.", False)]),
        ("Well... maybe. Then… Go.", [("Well... maybe.", False), ("Then…", False), ("Go.", False)]),
        ("¿Qué tal? ¡Hola!", [("¿Qué tal?", False), ("¡Hola!", False)]),
        ("**\n---\n[cite:a]", []),
    ],
)
def test_sentences(text: str, expected: list[tuple[str, bool]]) -> None:
    assert split(text) == expected


@given(st.lists(st.text(alphabet="ab .!?[]cite:'A5", max_size=40), min_size=1, max_size=3))
def test_no_letter_is_lost_and_none_is_new(lines: list[str]) -> None:
    text = rest = "\n".join(f"The {line}" for line in lines)  # so that no line opens with a bullet
    for marker in reversed(markers(text)):
        rest = rest[: marker.start] + rest[marker.end :]
    kept = "".join(sentence.text for sentence in sentences(text))
    assert [char for char in kept if char.isalnum()] == [char for char in rest if char.isalnum()]


@given(st.lists(st.sampled_from(["Keep it cool", "Shake 2.5 ml", "Ask Dr. Ana"]), min_size=1, max_size=5))
def test_every_sentence_with_a_marker_is_cited_in_both_styles(claims: list[str]) -> None:
    for style in ("{} [cite:a].", "{}. [cite:a]"):
        found = sentences(" ".join(style.format(claim) for claim in claims))
        assert [sentence.cited for sentence in found] == [True] * len(claims)


def test_private_use_characters_cannot_pose_as_a_marker() -> None:
    assert split("Keep it cool \ue000. Shake it.") == [("Keep it cool.", False), ("Shake it.", False)]
