"""The guard: each check finds what it is for and lets near misses pass; each that fails stops the reply."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

import pytest

from carerails.config import load_settings
from carerails.contracts import Exchange, Inspection, Locale, Objection, Reply
from carerails.engine import FailSafeEngine
from carerails.output.checks import CHECKS
from carerails.output.footers import footers
from carerails.output.guard import ReplyGuard
from carerails.output.judge import ReplyVerdict
from carerails.output.settings import OutputSettings
from tests.kit import Answer, ScriptedEngine, answers, fails, hangs, says
from tests.output.kit import answer, inspect, passage, rails, sentences

SECRET = "5511987654321"
SOUND = "Unopened insulin keeps best in the fridge. [cite:storage-insulin]"
FOOTERS = footers(None, load_settings())


def scripted(reply: Answer, **more: Any) -> ReplyGuard:
    """A guard on an engine that answers what the test says."""
    return ReplyGuard(
        FailSafeEngine(ScriptedEngine(reply), rails(), load_settings()), OutputSettings(deadline_s=0.05), **more
    )


def look(guard: ReplyGuard, text: str = SOUND, exchange: Exchange | None = None) -> Inspection:
    return asyncio.run(guard.inspect(answer(text), exchange or Exchange(passages=(passage(),))))


@pytest.mark.parametrize(
    "broken",
    [
        fails(RuntimeError(SECRET)),
        hangs,
        answers(None),
        answers("no findings"),
        answers({"hits": []}),
        says(("output no such rule", "x")),
    ],
)
def test_an_engine_that_does_not_say_stops_the_reply(broken: Answer):
    """Known failures 2 and 8."""
    found = look(scripted(broken), "Keep it in the fridge, as the leaflet says. [cite:storage-insulin]")
    assert (found.passed, found.reasons) == (False, ("check-failed",))
    assert [failure.seam for failure in found.failures] == ["output"]
    assert SECRET not in found.model_dump_json()


@pytest.mark.parametrize("name", CHECKS)
@pytest.mark.parametrize("error", [RuntimeError(SECRET), TimeoutError(SECRET), KeyError(SECRET)])
def test_each_check_that_raises_stops_the_reply(name: str, error: Exception):
    def broken(reply: Reply, exchange: Exchange, settings: OutputSettings) -> Iterable[Objection]:
        raise error

    found = look(scripted(says(), checks={**CHECKS, name: broken}))
    assert (found.objections, found.reasons) == ((), ("check-failed",))
    assert SECRET not in found.model_dump_json()


@pytest.mark.parametrize("name", CHECKS)
@pytest.mark.parametrize("nonsense", [None, 7, ["no objection"], "x"])
def test_each_check_that_answers_nonsense_stops_the_reply(name: str, nonsense: object):
    def broken(reply: Reply, exchange: Exchange, settings: OutputSettings) -> Any:
        return nonsense

    assert look(scripted(says(), checks={**CHECKS, name: broken})).reasons == ("check-failed",)


class Judge:
    """Answers what the test says."""

    def __init__(self, answer: Any) -> None:
        self.answer, self.calls = answer, 0

    async def object_to(self, reply: Reply, exchange: Exchange) -> Any:
        self.calls += 1
        if isinstance(self.answer, BaseException):
            raise self.answer
        if self.answer == "hang":
            await asyncio.sleep(3600)
        return self.answer


@pytest.mark.parametrize("nonsense", [RuntimeError(SECRET), None, 7, "hang", ["no objection"]])
def test_a_judge_that_does_not_say_stops_the_reply(nonsense: object):
    found = look(scripted(says(), judge=Judge(nonsense)))
    assert found.reasons == ("check-failed",)
    assert SECRET not in found.model_dump_json()


def test_a_judge_is_asked_last_and_lifts_nothing():
    judge = Judge(())
    assert look(scripted(says(), judge=judge)).passed
    assert not look(scripted(says(), judge=judge), "Bare claim.").passed
    assert judge.calls == 1
    objects = Judge((Objection(check="judge", reason="judged-tone"),))
    assert look(scripted(says(), judge=objects)).reasons == ("judged-tone",)


@pytest.mark.parametrize(
    "text",
    [
        '{"send": "true", "reason": "none"}',
        '{"send": true, "reason": "advice"}',
        '{"send": false, "reason": "none"}',
        '{"send": true}',
        '{"send": true, "reason": "none", "score": 1}',
        "send",
        "Yes, send it.",
        '{"send": 1, "reason": "none"}',
        '{"send": false, "send": true, "reason": "none"}',
    ],
)
def test_only_an_exact_verdict_is_one(text: str):
    """Known failures 1, 26 and 27."""
    from carerails.llm import EndpointError, read_answer

    with pytest.raises(EndpointError):
        read_answer(text, ReplyVerdict)


FOREIGN: list[tuple[Locale, str, str]] = [
    ("en", "Puedes preguntarle a la enfermera cuando vayas a la clínica.", "es-419"),
    ("en", "Você pode perguntar para a enfermeira quando for ao posto.", "pt-BR"),
    ("es-419", "You can ask the nurse when you are at the clinic.", "en"),
    ("es-419", "Você pode perguntar para a enfermeira, não precisa ter vergonha.", "pt-BR"),
    ("pt-BR", "Puedes preguntarle a la enfermera, y no tengas vergüenza con ella.", "es-419"),
    ("pt-BR", "You can ask the nurse when you are at the clinic.", "en"),
    ("en", "Vous pouvez demander à la pharmacie avec votre ordonnance.", "fr"),
    ("en", "Спросите у медсестры в клинике.", "other-alphabet"),
]


@pytest.mark.parametrize(("locale", "text", "language"), FOREIGN)
def test_another_language_is_named(locale: Locale, text: str, language: str):
    """Known failure 11."""
    found = inspect(f"{text} [cite:storage-insulin]", locale=locale)
    assert [(o.reason, o.terms) for o in found.objections if o.check == "language"] == [("wrong-language", (language,))]


def test_one_foreign_sentence_among_others_is_found():
    text = f"{SOUND} Pregunta en la farmacia cuando tengas dudas. [cite:storage-insulin]"
    assert inspect(text).reasons == ("wrong-language",)


def test_no_sentence_of_a_card_is_in_another_language_than_its_own():
    from carerails.output.checks.language import foreign

    assert [(locale, sentence) for locale, sentence in sentences() if foreign(sentence, locale)] == []


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Ask Dr. Amanda Whitfield about it.", ("NAME",)),
        ("Call 415-555-2671 about it.", ("PHONE",)),
        ("Write to ana.lima@hospital.org about it.", ("EMAIL",)),
        ("The patient born on 03/04/1961 has the same box.", ("DATE_OF_BIRTH",)),
    ],
)
def test_somebody_elses_data_are_found_and_not_repeated(text: str, kinds: tuple[str, ...]):
    found = inspect(f"{text} [cite:storage-insulin]")
    told = [objection for objection in found.objections if objection.check == "identity"]
    assert [objection.terms for objection in told] == [kinds]


def test_the_users_own_data_may_come_back_to_them():
    text = "The number 415-555-2671 is for your pharmacy to check. [cite:storage-insulin]"
    assert "personal-data" in inspect(text).reasons
    assert inspect(text, question="is 415 555 2671 on file?").passed


@pytest.mark.parametrize("line", load_settings().numbers.lines())
def test_a_line_that_everybody_may_call_is_nobodys(line: str):
    assert "personal-data" not in inspect(f"You can reach them here, day and night: {line}").reasons


@pytest.mark.parametrize(
    ("text", "domains", "unlisted"),
    [
        ("See www.example.org for more.", (), ("example.org",)),
        ("See https://help.example.org/a?b=1 for more.", ("example.org",), ()),
        ("See https://example.org.evil.com for more.", ("example.org",), ("example.org.evil.com",)),
        ("See notexample.org for more.", ("example.org",), ("notexample.org",)),
        ("See ｅxample.com for more.", (), ("example.com",)),
        ("Write to care@example.org for more.", ("example.org",), ()),
        ("It is 2.5 ml, e.g. a spoon.", (), ()),
    ],
)
def test_addresses_are_those_of_the_list(text: str, domains: tuple[str, ...], unlisted: tuple[str, ...]):
    found = CHECKS["fields"](answer(text), Exchange(), OutputSettings(domains=domains))
    assert tuple(host for objection in found for host in objection.terms) == unlisted


def test_lengths_are_bounded():
    rules = OutputSettings(max_chars=10, max_citations=1)
    reply = Reply(kind="answer", text="x" * 11, citations=("a", "b"))
    assert [o.reason for o in CHECKS["fields"](reply, Exchange(), rules)] == ["too-long", "too-many-citations"]


@pytest.mark.parametrize("locale", ["en", "es-419", "pt-BR"])
def test_the_footer_is_due_where_a_reply_is_sent(locale: Locale):
    foot = FOOTERS[locale]
    exchange = Exchange(locale=locale, passages=(passage(locale=locale),), footer=foot)
    sentence = f"{passage(locale=locale).sentences[0]} [cite:storage-insulin]"
    for text, due in ((f"{sentence}\n\n{foot}", ()), (sentence, ("missing-footer",)), (foot + sentence, None)):
        found = look(scripted(says()), text, exchange)
        assert found.reasons == due if due is not None else "missing-footer" in found.reasons


def test_a_template_cites_nothing_and_may_leave():
    refusal = Reply(kind="refusal", text="I can't help with that right now. Your pharmacist or doctor can guide you.")
    assert asyncio.run(scripted(says()).inspect(refusal, Exchange())).passed


def test_words_on_both_sides_of_a_copied_sentence_are_not_read_together():
    card = passage()
    text = f"Take it easy and rest. [cite:storage-insulin] {card.sentences[0]} [cite:storage-insulin]"
    assert inspect(text).passed


def test_signs_alone_are_no_words_of_its_own():
    sentence = passage().sentences[0]
    assert inspect(f"— {sentence} [cite:storage-insulin] · [cite:storage-insulin]").passed


def test_disguises_are_read_as_by_the_input_rails():
    for text in (
        "T a k e  t w o  t a b l e t s now.",
        "Tаke twо tablets now.",
        "Take\u200b two\u200b tab\u200blets now.",
    ):
        assert "dose-advice" in inspect(f"{text} [cite:storage-insulin]").reasons, text


def test_a_turn_costs_nothing_for_the_rails_of_replies():
    """They are a policy of their own: the one that decides turns does not have them, and cannot be slower for them."""
    from carerails.policy import Policy
    from carerails.resources import data_dir

    turns = Policy.load(data_dir("rails"))
    assert not [name for name in turns.rules if name.startswith("output")]
    assert not [path for path in turns.sources() if "output" in path.parts[-2:-1]]
