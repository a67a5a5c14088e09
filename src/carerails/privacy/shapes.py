"""Personal data that has a shape of its own: addresses of machines, and numbers of documents, cards and accounts.

A number counts by its shape where no medicine, date or reading has that shape (`123.456.789-09`), by its checksum where
the shape is just digits, and by the word before it (`DNI 30111222`) where there is neither.
"""

from __future__ import annotations

import ipaddress
import re

from carerails.privacy.finders import Finder, Finds, any_of, pattern, up_to


def _ip(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _cpf(text: str) -> bool:
    from stdnum.br import cpf

    return cpf.is_valid(text)


def _cnpj(text: str) -> bool:
    from stdnum.br import cnpj

    return cnpj.is_valid(text)


def _rut(text: str) -> bool:
    from stdnum.cl import rut

    return rut.is_valid(text)


def _iban(text: str) -> bool:
    from stdnum import iban

    return iban.is_valid(text)


def _card(text: str) -> bool:
    from stdnum import luhn

    digits = re.sub(r"\D", "", text)
    return len(set(digits)) > 1 and luhn.is_valid(digits)


def _alone(number: str) -> str:
    """Not in the middle of a longer number or word."""
    return rf"(?<![\w.,/-]) {number} (?! \w | [.,/-]\d )"


#: After its name: digits with single separators and perhaps letters around them, or short groups of digits.
_NUMBER = r"""(?P<it> [a-z]{0,4} \d (?: [./-]? \d ){4,18} (?: -? [a-z0-9]{1,3} )? | \d{2,4} (?: [ ] \d{2,4} ){1,3} )
    (?! \w )"""
_LINKS = up_to(3, r"number | numero | no\b\.? | n[o°]\.? | num\b\.? | is\b | es\b | e\b | eh\b | : | \# | - | de\b")


def _named(names: str) -> Finds:
    """Finds the number after one of these names."""
    return pattern(rf"\b {any_of(names)} (?! \w ) {_LINKS} {_NUMBER}")


_PROVIDER = any_of("gmail | hotmail | outlook | yahoo | icloud | proton | protonmail | live | uol | bol | terra")
_AT = r"\s* (?: @ | [(\[]? \b (?: at | arroba ) \b [)\]]? ) \s*"
_DOT = r"\s* (?: \. | [(\[]? \b (?: dot | punto | ponto ) \b [)\]]? ) \s*"
_IPV6 = r"(?<! [\w:] ) (?: [0-9a-f]{1,4} :{1,2} ){3,7} [0-9a-f]{0,4} (?! [\w:] )"
_CARD = r"(?: \d{13,19} | \d{4} (?: [ -] \d{4} ){3} | \d{4} [ -] \d{6} [ -] \d{5} )"
_IBAN = r"\b [a-z]{2} \d{2} (?: [ ]? [a-z0-9]{4} ){2,7} (?: [ ]? [a-z0-9]{1,3} )? \b"
_CPF_DIGITS = r"(?: \d{11} | \d{9}-\d{2} | \d{3} [ ] \d{3} [ ] \d{3} [ -] \d{2} )"
_OTHER_NAMES = (
    "passport | pasaporte | passaporte | cedula | cedula de ciudadania | cedula de identidad | rg | ine | nss | "
    "cui[lt] | medicare | member id | patient id | insurance | insurance id | policy | medical record | mrn | cns | "
    "carteirinha | (?:numero|nro\\.?) de (?:afiliad[oa]|soci[oa]|expediente|historia) | obra social | poliza | "
    "historia clinica | prontuario | cartao sus | cartao do sus | driver'?s? licen[cs]e | licencia de conducir | cnh"
)

SHAPES = (
    Finder("EMAIL", pattern(r"[\w.+%'-]{1,64} @ [\w-]{1,63} (?: \. [\w-]{1,63} ){1,8}"), 0.95),
    Finder("EMAIL", pattern(rf"\b [\w.+-]{{2,64}} {_AT} {_PROVIDER} {_DOT} com (?: {_DOT} br )? \b"), 0.95),
    Finder("URL", pattern(r"(?: \b https?:// | \b www\. ) [^\s<>\"]+ [^\s<>\".,;:!?)\]]"), 0.9),
    Finder("IP", pattern(r"(?<! [\w.] ) \d{1,3} (?: \. \d{1,3} ){3} (?! \w | \.\d )", _ip), 0.85),
    Finder("IP", pattern(_IPV6, _ip), 0.85),
    Finder("CARD", pattern(_alone(_CARD), _card), 0.92),
    Finder("IBAN", pattern(_IBAN, _iban), 0.95),
    Finder("CPF", pattern(_alone(r"\d{3} \. \d{3} \. \d{3} - \d{2}")), 0.95),
    Finder("CPF", pattern(_alone(_CPF_DIGITS), _cpf), 0.9),
    Finder("CPF", _named("cpf"), 0.97),
    Finder("CNPJ", pattern(_alone(r"\d{2} \. \d{3} \. \d{3} / \d{4} - \d{2}")), 0.95),
    Finder("CNPJ", pattern(_alone(r"\d{14}"), _cnpj), 0.9),
    Finder("CNPJ", _named("cnpj"), 0.97),
    Finder("RUT", pattern(_alone(r"(?: \d{1,2} \. \d{3} \. \d{3} | \d{7,8} ) - [\dk]"), _rut), 0.9),
    Finder("RUT", _named("rut | run"), 0.97),
    Finder("CURP", pattern(r"\b [a-z]{4} \d{6} [hmx] [a-z]{5} [a-z0-9] \d \b"), 0.95),
    Finder("DNI", _named(r"d\.?n\.?i\.? | documento"), 0.97),
    Finder("SSN", pattern(_alone(r"\d{3} - \d{2} - \d{4}")), 0.95),
    Finder("SSN", _named("ssn | social security"), 0.97),
    Finder(
        "ID", pattern(r"\b (?: rfc ) \b \s* (?: is | es | : )? \s* (?P<it> [a-z&]{3,4} \d{6} [a-z0-9]{3} ) \b"), 0.96
    ),
    Finder("ID", pattern(_alone(r"\d{1,2} \. \d{3} \. \d{3} - [\dkx]")), 0.8),
    Finder("ID", _named(_OTHER_NAMES), 0.96),
)
