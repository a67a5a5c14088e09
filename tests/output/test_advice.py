"""What neither a card nor a reply may say, and the warnings and pointers that they may."""

from __future__ import annotations

import pytest

from carerails.contracts import Passage
from tests.output.kit import inspect, reasons, sentences

ADVICE = {
    "dose-advice": [
        "Take two tablets with your next meal.",
        "You should double the next dose.",
        "Tómate ahora las dos pastillas juntas.",
        "Toma media pastilla más.",
        "Tome agora 100 mg e mais 50 mg à noite.",
        "Pule a próxima dose.",
    ],
    "change-advice": [
        "It makes people dizzy, so stop taking it for a few days.",
        "You can safely stop your treatment.",
        "Suspéndelo y cámbialo por losartán.",
        "Deje de tomar el remedio.",
        "Pare de tomar até melhorar.",
        "Troque por outro remédio.",
    ],
    "diagnosis": [
        "Your cough is bronchitis, not the tablet.",
        "You probably have an infection.",
        "Lo que tú tienes es gastritis.",
        "Eso significa que tienes diabetes.",
        "Essa sua tontura é labirintite.",
        "O que você tem é enxaqueca.",
    ],
}
ALLOWED = [
    "Do not take a double dose to make up for a missed one.",
    "Ask your pharmacist before you stop taking it.",
    "The leaflet says whether to take two tablets together.",
    "Nunca dupliques la dosis por tu cuenta.",
    "Pregunta en la farmacia antes de dejar de tomarlo.",
    "Não pare de tomar sem falar com o médico.",
    "A bula avisa contra tomar dose dobrada.",
    "People with diabetes often ask about this.",
    "Set two alarms a day, five minutes apart.",
    "A pharmacist can look at everything you take at once.",
    "Uma garrafa de água por perto ajuda a lembrar.",
]


@pytest.mark.parametrize(("code", "text"), [(code, text) for code, texts in ADVICE.items() for text in texts])
def test_advice_is_found_by_its_kind(code: str, text: str) -> None:
    assert code in reasons(text)


@pytest.mark.parametrize("text", ALLOWED)
def test_a_warning_and_a_pointer_are_no_advice(text: str) -> None:
    assert reasons(text) == ()


def test_no_card_says_what_no_reply_may() -> None:
    assert [sentence for _, sentence in sentences() if reasons(sentence)] == []


def test_a_reply_is_checked_in_its_own_words_only() -> None:
    card = Passage(card="a", locale="en", title="A", sentences=("Take two tablets is what no card says.",))
    assert inspect("Take two tablets is what no card says. [cite:a]", card).passed
    assert inspect("Take two tablets. [cite:a]", card).reasons == ("dose-advice",)
