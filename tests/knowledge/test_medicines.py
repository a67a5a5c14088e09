"""Names of medicines: found in any spelling and locale, and noticed where nobody listed them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from carerails.contracts import Locale
from carerails.errors import UsageError
from carerails.knowledge.cards import Knowledge
from carerails.knowledge.medicines import load_medicines, reduced
from carerails.knowledge.reading import Question, Reader
from carerails.resources import data_dir

Read = Callable[[str, Locale], Question]


@pytest.fixture
def read(reader: Reader) -> Read:
    return reader.question


@pytest.mark.parametrize(
    ("text", "locale", "name"),
    [
        ("how do i store my ozempic pens", "en", "semaglutide"),
        ("Glucophage and my stomach", "en", "metformin"),
        ("metfromin makes me sick", "en", "metformin"),
        ("metformine", "en", "metformin"),
        ("losarten", "en", "losartan"),
        ("levotyroxin", "en", "levothyroxine"),
        ("tomo levotiroxina", "es-419", "levothyroxine"),
        ("la sinvastatina", "es-419", "simvastatin"),
        ("AMOXICILINA", "es-419", "amoxicillin"),
        ("o anlodipino incha o pé", "pt-BR", "amlodipine"),
        ("losartana potássica", "pt-BR", "losartan"),
        ("dipirona", "pt-BR", "metamizole"),
        ("St. John's wort", "en", "st johns wort"),
        ("hierba de san juan", "es-419", "st johns wort"),
        ("ácido fólico", "es-419", "folic acid"),
        ("the birth control pill", "en", "contraceptive pill"),
        ("la pastilla del día después", "es-419", "emergency contraceptive"),
    ],
)
def test_a_listed_medicine(read: Read, text: str, locale: Locale, name: str):
    assert read(text, locale).medicines == {name}


@pytest.mark.parametrize(
    ("text", "locale", "name"),
    [
        ("do statins hurt muscles", "en", "statin"),
        ("my eye drops", "en", "eye drops"),
        ("un antibiótico", "es-419", "antibiotic"),
        ("a bombinha", "pt-BR", "inhaler"),
        ("pastillas para la presión", "es-419", "blood pressure medicine"),
    ],
)
def test_a_kind_of_medicine(read: Read, text: str, locale: Locale, name: str):
    assert read(text, locale).classes == {name}


def test_a_kind_is_about_the_member_that_is_named_as_well(read: Read):
    question = read("my statin, atorvastatin", "en")
    assert (question.medicines, question.classes) == ({"atorvastatin"}, frozenset())


def test_a_combination_is_not_its_parts(read: Read):
    assert read("side effects of janumet", "en").medicines == {"sitagliptin with metformin"}
    assert "amoxicillin with clavulanate" in read("amoxicillin and clavulanic acid", "en").medicines


@pytest.mark.parametrize(
    ("text", "locale", "name"),
    [
        ("I take vaxorin, what if I forget one", "en", "vaxorin"),
        ("is my zorbitrel safe", "en", "zorbitrel"),
        ("missed my dose of quomarin", "en", "quomarin"),
        ("zorbitrel tablets", "en", "zorbitrel"),
        ("tell me about tezepelumab", "en", "tezepelumab"),
        ("what about ferapril", "en", "ferapril"),
        ("side effects of brelvar", "en", "brelvar"),
        ("me recetaron vaxorin", "es-419", "vaxorin"),
        ("los efectos de la nelbita", "es-419", "nelbita"),
        ("quais os efeitos do tolmess", "pt-BR", "tolmess"),
        ("pastillas de vaxorin", "es-419", "vaxorin"),
        ("el inhalador trelegy", "es-419", "trelegy"),
        ("tomo vaxorin", "pt-BR", "vaxorin"),
        ("comprimido de vaxorin", "pt-BR", "vaxorin"),
        ("e o morasartana?", "pt-BR", "morasartana"),
    ],
)
def test_a_medicine_that_nobody_listed(read: Read, text: str, locale: Locale, name: str):
    assert read(text, locale).unknown == {name}


@pytest.mark.parametrize(
    ("text", "locale"),
    [
        ("I take it every morning with my neighbour", "en"),
        ("my thighs and my routine", "en"),
        ("my creatinine and the protein in my urine", "en"),
        ("taking them regularly at the kitchen table", "en"),
        ("is this pill the right one, my doctor is away", "en"),
        ("tomo seguido mis pastillas en la oficina con mi vecina", "es-419"),
        ("mi abuela toma todo en la cocina", "es-419"),
        ("minha rotina na cozinha é uma bagunça", "pt-BR"),
        ("tomo certinho todo dia na casa da minha vizinha", "pt-BR"),
    ],
)
def test_ordinary_words_name_no_medicine(read: Read, text: str, locale: Locale):
    assert not read(text, locale).named


def test_no_medicine_is_named_where_no_ask_of_a_general_card_does(read: Read, knowledge: Knowledge):
    """Thousands of words that people say of medicines: none of them is taken for a name that nobody listed."""
    taken = {
        (locale, name)
        for card in knowledge.cards
        for locale, text in card.texts.items()
        for line in (text.title, *text.asks, *text.sentences)
        for name in read(line, locale).unknown
    }
    assert len(taken) <= 3, taken


def test_every_medicine_of_a_card_is_listed(knowledge: Knowledge):
    listed = load_medicines().names
    assert len(listed) >= 275
    assert {name for card in knowledge.cards if not card.is_general for name in card.medicines} <= listed


def test_reduced_spelling_meets_across_languages():
    assert reduced("levothyroxine") == reduced("levotiroxina")
    assert reduced("simvastatin") == reduced("sinvastatina")
    assert reduced("amlodipine") != reduced("nifedipine")


def test_a_member_that_is_no_medicine_is_an_error(tmp_path: Path):
    text = (data_dir("config") / "medicines.yml").read_text(encoding="utf-8")
    (tmp_path / "medicines.yml").write_text(text.replace("members: [latanoprost,", "members: [latanoprst,"))
    with pytest.raises(UsageError, match="latanoprst"):
        load_medicines(tmp_path)
