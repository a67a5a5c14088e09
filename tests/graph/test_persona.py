"""Who the agent never claims to be."""

from __future__ import annotations

import pytest

from carerails.graph import persona_drift

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
IN_ROLE = [
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


@pytest.mark.parametrize("text", CLAIMS)
def test_a_claim_to_be_a_clinician_is_drift(text: str):
    assert persona_drift(text)


@pytest.mark.parametrize("text", IN_ROLE)
def test_what_stays_in_its_role_is_none(text: str):
    assert persona_drift(text) == ()
