"""Telephone numbers: what `phonenumbers` takes for valid in the regions we serve, and digits after a word for phone.

Medicine talk is full of digits that some region could dial. Without a word for phone before it, a candidate is left
alone when it is a date or times of day, when a unit follows it, and when the text before it speaks of readings, lots or
codes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from carerails.privacy.finders import Finder, Span, any_of, pattern, up_to

REGIONS = ("US", "BR", "MX", "AR", "CO", "CL", "PE")

#: Fewer digits than this is no telephone number anywhere in REGIONS.
_FEWEST_DIGITS = 7
#: Characters before a candidate in which a word about readings counts.
_LOOK_BACK = 60

_DATE = re.compile(r"\d{1,2}[-/. ]\d{1,2}[-/. ](?:\d{4}|\d{2})(?:\D.*)?|\d{4}[-/. ]\d{1,2}[-/. ]\d{1,2}(?:\D.*)?")
_TIMES = re.compile(r"(?:\d{1,2}[.:]\d{2}\D*)+")
_UNITS = any_of(
    "mg | mcg | ug | g | kg | lbs? | ml | l | units? | u | ui | iu | unidades | tablets? | pills? | pastillas | "
    "comprimidos | mmhg | steps | pasos | passos | kcal | calories | calorias | times | veces | vezes"
)
_UNIT = re.compile(rf"\s*(?:%|{_UNITS}\b)", re.IGNORECASE)
_READINGS = any_of(
    "gluco[a-z]* | glicos[a-z]* | glicemias? | glucemias? | sugars? | azucar | acucar | pressures? | pressao | "
    "presion | bp | readings? | lecturas? | medicion[a-z]* | medicao | medicoes | pulse | pulso | hba1c | mg/dl | "
    "ndc | lots? | lotes? | batch | serial | barcode | ean | codigo | imprintcomprimidos?"
)
_READING = re.compile(rf"\b{_READINGS}\b[^.!?\n]*\Z", re.IGNORECASE)

_WORD = any_of(
    "phone | telephone | cell | cellphone | mobile | whats?app | call me | call us | text me | reach me | my number "
    "| tel | telefono | celular | cel | movil | llamame | llameme | llamarme | escribeme | mi numero "
    "| numero de contac?to | fone | telefone | zap | me ligar? | ligar? (?:para|pra) mim | meu numero"
)
_LINKS = up_to(3, r"number | no\.? | numero | is\b | es\b | e\b | eh\b | : | at\b | on\b | to\b | al?\b | en\b | em\b")
_named = pattern(rf"\b {_WORD} \b {_LINKS} (?P<it> [+(]? \d (?: [ ().-]{{0,2}} \d ){{6,14}} ) (?! \w )")


def _valid(text: str) -> Iterator[Span]:
    from phonenumbers import Leniency, PhoneNumberMatcher

    if sum(map(str.isdecimal, text)) < _FEWEST_DIGITS:
        return
    for region in REGIONS:
        for match in PhoneNumberMatcher(text, region, leniency=Leniency.VALID):
            if not _is_medicine_talk(text, match.start, match.end):
                yield match.start, match.end


def _is_medicine_talk(text: str, start: int, end: int) -> bool:
    said = text[start:end]
    if said.startswith("+"):
        return False
    if _DATE.fullmatch(said) or _TIMES.fullmatch(said) or _UNIT.match(text, end):
        return True
    return _READING.search(text[max(0, start - _LOOK_BACK) : start]) is not None


PHONES = (Finder("PHONE", _named, 0.9), Finder("PHONE", _valid, 0.6))
