"""Where two texts disagree, what a question takes for granted, and what a claim adds to what it cites."""

from __future__ import annotations

import pytest

from carerails.contracts import Locale
from carerails.screening.evidence import disagreements, premise, read
from carerails.screening.support import supports


@pytest.mark.parametrize(
    ("locale", "one", "other", "kinds"),
    [
        ("en", "The pen keeps 28 days.", "The pen keeps 60 days.", ("number",)),
        ("en", "The pen keeps below 25 degrees.", "The pen is at 20 degrees.", ()),
        ("en", "The pen keeps below 25 degrees.", "The pen is at 40 degrees.", ("number",)),
        ("en", "The pen keeps 28 days.", "The pen keeps 28 days, or 4 weeks.", ()),
        ("en", "Crush the tablet.", "Do not crush the tablet.", ("negation",)),
        ("en", "I never crush the tablet.", "The tablet can't be crushed.", ()),
        ("en", "Do not shake the pen, but rinse the needle.", "Rinse the needle.", ()),
        ("en", "It goes before breakfast.", "It goes after breakfast.", ("opposite",)),
        ("en", "It goes before or after breakfast.", "It goes after breakfast.", ()),
        ("en", "Not with milk.", "Keep the box shut.", ()),
        ("es-419", "Se toma en ayunas por la mañana.", "Se toma con comida por la mañana.", ("opposite",)),
        ("es-419", "La insulina se congela.", "La insulina no se congela.", ("negation",)),
        ("es-419", "Dura dos semanas abierta.", "Dura cuatro semanas abierta.", ("number",)),
        ("pt-BR", "O colírio vai no congelador.", "O colírio não vai no congelador.", ("negation",)),
        ("pt-BR", "Meia hora antes do café.", "Uma hora depois do café.", ("opposite",)),
        ("pt-BR", "Dura 7 dias na geladeira.", "Dura sete dias na geladeira.", ()),
    ],
)
def test_disagreement(locale: Locale, one: str, other: str, kinds: tuple[str, ...]) -> None:
    assert disagreements(read(one, locale), read(other, locale)) == kinds
    assert disagreements(read(other, locale), read(one, locale)) == kinds


@pytest.mark.parametrize(
    ("locale", "question", "stated"),
    [
        ("en", "Can I keep it in the fridge?", ""),
        ("en", "I keep it at 40.5 degrees, is that fine?", "I keep it at 40.5 degrees"),
        ("en", "Metformin goes on an empty stomach, right?", "Metformin goes on an empty stomach. right?"),
        ("es-419", "Va en ayunas, ¿a qué hora?", "Va en ayunas"),
        ("es-419", "¿Puedo triturarlas?", ""),
        ("pt-BR", "Posso amassar?", ""),
        ("pt-BR", "Posso amassar, com qual colher?", "Posso amassar"),
    ],
)
def test_what_a_question_takes_for_granted(locale: Locale, question: str, stated: str) -> None:
    assert premise(question, locale) == stated


CITED = "Opened drops keep for 28 days. It is not true that drops are safe with lenses."


@pytest.mark.parametrize(
    ("claim", "cited", "choice", "reason"),
    [
        ("Opened drops keep for 28 days.", CITED, "supports", "verbatim"),
        ("Drops keep for 28 days once opened.", CITED, "supports", "nothing-added"),
        ("Opened drops keep for 60 days.", CITED, "does not support", "number"),
        ("Drops are safe with lenses.", CITED, "does not support", "negation"),
        ("Unopened drops keep for 28 days.", CITED, "does not support", "opposite"),
        ("Opened metformin drops keep for 28 days.", CITED, "cannot tell", "words-added"),
        ("Alarms help people.", CITED, "does not support", "little-shared"),
        ("Opened drops keep for 28 days.", "", "does not support", "nothing-cited"),
    ],
)
def test_support(claim: str, cited: str, choice: str, reason: str) -> None:
    answer = supports(claim, cited, "en")
    assert (answer.choice, answer.evidence) == (choice, (reason,))


@pytest.mark.parametrize("text", ["", "\ud800", "¿" * 200, "9" * 400, "no " * 2_000, "1,2.3.4,5 %%", "half of half"])
def test_odd_text_is_read_without_complaint(text: str) -> None:
    for locale in ("en", "es-419", "pt-BR"):
        read(text, locale)
        premise(text, locale)
        supports(text, text, locale)


@pytest.mark.parametrize(
    ("locale", "claim", "cited", "choice", "reason"),
    [
        ("en", "The drops keep four weeks.", "The drops keep four months.", "does not support", "number"),
        ("en", "All drops sting at first.", "Some drops sting at first.", "does not support", "quantifier"),
        (
            "en",
            "Open drops must stay in bed at night.",
            "Open drops may stay in bed at night.",
            "does not support",
            "duty",
        ),
        ("en", "Take losartan with food.", "Take metformin with food.", "does not support", "medicine"),
        ("en", "Store the drops in the fridge.", "Keep the drops in the fridge.", "supports", "nothing-added"),
        ("en", "The drops may be frozen.", "Do not freeze the drops.", "does not support", "negation"),
        ("en", "Drops with milk sting.", "Ask.\nDrops sting.\nSalt.\nMilk is fine.", "cannot tell", "words-added"),
        ("es-419", "La pastilla va con leche.", "La pastilla va con agua.", "does not support", "another"),
        ("es-419", "Se traga entera.", "Trágala entera.", "supports", "nothing-added"),
        ("pt-BR", "Pode tomar com ou sem comida.", "Tome com comida ou sem.", "supports", "nothing-added"),
        ("pt-BR", "Não se come toranja.", "Toranja se come.", "does not support", "negation"),
    ],
)
def test_what_goes_further_than_its_text_is_told(
    locale: Locale, claim: str, cited: str, choice: str, reason: str
) -> None:
    answer = supports(claim, cited, locale)
    assert (answer.choice, answer.evidence) == (choice, (reason,))
