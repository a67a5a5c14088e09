"""The keyless drafter copies the sentences that answer, in the user's locale, each cited; the same way every time."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carerails.contracts import LOCALES, Drafter, Locale, Passage, Reply
from carerails.drafting import DraftError, ExtractiveDrafter, MarkerCitations
from carerails.drafting.sentences import sentences
from tests.drafting.cards import passage


def draft(question: str, *passages: Passage, locale: Locale = "en") -> Reply:
    drafter: Drafter = ExtractiveDrafter()
    return asyncio.run(drafter.draft(question, locale, passages))


@pytest.mark.parametrize(
    ("locale", "question", "answer"),
    [
        ("en", "how do i keep insulin cool on a trip", "a cool bag keeps insulin"),
        ("es-419", "como protejo la insulina en un viaje", "una bolsa térmica protege"),
        ("es-419", "INSULINA TERMICA VIAJES", "una bolsa térmica protege"),
        ("pt-BR", "vou viajar, como levo a insulina na viagem", "uma bolsa térmica protege"),
        ("pt-BR", "a farmacia mostra a bula?", "Na farmácia mostram"),
    ],
)
def test_what_was_asked_is_answered_in_the_locale(locale: Locale, question: str, answer: str) -> None:
    reply = draft(question, passage(locale=locale), locale=locale)
    assert answer in reply.text
    assert reply.kind == "answer"
    assert reply.citations == ("storage-insulin",)


def test_each_sentence_is_copied_whole_and_cited() -> None:
    card = passage()
    copied = [s.text for s in sentences(draft("can insulin freeze on a trip", card).text) if s.cited]
    assert set(copied) <= set(card.sentences)
    assert 3 <= len(copied) <= 5


def test_the_order_of_reading_is_kept() -> None:
    second = passage("second", sentences=("Frozen insulin is ruined.", "A trip needs a plan.", "Storing is easy."))
    cards = (passage("first"), second)
    reply = draft("pharmacist storing frozen trip", *cards)
    copied = [s.text for s in sentences(reply.text) if s.cited]
    assert reply.citations == ("first", "second")
    order = [text for card in cards for text in card.sentences]
    assert [order.index(text) for text in copied] == sorted(order.index(text) for text in copied)


def test_the_medicine_that_every_sentence_names_decides_nothing() -> None:
    card = passage(sentences=("Insulin is a medicine.", "Insulin is old.", "Insulin comes in pens.", "Frost ruins it."))
    assert "Frost ruins it." in draft("insulin after frost", card).text


def test_a_question_that_shares_no_word_still_gets_an_answer() -> None:
    reply = draft("zzz", passage())
    assert [s.text for s in sentences(reply.text) if s.cited] == list(passage().sentences[:3])


def test_the_best_card_comes_before_the_others() -> None:
    reply = draft("fridge", passage("best"), passage("second"), passage("third"))
    assert reply.citations[0] == "best"
    assert reply.text.count("[cite:best]") >= reply.text.count("[cite:third]")


def test_what_two_cards_say_alike_is_said_once() -> None:
    text = draft("frozen insulin", passage("best"), passage("second")).text
    assert text.count("frozen") == 1
    assert "[cite:second]" not in text


def test_cards_of_another_locale_are_not_read() -> None:
    reply = draft("insulina viaje", passage("english"), passage("spanish", "es-419"), locale="es-419")
    assert reply.citations == ("spanish",)
    with pytest.raises(DraftError) as raised:
        draft("insulina viaje", passage("english"), locale="pt-BR")
    assert raised.value.kind == "missing"
    with pytest.raises(DraftError):
        draft("insulin")


def test_the_rationale_counts_sentences_and_repeats_no_word_of_the_user() -> None:
    assert draft("zzz", passage()).rationale == "storage-insulin 1, 2, 3"


SENTENCE = st.text(alphabet="abcdeé .,!?…'\"()5:\nDR-", min_size=1, max_size=60)


@given(
    st.text(max_size=60),
    st.sampled_from(LOCALES),
    st.lists(st.lists(SENTENCE, min_size=1, max_size=4), min_size=1, max_size=3),
)
def test_whatever_a_card_says_the_draft_is_sound(question: str, locale: Locale, texts: list[list[str]]) -> None:
    cards = [passage(f"card-{n}", locale, tuple(one)) for n, one in enumerate(texts)]
    if not any(char.isalnum() for one in texts for text in one for char in text):
        return
    reply = draft(question, *cards, locale=locale)
    assert MarkerCitations().verify(reply, cards).sound
    assert reply == draft(question, *cards, locale=locale)
