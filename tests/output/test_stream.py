"""Streams: whatever the chunks, the decision is that of the whole reply, and nothing forbidden leaves."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carerails.contracts import Exchange, Inspection
from carerails.evals.reply_cases import ReplyCase, load_reply_slice
from carerails.output.guard import ReplyGuard, open_guard
from carerails.output.settings import OutputSettings
from carerails.output.stream import Verdict, guarded
from tests.output.kit import answer, guard, passage, reasons

CASES = [case for case in load_reply_slice("output").cases if not case.sent]
SOUND = {
    locale: " ".join(case.reply for case in CASES if case.locale == locale and case.expected == "pass")
    for locale in ("en", "es-419", "pt-BR")
}
CARDS = sorted({card for case in CASES for card in case.cards})


async def _stream(chunks: Sequence[str]) -> AsyncIterator[str]:
    for chunk in chunks:
        yield chunk


def play(chunks: Sequence[str], exchange: Exchange, by: ReplyGuard | None = None) -> tuple[list[str], Verdict]:
    async def run() -> tuple[list[str], Verdict]:
        *pieces, last = [each async for each in guarded(_stream(chunks), by or guard(), exchange)]
        assert isinstance(last, Verdict)
        return [piece.text for piece in pieces if not isinstance(piece, Verdict)], last

    return asyncio.run(run())


def whole(text: str, exchange: Exchange) -> Inspection:
    return asyncio.run(guard().inspect(answer(text), exchange))


def cut(text: str, at: Sequence[int]) -> list[str]:
    places = sorted({place % (len(text) + 1) for place in at})
    return [text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True)]


def around(case: ReplyCase, before: int, after: int) -> tuple[str, Exchange]:
    """The case in the midst of sound sentences, so that there is something to stream."""
    sound = SOUND[case.locale]
    exchange = Exchange(
        question=case.question,
        locale=case.locale,
        passages=tuple(passage(card, case.locale) for card in CARDS),
    )
    return f"{_some(sound, before)} {case.reply} {_some(sound, after)}", exchange


def _some(sound: str, seed: int) -> str:
    sentences = [f"{part}]" for part in sound.split("]") if part.strip()]
    return " ".join(random.Random(seed).sample(sentences, 5)).strip()


def assert_nothing_left_of(found: Inspection, text: str, shown: str) -> None:
    """What was shown ends before the first letter of anything that is wrong."""
    for objection in found.objections:
        for term in objection.terms if objection.check in ("phrases", "citations", "fields") else ():
            place = text.find(term)
            assert place < 0 or len(shown) <= place


@given(st.sampled_from(CASES), st.integers(0, 99), st.integers(0, 99), st.lists(st.integers(0, 5_000), max_size=40))
@settings(max_examples=60, deadline=None)
def test_the_decision_is_that_of_the_whole_reply(case: ReplyCase, before: int, after: int, at: list[int]):
    text, exchange = around(case, before, after)
    pieces, verdict = play(cut(text, at), exchange)
    found = whole(text, exchange)
    assert verdict.inspection == found
    assert "".join(pieces) == verdict.shown
    assert text.startswith(verdict.shown)
    assert verdict.shown + verdict.rest == (text if found.passed else verdict.shown)
    assert_nothing_left_of(found, text, verdict.shown)
    assert not verdict.shown or whole(verdict.shown.rstrip(), exchange).passed


@pytest.mark.parametrize("case", [case for case in CASES if case.expected == "stop"][::6], ids=lambda case: case.id)
def test_nothing_of_what_is_forbidden_leaves_letter_by_letter(case: ReplyCase):
    text, exchange = around(case, 1, 2)
    pieces, verdict = play(list(text), exchange)
    assert not verdict.inspection.passed
    shown = "".join(pieces)
    assert_nothing_left_of(verdict.inspection, text, shown)
    assert reasons(shown) == ()


def test_a_long_sound_reply_is_shown_before_its_end():
    text, exchange = around(next(case for case in CASES if case.expected == "pass"), 3, 4)
    pieces, verdict = play(list(text), exchange)
    assert verdict.inspection.passed
    assert len(pieces) > 1
    assert "".join(pieces) + verdict.rest == text


def test_padding_with_invisible_characters_buys_nothing():
    text, exchange = around(CASES[0], 1, 2)
    padded = "\u200b".join(text)
    pieces, verdict = play(cut(padded, range(0, len(padded), 7)), exchange)
    assert not verdict.inspection.passed
    assert "2 extra units" not in "".join(pieces).replace("\u200b", "")


def test_a_stream_that_breaks_off_is_no_reply():
    async def broken() -> AsyncIterator[str]:
        yield SOUND["en"][:600]
        raise OSError("the text of the model")

    async def run() -> Verdict:
        exchange = Exchange(passages=tuple(passage(card) for card in CARDS))
        return [each async for each in guarded(broken(), guard(), exchange)][-1]  # type: ignore[return-value]

    verdict = asyncio.run(run())
    assert [failure.detail for failure in verdict.inspection.failures] == ["OSError"]
    assert verdict.rest == ""


def test_with_a_judge_nothing_leaves_before_it_has_spoken():
    class Judge:
        async def object_to(self, reply: object, exchange: object) -> tuple[()]:
            return ()

    text, exchange = around(next(case for case in CASES if case.expected == "pass"), 3, 4)
    pieces, verdict = play(list(text), exchange, open_guard(judge=Judge()))
    assert (pieces, verdict.rest, verdict.inspection.passed) == ([], text, True)


def test_a_window_is_longer_than_what_any_rule_looks_across():
    """The longest words that a rule has found in the slice, with half as much again."""
    longest = max(
        len(term)
        for case in CASES
        for objection in whole(case.reply, Exchange(locale=case.locale)).objections
        if objection.check == "phrases"
        for term in objection.terms
    )
    assert OutputSettings().window > 1.5 * longest
