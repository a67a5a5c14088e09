"""What a question asks for, by its words: signs, likelihoods, and the questions that lie outside."""

from __future__ import annotations

from pathlib import Path

import pytest

from carerails.contracts import LOCALES
from carerails.errors import UsageError
from carerails.knowledge.cards import Knowledge
from carerails.knowledge.intents import OUTSIDE, Bayes, Sample, load_outside, margin, signs
from carerails.knowledge.reading import Reader
from carerails.knowledge.words import replaced


def test_signs_are_words_pairs_and_pairs_with_a_gap():
    assert signs(("keep", "0", "cold"), {"keep": 0.5, "cold": 0.0}) == {
        "keep": 0.5, "cold": 0.1, "^ keep": 0.5, "keep 0": 0.5, "0 cold": 0.5, "^ * 0": 0.3, "keep * cold": 0.3,
    }  # fmt: skip


def told(text: str) -> dict[str, float]:
    return signs(text.split(), dict.fromkeys(text.split(), 1.0))


BAYES = Bayes(
    [
        Sample("store", told("where do i keep it"), 1.0),
        Sample("store", told("does it go in the fridge"), 1.0),
        Sample("missed", told("i forgot it"), 1.0),
        Sample(OUTSIDE, told("who made it"), 1.0),
    ]
)


def test_the_likeliest_intent_is_the_one_that_is_asked_like_that():
    scores = BAYES.scores(told("i forgot to keep it cold"), 6)
    assert max(scores, key=lambda name: scores[name]) == "missed"
    assert margin(scores, "missed") > 0 > margin(BAYES.scores(told("who made the fridge"), 4), "missed")


def test_words_that_nobody_used_tell_nothing():
    assert BAYES.scores(told("zebra"), 1) == dict.fromkeys(["store", "missed", OUTSIDE], 0.0)


def test_saying_it_twice_as_long_makes_it_no_surer():
    found = told("i forgot it")
    assert BAYES.scores(found, 8)["missed"] == pytest.approx(BAYES.scores(found, 4)["missed"] / 2)
    assert BAYES.scores(found, 1) == BAYES.scores(found, 4)


def test_the_order_of_lines_does_not_matter(reader: Reader):
    question = reader.question("where do i keep my insulin on a trip", "en")
    assert reader.intents(question, "en") == reader.intents(question, "en")
    assert max(reader.intents(question, "en").items(), key=lambda item: item[1])[0] == "storage of a medicine"


def test_any_medicine_stands_for_any_other(reader: Reader):
    one, other = (reader.question(f"how do i store my {name}", "en") for name in ("insulin", "gabapentin"))
    assert one.order == other.order
    assert reader.intents(one, "en") == reader.intents(other, "en")


@pytest.mark.parametrize(
    ("text", "gone", "left"),
    [
        ("Can I keep St. John's Wort here?", {"st", "johns", "wort"}, "Can I keep X. X here?"),
        ("la Losartán potásica, ¿sirve?", {"losartan", "potasica"}, "la X, ¿sirve?"),
        ("nothing", {"else"}, "nothing"),
    ],
)
def test_names_are_replaced_as_they_are_written(text: str, gone: set[str], left: str):
    assert replaced(text, gone, "X") == left


def test_the_encoder_sees_no_names(reader: Reader):
    assert reader.nameless("Does Glucophage upset your stomach?", "en") == "does medicine upset your stomach?"
    assert not any("metformin" in text or "sertralin" in text for _, text in reader.lines())


def test_no_question_lies_outside_and_is_an_ask(knowledge: Knowledge):
    outside = load_outside()
    for locale in LOCALES:
        asks = {ask.lower() for card in knowledge.cards for ask in card.texts[locale].asks}
        assert asks.isdisjoint(line.lower() for line in outside[locale])
        assert len(outside[locale]) == len(set(outside[locale]))


def test_a_group_without_a_locale_says_so(tmp_path: Path):
    (tmp_path / "outside.yml").write_text("groups:\n  health:\n    en: [how do i sleep]\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"health has nothing in es-419, pt-BR"):
        load_outside(tmp_path)
