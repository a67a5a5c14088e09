"""Retrieval: the card that answers, or none and why; whatever the text, thread and loop."""

from __future__ import annotations

import asyncio
import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from carerails.contracts import LOCALES, Locale, NoContext, Retrieval, Retriever
from carerails.knowledge.cards import Knowledge
from carerails.knowledge.retrieval import CardRetriever
from carerails.resources import data_dir

locales = st.sampled_from(LOCALES)


def shown(retriever: CardRetriever, question: str, locale: Locale) -> list[str]:
    return [passage.card for passage in retriever.retrieve_now(question, locale).passages]


ANSWERED: list[tuple[Locale, str, str]] = [
    ("en", "hi, so my doctor gave me metformin and my stomach is a mess, is that normal?", "side-effects-metformin"),
    ("en", "does insulin have to stay in the fridge after opening?", "storage-insulin"),
    ("en", "is it okay to have a glass of wine on metformin", "interaction-alcohol-metformin"),
    ("en", "my pills are a different colour this month", "identify-changed-look"),
    ("en", "I'm sick of taking pills every single day", "motivation-tired-of-medicines"),
    ("en", "i take losartan and my metformin makes me sick, is that usual", "side-effects-metformin"),
    ("en", "my keppra looks different this month", "identify-changed-look"),
    ("es-419", "no me alcanza la plata para el xarelto", "practical-cost-help"),
    ("es-419", "hola, empecé con metformina y ando con el estómago revuelto, ¿es normal?", "side-effects-metformin"),
    ("es-419", "puedo tomar ibuprofeno si tomo losartan", "interaction-ibuprofen-blood-pressure"),
    ("es-419", "me robaron la mochila con mi medicina", "practical-lost-medicine"),
    ("pt-BR", "oi, comecei metformina mês passado e meu estômago tá péssimo, é normal?", "side-effects-metformin"),
    ("pt-BR", "o assert me dá enjoo, é normal?", "side-effects-sertraline"),
    ("pt-BR", "esqueci a metformina da noite", "missed-dose-metformin"),
    ("pt-BR", "tenho dificuldade de engolir comprimido grande", "practical-swallowing-pills"),
]  # fmt: skip


@pytest.mark.parametrize(("locale", "question", "card"), ANSWERED)
def test_a_question_finds_its_card(retriever: CardRetriever, locale: Locale, question: str, card: str):
    found = retriever.retrieve_now(question, locale)
    assert found.passages[0].card == card
    assert found.passages[0].locale == locale
    assert len(found.passages) <= 3


#: Known failure 32: an unknown or brand-name drug is answered from the nearest card.
NEAREST: list[tuple[Locale, str]] = [
    ("en", "how do i store my ozempic pens"),
    ("en", "how should I store lisinopril"),
    ("en", "side effects of my zorbitrel tablets"),
    ("en", "I take vaxorin, what if I forget one"),
    ("en", "storing trelegy inhaler"),
    ("en", "what are the side effects of janumet"),
    ("en", "is tramadol ok with ibuprofen"),
    ("en", "grapefruit and amlodipine?"),
    ("en", "can I drink beer with naproxen"),
    ("es-419", "como guardo mis lapiceras de ozempic"),
    ("es-419", "que efectos tiene el zorbitrel"),
    ("es-419", "tomo vaxorin y me olvide"),
    ("es-419", "vino con rivaroxaban"),
    ("pt-BR", "como guardo minhas canetas de ozempic"),
    ("pt-BR", "quais os efeitos do zorbitrel"),
    ("pt-BR", "esqueci minha dose de quomarin"),
    ("pt-BR", "posso tomar dipirona com sertralina"),
]


@pytest.mark.parametrize(("locale", "question"), NEAREST)
def test_another_medicine_is_never_answered_from_the_nearest_card(
    retriever: CardRetriever, locale: Locale, question: str
):
    assert shown(retriever, question, locale) == []


@pytest.mark.parametrize("name", ["gabapentin", "vaxorin", "xarelto", "humira", "clonazepam", "tezepelumab"])
def test_no_ask_of_a_medicine_is_answered_once_it_names_another(plain: CardRetriever, knowledge: Knowledge, name: str):
    """Every ask about side effects, storage, missed doses and interactions, with its medicine changed."""
    answered = total = 0
    for card in knowledge.cards:
        if card.is_general or card.topic not in {"side-effect", "storage", "missed-dose", "interaction"}:
            continue
        for ask in card.texts["en"].asks:
            words = ask.lower().split()
            if not set(card.medicines) & set(words):
                continue
            other = " ".join(name if word in card.medicines else word for word in words)
            total += 1
            answered += bool(shown(plain, other, "en"))
    assert total > 50
    assert answered <= 0.03 * total


UNNAMED: list[tuple[Locale, str, str]] = [
    ("en", "why do {} say with food on the label", "routine-food-on-the-label"),
    ("es-419", "la etiqueta de {} dice con alimentos, ¿qué cuenta?", "routine-food-on-the-label"),
    ("pt-BR", "por que {} é pra tomar em jejum", "routine-food-on-the-label"),
]


@pytest.mark.parametrize(("locale", "question", "card"), UNNAMED)
def test_a_card_for_what_is_unnamed_is_silent_once_a_medicine_is_named(
    retriever: CardRetriever, locale: Locale, question: str, card: str
):
    some = {"en": "my pills", "es-419": "mis pastillas", "pt-BR": "meu comprimido"}[locale]
    assert shown(retriever, question.format(some), locale)[:1] == [card]
    for name in ("prednisone", "vaxorin", "metformin"):
        assert card not in shown(retriever, question.format(name), locale)


REFUSED: list[tuple[Locale, str, NoContext]] = [
    ("en", "missed dose of clopidogrel", "other-medicine"),
    ("en", "does metformin affect sleep", "other-topic"),
    ("en", "is sertraline safe in pregnancy", "other-topic"),
    ("en", "how can I lower my blood pressure naturally", "no-match"),
    ("en", "", "no-match"),
    ("es-419", "efectos de la doxiciclina", "other-medicine"),
    ("es-419", "la metformina hace caer el pelo?", "other-topic"),
    ("pt-BR", "não tomei o clopidogrel hoje", "other-medicine"),
    ("pt-BR", "posso dirigir tomando losartana", "other-topic"),
]


@pytest.mark.parametrize(("locale", "question", "reason"), REFUSED)
def test_a_refusal_says_why(retriever: CardRetriever, locale: Locale, question: str, reason: NoContext):
    found = retriever.retrieve_now(question, locale)
    assert (found.passages, found.no_context) == ((), reason)


@pytest.mark.parametrize(
    ("locale", "question"),
    [
        ("en", "can my dog take metronidazole"),
        ("en", "does the shingles vaccine hurt"),
        ("en", "how do I clean my glucose meter"),
        ("en", "metformin"),
        ("en", "tell me about sertraline"),
        ("en", "can I get a tattoo if I take warfarin"),
        ("es-419", "el losartan tiene gluten?"),
        ("es-419", "la metformina rejuvenece?"),
        ("es-419", "ejercicios para el dolor de espalda"),
        ("pt-BR", "creatina faz mal pros rins?"),
        ("pt-BR", "quem inventou a insulina"),
    ],
)
def test_animals_devices_vaccines_and_general_health_have_no_card(
    retriever: CardRetriever, locale: Locale, question: str
):
    assert shown(retriever, question, locale) == []


def test_what_does_not_depend_on_the_medicine_is_answered_whichever_it_is(retriever: CardRetriever):
    assert "reminder-phone-alarm" in shown(retriever, "how do I set a phone alarm so I remember my gabapentin", "en")


def test_every_ask_finds_its_own_card(plain: CardRetriever, knowledge: Knowledge):
    asks: list[tuple[str, Locale, str]] = []
    for card in knowledge.cards:
        for locale in LOCALES:
            asks.extend((ask, locale, card.id) for ask in card.texts[locale].asks)
    lost = [(ask, card) for ask, locale, card in asks[::5] if card not in shown(plain, ask, locale)]
    assert len(lost) <= 0.01 * len(asks[::5]), lost


def test_most_asks_are_answered_when_nobody_wrote_them_down(knowledge: Knowledge):
    """One ask a card and locale is taken out and asked: a question that the card's author did not think of."""
    taken: list[tuple[str, Locale]] = []
    cards = list(knowledge.cards)
    for at, card in enumerate(knowledge.cards):
        texts = {locale: text.model_copy(update={"asks": text.asks[1:]}) for locale, text in card.texts.items()}
        for locale in LOCALES:
            taken.append((card.texts[locale].asks[0], locale))
        cards[at] = card.model_copy(update={"texts": texts})
    retriever = CardRetriever(Knowledge(cards=tuple(cards)), semantic=False)
    answered = sum(bool(shown(retriever, ask, locale)) for ask, locale in taken)
    assert answered >= 0.9 * len(taken)


def test_most_questions_of_a_card_that_is_gone_are_refused(knowledge: Knowledge):
    """The card of one medicine and topic is taken out: its asks are near misses of all that is left.

    Some of them, the obliquest, a general card then answers rightly: .85 are refused.
    """
    alone = [card for card in knowledge.cards if not card.is_general and card.topic not in {"routine", "reminder"}]
    refused = total = 0
    for part in range(3):
        gone = alone[part::3]
        rest = Knowledge(cards=tuple(card for card in knowledge.cards if card not in gone))
        retriever = CardRetriever(rest, semantic=False)
        for card in gone:
            for locale, text in card.texts.items():
                total += len(text.asks)
                refused += sum(not shown(retriever, ask, locale) for ask in text.asks)
    assert refused >= 0.82 * total


def test_most_questions_of_a_kind_that_nobody_foresaw_are_refused(tmp_path: Path, knowledge: Knowledge):
    """Every third group of `outside.yml` is taken out, and asked. Words alone refuse .69 to .79 of them."""
    for name in ("medicines.yml", "topics.yml"):
        shutil.copy(data_dir("config") / name, tmp_path)
    groups = yaml.safe_load((data_dir("config") / "outside.yml").read_text(encoding="utf-8"))["groups"]
    unforeseen = [groups.pop(name) for name in sorted(groups)[::3]]
    (tmp_path / "outside.yml").write_text(json.dumps({"groups": groups}), encoding="utf-8")
    retriever = CardRetriever(knowledge, semantic=False, config=tmp_path)
    for locale in LOCALES:
        lines = [line for group in unforeseen for line in group[locale]]
        refused = sum(not shown(retriever, line, locale) for line in lines)
        assert refused >= 0.65 * len(lines), (locale, refused, len(lines))


def test_explain_says_which_check_failed_on_what(retriever: CardRetriever):
    by_card = {c.card: c for c in retriever.explain("how do i store my ozempic pens", "en")}
    insulin = by_card["storage-insulin"]
    assert not insulin.answers
    assert any(f.check == "medicine" and "semaglutide" in f.what for f in insulin.failed)
    assert any(f.check == "topic" and "storage" in f.what for f in by_card["routine-injection-day"].failed)
    sleep = {c.card: c for c in retriever.explain("does metformin affect sleep", "en")}["side-effects-metformin"]
    assert [(f.check, f.what) for f in sleep.failed] == [("facet", "asks about sleep")]


def test_it_is_the_contract(retriever: CardRetriever):
    seam: Retriever = retriever
    found = asyncio.run(seam.retrieve("how do I avoid running out of my tablets", "en"))
    assert found.passages[0].card == "practical-refill-on-time"


def test_many_loops_and_threads_get_the_answers_of_one(retriever: CardRetriever):
    questions: list[tuple[str, Locale]] = []
    for locale, question, *_ in (*ANSWERED, *NEAREST):
        questions.append((question, locale))
    alone = [retriever.retrieve_now(*question) for question in questions]

    async def together() -> list[Retrieval]:
        return list(await asyncio.gather(*(retriever.retrieve(*question) for question in questions)))

    def in_a_loop(_: int) -> list[Retrieval]:
        return asyncio.run(together())

    def in_a_thread(question: tuple[str, Locale]) -> Retrieval:
        return retriever.retrieve_now(*question)

    with ThreadPoolExecutor(8) as pool:
        threads = list(pool.map(in_a_thread, questions * 2))
        loops = list(pool.map(in_a_loop, range(2)))
    assert threads == alone * 2
    assert loops == [alone] * 2


def test_two_retrievers_answer_alike(plain: CardRetriever, knowledge: Knowledge):
    other = CardRetriever(knowledge, semantic=False)
    for locale, question, _ in ANSWERED:
        assert plain.explain(question, locale) == other.explain(question, locale)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(question=st.text(max_size=200), locale=locales)
@example(question='"', locale="en")
@example(question="insulin NEAR(fridge, 3) AND NOT title:cold*", locale="en")
@example(question="' OR 1=1; DROP TABLE cards_0; --", locale="en")
@example(question="* ^insulin + {asks} : - ()", locale="es-419")
@example(question="😀👩‍👩‍👧 💊💊", locale="pt-BR")
@example(question="\x00\ud800\u200d\u202e", locale="en")
@example(question="<PHONE> <EMAIL> <NAME>", locale="en")
@example(question="insulin " * 1_500, locale="en")
@example(question="x" * 10_000, locale="en")
@example(question="", locale="en")
def test_no_text_breaks_it(plain: CardRetriever, question: str, locale: Locale):
    found = plain.retrieve_now(question, locale)
    assert found == plain.retrieve_now(question, locale)
    assert all(passage.locale == locale for passage in found.passages)


def test_no_text_breaks_the_extra(retriever: CardRetriever):
    for question in ("", "\x00\ud800\u200d\u202e", "😀" * 500, "insulin " * 1_500, "x" * 10_000, "* NEAR \"'"):
        assert retriever.retrieve_now(question, "en") == retriever.retrieve_now(question, "en")


def test_redacted_data_says_nothing(retriever: CardRetriever):
    plain = shown(retriever, "does insulin go in the fridge", "en")
    assert shown(retriever, "<PERSON> here, does insulin go in the fridge, call <PHONE>", "en") == plain
