"""The linter of cards: every code has a card that has it, and the clean card has none."""

from __future__ import annotations

from pathlib import Path

import pytest

from carerails.contracts import Locale
from carerails.knowledge import readability
from carerails.knowledge.lint import KINDS, Finding, lint
from tests.knowledge.kit import line_with, write_card
from tests.output.kit import reasons

NAME = "storage-insulin.yml"
HEAT = "A pharmacist can tell you whether insulin that got hot is still good."
PLANTED = [
    ("unreadable", ("topic: storage", "topic: storing"), "topic:"),
    ("no-source", ("source: Written for a test; synthetic", "source: TODO"), "source:"),
    ("unknown-medicine", ("[insulin]", "[insulin, vaxorin]"), "medicines:"),
    ("dose-advice", (HEAT, "If your insulin got hot, take 2 units more and call a pharmacist."), HEAT),
    ("change-advice", (HEAT, "Stop taking insulin that got hot and call a pharmacist about it."), HEAT),
    ("diagnosis", (HEAT, "Ask a pharmacist, because you probably have diabetes and need insulin."), HEAT),
    ("ask-stopped", ("insulin and hot weather", "how many units of insulin should i take"), "insulin and hot weather"),
    ("ask-stopped", ("insulin and hot weather", "my chest hurts and my left arm is numb"), "insulin and hot weather"),
    ("ask-not-found", ("insulin and hot weather", "is metformin bad for sleep"), "insulin and hot weather"),
    ("ask-twice", ("insulin and hot weather", "Does insulin go in the fridge?"), "insulin and hot weather"),
    ("sentence-length", (HEAT, "Ask a pharmacist about hot insulin."), HEAT),
    ("sentence-count", (f"      - {HEAT}\n", ""), "sentences:"),
    ("ask-count", ("      - insulin and hot weather\n", ""), "asks:"),
    (
        "reading-level",
        (HEAT, "Pharmaceutical professionals characterise deteriorated preparations considering manufacturer advice."),
        "sentences:",
    ),
]  # fmt: skip


def codes(findings: list[Finding]) -> set[str]:
    return {finding.code for finding in findings}


def test_a_clean_card_has_no_finding(tmp_path: Path):
    write_card(tmp_path)
    assert lint(tmp_path) == []


@pytest.mark.parametrize(("code", "change", "at"), PLANTED, ids=[f"{row[0]}-{n}" for n, row in enumerate(PLANTED)])
def test_a_planted_fault_is_found_at_its_line(tmp_path: Path, code: str, change: tuple[str, str], at: str):
    path = write_card(tmp_path, NAME, change)
    finding, *others = [finding for finding in lint(tmp_path) if finding.code == code]
    assert {other.line for other in others} <= {finding.line}
    assert (finding.file, finding.line) == (str(path), line_with(at))
    assert finding.severity == KINDS[code].severity
    assert finding.what
    assert str(finding) == f"{path}:{finding.line}: {finding.severity}: {finding.what} [{code}] ({finding.mend})"


def test_no_next_step(tmp_path: Path):
    write_card(tmp_path, NAME, ("The leaflet says", "The box says"), ("A pharmacist can", "A neighbour can"))
    assert codes(lint(tmp_path)) == {"no-next-step"}


def test_the_same_id_and_the_same_ask_in_two_files(tmp_path: Path):
    write_card(tmp_path)
    write_card(tmp_path, f"more/{NAME}")
    assert "duplicate-id" in codes(lint(tmp_path))
    (tmp_path / "more" / NAME).rename(tmp_path / "storage-insulin-again.yml")
    assert sum(finding.code == "ask-twice" for finding in lint(tmp_path)) == 18


def test_every_unreadable_card_is_reported(tmp_path: Path):
    for name in ("one.yml", "two.yml"):
        write_card(tmp_path, name, ("topic:", "topics:"))
    assert [finding.code for finding in lint(tmp_path)] == ["unreadable"] * 2


def test_the_shipped_cards_have_no_error():
    assert [str(finding) for finding in lint() if finding.severity == "error"] == []


FORBIDDEN: list[tuple[Locale, str, str]] = [
    ("en", "Take two tablets when you remember.", "dose-advice"),
    ("en", "You can take a double dose the next day.", "dose-advice"),
    ("en", "Skip the next dose and carry on.", "dose-advice"),
    ("en", "Stop taking it if you feel sick.", "change-advice"),
    ("en", "You should stop this medicine.", "change-advice"),
    ("en", "Switch to another tablet.", "change-advice"),
    ("en", "This means you have an infection.", "diagnosis"),
    ("es-419", "Toma dos pastillas cuando te acuerdes.", "dose-advice"),
    ("es-419", "Duplica la dosis al día siguiente.", "dose-advice"),
    ("es-419", "Deja de tomarlo si te sientes mal.", "change-advice"),
    ("es-419", "Suspende el medicamento por unos días.", "change-advice"),
    ("es-419", "Eso significa que tienes diabetes.", "diagnosis"),
    ("pt-BR", "Tome dois comprimidos quando lembrar.", "dose-advice"),
    ("pt-BR", "Pule a próxima dose.", "dose-advice"),
    ("pt-BR", "Pare de tomar se passar mal.", "change-advice"),
    ("pt-BR", "Interrompa o tratamento por uns dias.", "change-advice"),
    ("pt-BR", "Isso quer dizer que você tem diabetes.", "diagnosis"),
]


@pytest.mark.parametrize(("locale", "sentence", "code"), FORBIDDEN)
def test_what_a_card_must_not_say(locale: Locale, sentence: str, code: str):
    assert code in reasons(sentence)


@pytest.mark.parametrize(
    ("locale", "sentence"),
    [
        ("en", "Do not take a double dose to make up for a missed one."),
        ("en", "Ask your care team before you stop taking any medicine."),
        ("en", "The leaflet of most once-a-day medicines has a part on missed doses."),
        ("en", "Write down the day you started the tablets."),
        ("es-419", "No tomes una dosis doble para compensar la olvidada."),
        ("es-419", "Nunca suspendas el tratamiento sin hablar con tu equipo de salud."),
        ("es-419", "Para la insulina, una bolsa fresca ayuda en el viaje."),
        ("pt-BR", "Não tome uma dose dobrada para compensar a esquecida."),
        ("pt-BR", "Converse com a equipe antes de parar de tomar o remédio."),
    ],
)
def test_what_leaflets_say_is_allowed(locale: Locale, sentence: str):
    assert reasons(sentence) == ()


@pytest.mark.parametrize(
    ("locale", "word", "syllables"),
    [
        ("en", "pill", 1), ("en", "medicine", 3), ("en", "leaflet", 2), ("en", "stopped", 1), ("en", "needed", 2),
        ("en", "doses", 2), ("en", "people", 2), ("en", "table", 2),
        ("es-419", "pastilla", 3), ("es-419", "farmacéutico", 5), ("es-419", "día", 2), ("es-419", "cuidado", 3),
        ("es-419", "poeta", 3), ("es-419", "que", 1), ("es-419", "guitarra", 3), ("es-419", "muy", 1),
        ("pt-BR", "comprimido", 4), ("pt-BR", "coração", 3), ("pt-BR", "dia", 2), ("pt-BR", "água", 2),
        ("pt-BR", "saúde", 3), ("pt-BR", "remédio", 3), ("pt-BR", "não", 1),
    ],
)  # fmt: skip
def test_syllables(locale: Locale, word: str, syllables: int):
    # One sentence of one word: each formula gives the count back.
    slope, constant = {"en": (11.8, 0.39 - 15.59), "es-419": (-62.3, 206.835 - 1), "pt-BR": (-84.6, 248.835 - 1.015)}[
        locale
    ]
    assert readability.score([word], locale) == pytest.approx(constant + slope * syllables)


def test_the_formulas_on_a_text_counted_by_hand():
    # 6 words in 2 sentences, 7 syllables; 7 words, 12 (Guar-da la ca-ja le-jos de la co-ci-na);
    # 6 words, 11 (Guar-de a cai-xa lon-ge da co-zi-nha).
    assert readability.score(["Take it home.", "Keep it cooler."], "en") == pytest.approx(
        0.39 * 6 / 2 + 11.8 * 7 / 6 - 15.59
    )
    assert readability.score(["Guarda la caja lejos de la cocina."], "es-419") == pytest.approx(
        206.835 - 62.3 * 12 / 7 - 7
    )
    assert readability.score(["Guarde a caixa longe da cozinha."], "pt-BR") == pytest.approx(
        248.835 - 1.015 * 6 - 84.6 * 11 / 6
    )


def test_harder_text_scores_harder():
    assert readability.LIMITS["en"].allows(readability.score(["Keep the box in a dry place."], "en"))
    assert not readability.LIMITS["en"].allows(
        readability.score(
            ["Pharmaceutical preparations deteriorate considerably under inappropriate conditions."], "en"
        )
    )
    with pytest.raises(ValueError, match="no words"):
        readability.score(["12 34"], "en")
