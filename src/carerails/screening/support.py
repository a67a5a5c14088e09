"""Whether a cited text says what a claim says, as far as words can tell.

Words cannot show that a text says something; they can show that a claim adds nothing to it: every word that means
something stands there too, the same numbers, no negation more or less, no opposite. Whatever adds a word is for a
person or a stronger model.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from carerails.contracts import ChoiceAnswer, Locale
from carerails.drafting.sentences import sentences
from carerails.drafting.words import words
from carerails.knowledge.words import stem
from carerails.screening.evidence import disagreements, read, strange_numbers

#: Words that add nothing by themselves, so that a claim may have them and its text not.
_LIGHT: Final[Mapping[Locale, str]] = {
    "en": "take takes taken taking carry bring good may might find every daily once well use used "
    "using help helps way put back thing people",
    "es-419": "tomar toma tomes tome lleva llevar pedir pide puede pueden puedes vez diario diaria hacer usar cosa",
    "pt-BR": "tomar toma tome leve levar pedir peca pode podem for vez diario diaria fazer usar coisa",
}
#: A claim that disagrees says the contrary where it shares so many of its words; otherwise it says something else.
_ALIKE: Final = 0.75
#: Below this share of its words, a claim is about something else.
_LITTLE: Final = 0.2
#: A sentence that shares so much of a claim's words is about the same, so that it may disagree.
_SAME: Final = 0.5

#: Probabilities of `supports`, `does not support`, `cannot tell`. Set by hand: they order the verdicts, no more.
_VERDICTS: Final[Mapping[str, tuple[float, float, float]]] = {
    "verbatim": (0.98, 0.01, 0.01),
    "nothing-added": (0.86, 0.06, 0.08),
    "words-added": (0.3, 0.2, 0.5),
    "little-shared": (0.05, 0.85, 0.1),
    "number": (0.03, 0.94, 0.03),
    "negation": (0.05, 0.9, 0.05),
    "opposite": (0.05, 0.9, 0.05),
    "nothing-cited": (0.0, 1.0, 0.0),
}
_OPTIONS: Final[tuple[str, ...]] = ("supports", "does not support", "cannot tell")


def supports(claim: str, cited: str, locale: Locale) -> ChoiceAnswer:
    """The answer to `support`, with the reason as its evidence."""
    reason = _reason(claim, cited, locale)
    probabilities: dict[str, float] = dict(zip(_OPTIONS, _VERDICTS[reason], strict=True))
    choice = max(probabilities, key=lambda option: probabilities[option])
    confidence = (probabilities[choice] - 1 / 3) / (1 - 1 / 3)
    return ChoiceAnswer(choice=choice, probabilities=probabilities, confidence=round(confidence, 4), evidence=(reason,))


def _reason(claim: str, cited: str, locale: Locale) -> str:
    if not cited.strip():
        return "nothing-cited"
    if words(claim) in [words(sentence.text) for sentence in sentences(cited)]:
        return "verbatim"
    made, whole = read(claim, locale), read(cited, locale)
    if strange_numbers(made, whole):
        return "number"
    weighty = made.stems - _LIGHT_STEMS[locale]
    covered = len(weighty & whole.stems) / max(1, len(weighty))
    doubts = False
    for sentence in (read(each.text, locale) for each in sentences(cited)):
        shared = len(sentence.stems & weighty) / max(1, len(weighty))
        kinds = disagreements(made, sentence) if shared >= _SAME else ()
        if kinds and shared >= _ALIKE:
            return kinds[0]
        doubts = doubts or bool(kinds)
    if covered < _LITTLE:
        return "little-shared"
    return "words-added" if doubts or weighty - whole.stems else "nothing-added"


_LIGHT_STEMS: Final = {
    locale: frozenset(stem(word, locale) for word in listed.split()) for locale, listed in _LIGHT.items()
}
