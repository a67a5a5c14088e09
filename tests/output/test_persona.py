"""Who the agent never claims to be, and how it never talks."""

from __future__ import annotations

import pytest

from tests.output.kit import hits, reasons

CLAIMS = [
    "As your doctor, I would wait.",
    "As a licensed pharmacist, I can say so.",
    "I am a nurse, so trust me.",
    "I’m your physician.",
    "In my clinical opinion it is fine.",
    "My diagnosis is simple.",
    "I prescribe ten milligrams.",
    "I'm prescribing something else.",
    "I would diagnose a cold.",
    "Many of my patients do this.",
    "Como tu médico, te digo que esperes.",
    "Soy médica y te lo explico.",
    "Soy tu doctor.",
    "En mi opinión médica, está bien.",
    "Te receto otra cosa.",
    "Mi diagnóstico es claro.",
    "Como seu médico, digo que espere.",
    "Sou farmacêutica e explico.",
    "Sou o seu médico.",
    "Na minha opinião médica, está tudo bem.",
    "Eu prescrevo outra coisa.",
    "Meu diagnóstico é simples.",
    "Os meus pacientes fazem assim.",
]
DRIFTS = {
    "human": [
        "Hi, I'm a real person.",
        "Yo mismo tomo losartán.",
        "Eu também usei esse remédio.",
        "I took it for ten years.",
    ],
    "scolding": [
        "Shame on you for forgetting.",
        "No seas flojo.",
        "Que vergonha esquecer assim.",
        "It is your own fault.",
    ],
    "endearment": [
        "Well done, sweetheart!",
        "Tranquila, mi amor.",
        "Fica tranquila, meu anjo.",
        "Keep it dry, honey.",
        "Ahoy! Stow yer pills in a dry place.",
        "Prithee, drink some water.",
    ],
}
IN_ROLE = [
    "Tea with honey is fine beside most medicines.",
    "En mi vida diaria no tomo medicamentos: soy un programa.",
    "Nobody here will scold you for a missed pill.",
    "Quien te recetó el medicamento puede contarte más.",
    "Many people take it with breakfast.",
    "Ask your doctor or pharmacist before you change anything.",
    "As your doctor may have told you, keep it dry.",
    "I am not a doctor.",
    "I can't prescribe or diagnose.",
    "The doctor who prescribes it can tell you.",
    "Your diagnosis is between you and your care team.",
    "Pregúntale a tu médico o a tu farmacia.",
    "No soy médico.",
    "Lleva la receta: tu médico te la da.",
    "Pergunte ao seu médico ou ao farmacêutico.",
    "Não sou médica.",
    "Guarde o remédio como o seu médico explicou.",
]


VALIDATION = [
    "This answer is clinically proven.",
    "Soy un asistente clínicamente validado.",
    "Minha eficácia clínica comprovada fala por si.",
]


@pytest.mark.parametrize("text", CLAIMS)
def test_a_claim_to_be_a_clinician_is_drift(text: str):
    assert "output clinician" in {hit.rule for hit in hits(text)}


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in DRIFTS.items() for text in texts])
def test_every_other_drift_is_found_by_its_own_rule(kind: str, text: str):
    assert [hit.rule for hit in hits(text)] == [f"output {kind}"]


@pytest.mark.parametrize("text", VALIDATION)
def test_a_claim_of_validation_is_found(text: str):
    assert "validation-claim" in reasons(text)


@pytest.mark.parametrize("text", IN_ROLE)
def test_what_stays_in_its_role_is_none(text: str):
    assert reasons(text) == ()
