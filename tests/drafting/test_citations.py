"""The required-citation check: unknown ids, malformed markers, claims without one, an envelope that says otherwise."""

from __future__ import annotations

import pytest

from carerails.contracts import CitationChecker, Locale, Passage, Reply, Verification
from carerails.drafting import MarkerCitations, cited
from tests.drafting.cards import passage

CHECKER: CitationChecker = MarkerCitations()
OK = "Keep it cool. [cite:storage-insulin]"


def verify(text: str, *passages: Passage, citations: tuple[str, ...] | None = None) -> Verification:
    reply = Reply(kind="answer", text=text, citations=cited(text) if citations is None else citations)
    return CHECKER.verify(reply, passages or (passage(),))


def test_a_sound_answer() -> None:
    assert verify(OK) == Verification()
    assert verify(OK).sound


def test_ids_that_no_passage_has() -> None:
    found = verify("Keep it cool. [cite:storage-insulin] Shake it. [cite:storage-inhaler]")
    assert found == Verification(unknown=("storage-inhaler",))
    assert verify("Keep it cool. [cite:Storage-Insulin]").unknown == ("Storage-Insulin",)  # an id is exact


def test_without_passages_every_id_is_unknown() -> None:
    assert CHECKER.verify(Reply(kind="answer", text=OK, citations=cited(OK)), ()).unknown == ("storage-insulin",)


def test_a_malformed_marker_is_a_finding_and_covers_nothing() -> None:
    found = verify(f"{OK} Shake it. [cite storage-insulin]")
    assert found == Verification(unknown=("[cite storage-insulin]",), uncited=("Shake it.",))


@pytest.mark.parametrize(
    ("citations", "unknown"),
    [
        ((), ("storage-insulin",)),
        (("storage-insulin", "storage-general"), ("storage-general",)),
        (("storage-insulin", "storage-insulin"), ()),  # each once or each marker: both say the same
    ],
)
def test_the_envelope_lists_what_the_text_cites(citations: tuple[str, ...], unknown: tuple[str, ...]) -> None:
    assert verify(OK, passage(), passage("storage-general"), citations=citations).unknown == unknown


def test_the_envelope_keeps_the_order_of_the_text() -> None:
    two = (passage("a"), passage("b"))
    text = "Keep it cool. [cite:a] Shake it. [cite:b]"
    assert verify(text, *two, citations=("a", "b")).sound
    assert verify(text, *two, citations=("b", "a")).unknown == ("a", "b")


EXEMPT: dict[Locale, list[str]] = {
    "en": [
        "Hello!",
        "Hi there, thanks for asking.",
        "I’m sorry to hear that.",
        "Would you like a reminder?",
        "Do you keep it in the fridge?",
        "Please ask your pharmacist.",
        "If you have more questions, your pharmacist or care team can help.",
        "You can also read the leaflet of your medicine.",
    ],
    "es-419": [
        "¡Hola!",
        "Gracias por preguntar.",
        "Lo siento mucho.",
        "¿Quieres que te ayude con un recordatorio?",
        "Pregunta en tu farmacia.",
        "Si tienes más preguntas, tu farmacia o tu equipo de salud te pueden ayudar.",
        "También puedes leer el prospecto de tu medicamento.",
    ],
    "pt-BR": [
        "Olá!",
        "Obrigada por perguntar.",
        "Sinto muito.",
        "Quer ajuda com um lembrete?",
        "Pergunte ao farmacêutico.",
        "Se tiver mais dúvidas, a farmácia ou a sua equipe de saúde podem ajudar.",
        "Você também pode ler a bula do seu remédio.",
    ],
}
CLAIMS: dict[Locale, list[str]] = {
    "en": [
        "Keep it in the fridge.",
        "Hello, metformin cures everything.",
        "I'm sorry, I can't help with that.",  # prose that sounds like a refusal is a sentence like any other
        "Ask your pharmacist, because heat spoils insulin.",
        "You can take more of it.",
        "Your doctor is wrong.",
        "Do not ask your pharmacist.",
        "You can stop, right?",
        "Did you know that heat spoils insulin?",
        "Can you take 2 of them?",
        "Yes.",
        "Of course!",
        "Sure, you can.",
        "Common effects are:",
    ],
    "es-419": [
        "Guárdala en el refrigerador.",
        "Hola, la metformina cura todo.",
        "Lo siento, no puedo ayudarte con eso.",
        "Pregunta en tu farmacia, porque el calor la arruina.",
        "No consultes a tu médico.",
        "Claro que sí.",
        "Puedes dejarla, ¿verdad?",
        "¿Sabías que el calor la arruina?",
        "¿Puedes tomar 2?",
    ],
    "pt-BR": [
        "Guarde na geladeira.",
        "Olá, a metformina cura tudo.",
        "Desculpe, não posso ajudar com isso.",
        "Pergunte ao farmacêutico, porque o calor estraga.",
        "Não procure o médico.",
        "Com certeza!",
        "Pode parar, né?",
        "Você sabia que o calor estraga a insulina?",
        "Pode tomar 2?",
    ],
}


@pytest.mark.parametrize(("locale", "sentence"), [(lo, s) for lo, all_ in EXEMPT.items() for s in all_])
def test_courtesies_questions_and_pointers_need_no_citation(locale: Locale, sentence: str) -> None:
    assert verify(f"{sentence} {OK} {sentence}", passage(locale=locale)).sound


@pytest.mark.parametrize(("locale", "sentence"), [(lo, s) for lo, all_ in CLAIMS.items() for s in all_])
def test_anything_else_makes_a_claim(locale: Locale, sentence: str) -> None:
    found = verify(f"{OK} {sentence}", passage(locale=locale))
    assert "".join(found.uncited).replace(" ", "") in sentence.replace(" ", "")
    assert found.uncited


def test_an_answer_that_cites_nothing_is_uncited_as_a_whole() -> None:
    assert verify("Please ask your pharmacist.").uncited == ("Please ask your pharmacist.",)
    assert verify("Hello!").uncited == ("Hello!",)
    assert not verify("").sound


def test_a_template_cites_nothing_and_is_sound() -> None:
    refusal = Reply(kind="refusal", text="I have no reliable information on that.")
    assert CHECKER.verify(refusal, ()).sound
    assert not CHECKER.verify(Reply(kind="refusal", text=OK), ()).sound
