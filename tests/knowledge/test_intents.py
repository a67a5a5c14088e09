"""What a question asks for, by its words: signs, likelihoods, and the questions that lie outside."""

from __future__ import annotations

from pathlib import Path

import pytest

from carerails.contracts import LOCALES
from carerails.errors import UsageError
from carerails.knowledge import intents
from carerails.knowledge.cards import Knowledge
from carerails.knowledge.intents import Sample, Wording, load_outside, margin, signs
from carerails.knowledge.kernels import OUTSIDE
from carerails.knowledge.reading import Reader
from carerails.knowledge.words import replaced


def test_signs_are_words_pairs_and_pairs_with_a_gap():
    assert signs(("keep", "0", "cold"), {"keep": 0.5, "cold": 0.0}) == {
        "keep": 0.5, "cold": 0.1, "^ keep": 0.5, "keep 0": 0.5, "0 cold": 0.5, "^ * 0": 0.3, "keep * cold": 0.3,
    }  # fmt: skip


def test_pieces_of_words_are_signs_too_and_add_up():
    pieces = {sign: tells for sign, tells in signs((), {}, ("cold", "a", "cold")).items() if sign[0] == "~"}
    assert pieces == {"~<col": 1.0, "~cold": 1.0, "~old>": 1.0, "~<a>": 0.5}


def told(text: str) -> dict[str, float]:
    words = text.split()
    return signs(words, dict.fromkeys(words, 1.0), words)


SAMPLES = [
    Sample("store", told("where do i keep it"), 1.0),
    Sample("store", told("does it go in the fridge"), 1.0),
    Sample("missed", told("i forgot it"), 1.0),
    Sample(OUTSIDE, told("who made it"), 1.0),
]


@pytest.fixture(scope="module")
def wording() -> Wording:
    return Wording(SAMPLES)


def likeliest(wording: Wording, text: str) -> str:
    scores = wording.scores(told(text))
    return max(scores, key=lambda name: scores[name])


def test_the_likeliest_intent_is_the_one_that_is_asked_like_that(wording: Wording):
    assert likeliest(wording, "i forgot to take it") == "missed"
    assert likeliest(wording, "who made the lid") == OUTSIDE
    assert margin(wording.scores(told("i forgot it")), "missed") > 0
    assert margin(wording.scores(told("who made it")), "missed") < 0


def test_a_slip_of_the_pen_shares_pieces(wording: Wording):
    for slip, intent in (("fridgee", "store"), ("forgotten", "missed")):
        assert wording.scores(told(slip))[intent] > wording.scores(told("zzz"))[intent]


def test_words_that_nobody_used_speak_for_no_intent_more_than_no_words(wording: Wording):
    assert wording.scores(told("zzz qqq")) == wording.scores({})


def test_saying_it_twice_makes_it_no_surer(wording: Wording):
    once = told("i forgot it")
    twice = {sign: 2 * tells for sign, tells in once.items()}
    assert wording.scores(twice) == pytest.approx(wording.scores(once))


def test_lines_that_count_for_less_say_less():
    half = Wording([*SAMPLES[:2], Sample("missed", told("i forgot it"), 0.25), SAMPLES[3]])
    assert half.scores(told("i forgot it"))["missed"] < Wording(SAMPLES).scores(told("i forgot it"))["missed"]


class TestKeeping:
    @pytest.fixture(autouse=True)
    def _home(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        monkeypatch.delenv("CARERAILS_CACHE", raising=False)

    def kept(self, tmp_path: Path) -> list[Path]:
        return sorted((tmp_path / "cache" / "carerails").glob("intents-*.bin"))

    def test_what_was_fitted_is_kept_and_found(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        first = Wording(SAMPLES).scores(told("i forgot it"))
        (path,) = self.kept(tmp_path)
        assert path.stat().st_mode & 0o077 == 0
        monkeypatch.setattr(intents, "fitted", None)  # a second fit would fail
        assert Wording(SAMPLES).scores(told("i forgot it")) == first

    @pytest.mark.parametrize("damage", ["empty", "cut", "changed", "writable"])
    def test_a_damaged_file_is_as_good_as_none(self, tmp_path: Path, damage: str):
        first = Wording(SAMPLES).scores(told("i forgot it"))
        (path,) = self.kept(tmp_path)
        whole = path.read_bytes()
        if damage == "writable":
            path.write_bytes(whole[:-4] + b"\0\0\0\1")
            path.chmod(0o666)
        else:
            path.write_bytes({"empty": b"", "cut": whole[:-4], "changed": whole[:-1] + b"\7"}[damage])
        assert Wording(SAMPLES).scores(told("i forgot it")) == first

    @pytest.mark.parametrize(
        "changed",
        [
            Sample(OUTSIDE, told("who made that"), 1.0),
            Sample("store", told("who made it"), 1.0),
            Sample(OUTSIDE, told("who made it"), 0.5),
        ],
    )
    def test_other_lines_intents_or_shares_have_another_file(self, tmp_path: Path, changed: Sample):
        Wording(SAMPLES)
        Wording([*SAMPLES[:3], changed])
        assert len(self.kept(tmp_path)) == 2

    def test_off_keeps_nothing(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setenv("CARERAILS_CACHE", "off")
        Wording(SAMPLES)
        assert self.kept(tmp_path) == []


def test_a_question_is_read_alike_every_time(reader: Reader):
    question = reader.question("does my insulin belong in the fridge", "en")
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
