"""Whether a cited text says what a claim says, as far as words can tell.

Words cannot show that a text says something; they can show that a claim adds nothing to it: every word that means
something stands in one sentence or in two that follow one another, in itself or in a word that says the same, with the
same numbers, no negation more or less, no opposite, and no word that goes further. Whatever adds a word is for a person
or a stronger model. `supports` and `does not support` are said rather too seldom: a wrong one is worse than none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final

from carerails.contracts import ChoiceAnswer, Locale
from carerails.drafting.sentences import sentences
from carerails.drafting.words import words
from carerails.knowledge.medicines import Medicines, load_medicines
from carerails.knowledge.words import stem
from carerails.screening.claim_words import ONE_OF, SAME, TOO_FAR
from carerails.screening.evidence import Quantity, disagreements, read, rooted, strange_numbers

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
#: Units of time: a number of one is not that number of another.
_TIMES: Final[Mapping[Locale, str]] = {
    "en": "minute minutes hour hours day days week weeks month months year years",
    "es-419": "minuto minutos hora horas dia dias semana semanas mes meses ano anos",
    "pt-BR": "minuto minutos hora horas dia dias semana semanas mes meses ano anos",
}
#: Pronouns that hang on a verb: `tragala` is `traga`.
_HANGING: Final = ("las", "los", "les", "la", "lo", "le", "se", "me", "te")

#: Probabilities of `supports`, `does not support`, `cannot tell`. Set by hand: they order the verdicts, no more.
_VERDICTS: Final[Mapping[str, tuple[float, float, float]]] = {
    "verbatim": (0.98, 0.01, 0.01),
    "nothing-added": (0.86, 0.06, 0.08),
    "words-added": (0.3, 0.2, 0.5),
    "little-shared": (0.05, 0.85, 0.1),
    "number": (0.03, 0.94, 0.03),
    "medicine": (0.03, 0.94, 0.03),
    "negation": (0.05, 0.9, 0.05),
    "opposite": (0.05, 0.9, 0.05),
    "another": (0.05, 0.9, 0.05),
    "quantifier": (0.06, 0.86, 0.08),
    "duty": (0.06, 0.86, 0.08),
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
    said = [sentence.text for sentence in sentences(cited)]
    if not said:
        return "nothing-cited"
    if words(claim) in [words(text) for text in said]:
        return "verbatim"
    made, whole = read(claim, locale), read(cited, locale)
    if strange_numbers(made, whole) or _other_times(made.quantities, whole.quantities, locale):
        return "number"
    if _names_another_medicine(claim, cited):
        return "medicine"
    doubts = False
    for text in said:
        shared = 1 - len(_added(claim, text, locale)) / max(1, len(_weighty(claim, locale)))
        differing = _differing(claim, text, cited, locale) if shared >= _SAME else ()
        if differing and (shared >= _ALIKE or differing[0] == "another"):
            return differing[0]
        doubts = doubts or bool(differing)
    if len(_added(claim, cited, locale)) > (1 - _LITTLE) * len(_weighty(claim, locale)):
        return "little-shared"
    sound = any(
        not _added(claim, text, locale) and not _denied_otherwise(claim, text, locale) for text in _windows(said)
    )
    return "nothing-added" if sound and not doubts else "words-added"


def _differing(claim: str, text: str, cited: str, locale: Locale) -> Sequence[str]:
    """How a claim and a sentence about the same differ."""
    kinds = list(disagreements(read(claim, locale), read(text, locale)))
    made, said, known = set(words(claim)), set(words(text)), set(words(cited))
    if any(_is_another(word, made, said, known, locale) for word in made):
        kinds.append("another")
    for kind, (further, less) in TOO_FAR.items():
        if made & further[locale] and not said & further[locale] and said & less[locale] and not made & less[locale]:
            kinds.append(kind)
    return kinds


def _is_another(word: str, made: set[str], said: set[str], known: set[str], locale: Locale) -> bool:
    """Whether a word is one of several where the sentence has another one, which the claim does not have."""
    if word not in ONE_OF[locale] or word in known:
        return False
    group, place = ONE_OF[locale][word]
    places = {ONE_OF[locale][each][1] for each in said if ONE_OF[locale].get(each, (-1, 0))[0] == group}
    own = {ONE_OF[locale][each][1] for each in made if ONE_OF[locale].get(each, (-1, 0))[0] == group}
    return bool(places) and place not in places and not places & own


def _other_times(made: Sequence[Quantity], said: Sequence[Quantity], locale: Locale) -> bool:
    """Whether a number counts days where the text has that number of weeks, and not of days."""
    times = {stem(word, locale) for word in _TIMES[locale].split()}
    for one in (each for each in made if each.unit in times):
        units = {each.unit for each in said if each.value == one.value and each.unit in times}
        if units and one.unit not in units:
            return True
    return False


def _names_another_medicine(claim: str, cited: str) -> bool:
    """Whether a claim names a medicine that its text does not, which names one too."""
    names = {word for word in words(cited) if _medicines().is_name(word)}
    strange = [word for word in words(claim) if _medicines().is_name(word) and word not in names]
    return bool(names) and any(not any(word[:5] == name[:5] for name in names) for word in strange)


def _denied_otherwise(claim: str, text: str, locale: Locale) -> bool:
    """Whether one denies a word that the other has, also in a word that says the same, and the other denies nothing."""
    made, said = read(claim, locale).negated, read(text, locale).negated
    if bool(made) == bool(said):
        return False
    denying, denied, other = (claim, made, text) if made else (text, said, claim)
    own = [word for word in words(denying) if _forms(word, locale) & denied]
    return any(_same(word, each, locale) for word in own for each in words(other))


def _same(one: str, other: str, locale: Locale) -> bool:
    """Whether two words are forms of one, or say the same."""
    alike = SAME[locale].get(one, frozenset()) & SAME[locale].get(other, frozenset())
    return bool(alike or _forms(one, locale) & _forms(other, locale))


def _added(claim: str, text: str, locale: Locale) -> set[str]:
    """Words of a claim that mean something and stand in the text neither themselves nor in another form or word."""
    known = set(words(text))
    return {word for word in _weighty(claim, locale) if not any(_same(word, each, locale) for each in known)}


@cache
def _medicines() -> Medicines:
    return load_medicines()


def _weighty(claim: str, locale: Locale) -> set[str]:
    stems = _LIGHT_STEMS[locale]
    roots = {word: rooted(word, locale) for word in words(claim) if not word.isdigit()}
    return {word for word, root in roots.items() if root and root not in stems}


@lru_cache(maxsize=20_000)
def _forms(word: str, locale: Locale) -> frozenset[str]:
    """Its stem, and that of what it is without a pronoun."""
    bare = next((word[: -len(end)] for end in _HANGING if word.endswith(end) and len(word) - len(end) >= 4), word)
    return (
        frozenset((stem(word, locale), stem(bare, locale))) if locale == "es-419" else frozenset((stem(word, locale),))
    )


def _windows(said: Sequence[str]) -> list[str]:
    """Each sentence, each two that follow one another, and each beside the first, which may be the title."""
    pairs = [f"{one}\n{other}" for one, other in pairwise(said)]
    return [*said, *pairs, *(f"{said[0]}\n{text}" for text in (*said[2:], *pairs[1:]))]


_LIGHT_STEMS: Final = {
    locale: frozenset(stem(word, locale) for word in listed.split()) for locale, listed in _LIGHT.items()
}
