"""The words by which a claim is held against a text, in every locale: folded, as `normalise` leaves them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from carerails.contracts import Locale

#: Words of which a text means one and not another; a claim with another one of a group says something else.
_ONE_OF: Final[Mapping[Locale, tuple[str, ...]]] = {
    "en": (
        "fridge refrigerator|freezer|cupboard drawer|bathroom|car|pocket|room",
        "water|milk|juice|coffee|tea|alcohol beer wine",
        "arm|belly stomach|thigh|leg|back|buttock",
        "eye|ear|nose|mouth",
        "morning breakfast|noon lunch|evening dinner|bedtime",
        "monday|tuesday|wednesday|thursday|friday|saturday|sunday",
        "doctor|pharmacist|nurse|dentist",
    ),
    "es-419": (
        "heladera refrigerador nevera|congelador freezer|cajon|bano|auto|bolsillo|ambiente",
        "agua|leche|jugo|cafe|te|alcohol cerveza vino",
        "brazo|panza abdomen|muslo|pierna|espalda|nalga",
        "ojo ojos|oido oidos|nariz|boca",
        "manana desayuno|mediodia almuerzo|noche cena",
        "lunes|martes|miercoles|jueves|viernes|sabado|domingo",
        "medico doctor|farmaceutico farmaceutica|enfermera|dentista",
    ),
    "pt-BR": (
        "geladeira|congelador freezer|gaveta armario|banheiro|carro|bolso|ambiente",
        "agua|leite|suco|cafe|cha|alcool cerveja vinho",
        "braco|barriga abdomen|coxa|perna|costas|nadega",
        "olho olhos|ouvido ouvidos|nariz|boca",
        "manha|almoco|noite jantar",
        "segunda|terca|quarta|quinta|sexta|sabado|domingo",
        "medico doutor|farmaceutico farmaceutica|enfermeira|dentista",
    ),
}
#: Words that say the same here; forms of one word are told by their stems.
_SAME: Final[Mapping[Locale, tuple[str, ...]]] = {
    "en": (
        "keep kept store stored stay stays stand stands",
        "discard discarded throw thrown away dispose disposed",
        "frozen freeze freezing freezes",
        "people person patients anyone who",
        "phone call ring",
        "roughly about around approximately",
        "each every",
        "place places spot site",
        "change changed changing another new different",
        "put goes apply applied set",
        "most many majority",
        "improve better improvement",
        "taken take took swallow swallowed",
        "tablet pill",
        "need needs needed require requires",
        "trip travel journey",
        "finish end ends stop",
        "begin start starts beginning",
        "pharmacy chemist",
        "prior before earlier",
        "once after afterwards",
        "each every",
        "should must need needs",
    ),
    "es-419": (
        "guardar guarda guardan va van conserva queda",
        "tirar tira tiran desechar desecha descarta",
        "congela congelar congelado",
        "gente mayoria persona personas quien muchos mucha",
        "llama llamar hablar habla",
        "falta necesita necesitan hace hacen precisa",
        "lugar sitio punto",
        "cambia cambiar otro otra nuevo nueva",
        "pon poner pone va",
        "mejor mejora mejoras mejorar",
        "traga tragar tragala trague tomar toma",
        "tableta pastilla comprimido",
        "remedio remedios medicamento medicina",
        "viaje viajes viajar viajes",
        "heladera refrigerador nevera",
        "llena llenar llenalo llenar",
        "sirve funciona es",
        "seca seco secas",
        "avisale dile decile cuentale",
    ),
    "pt-BR": (
        "guarde guarda guardar fica ficam va vai conserva",
        "jogue jogar fora descarte descartado descarta",
        "congele congelado congelar",
        "gente maioria pessoa pessoas quem muita muitas usa",
        "ligue ligar fale falar telefone",
        "preciso precisa necessario",
        "lugar ponto local",
        "mude muda mudar outro outra novo nova troque",
        "coloque ponha vai aplique",
        "melhor melhora melhorar",
        "engula engolido engolir tome tomado tomar",
        "comprimido tablete",
        "remedio remedios medicamento",
        "viagem viajar",
        "encha enchida encher",
        "serve funciona",
        "avise conte diga",
    ),
}
_ALL: Final[Mapping[Locale, str]] = {
    "en": "all every everybody everyone always entirely completely only",
    "es-419": "todos todas siempre todo toda totalmente solo cualquier",
    "pt-BR": "todos todas sempre todo toda totalmente so qualquer",
}
_SOME: Final[Mapping[Locale, str]] = {
    "en": "some most many several certain often usually sometimes few rarely",
    "es-419": "algunos algunas mayoria muchos muchas mucha varios varias ciertos ciertas veces pocos poca",
    "pt-BR": "alguns algumas maioria muitos muitas muita varios varias certos certas vezes poucos pouca",
}
_MUST: Final[Mapping[Locale, str]] = {
    "en": "must has have needs required only",
    "es-419": "debe deben tiene tienen hay obligatorio",
    "pt-BR": "deve devem tem precisa obrigatorio",
}
_MAY: Final[Mapping[Locale, str]] = {
    "en": "may can could might either",
    "es-419": "puede pueden podria puedes",
    "pt-BR": "pode podem poderia",
}


def _sets(words: Mapping[Locale, str]) -> dict[Locale, frozenset[str]]:
    return {locale: frozenset(listed.split()) for locale, listed in words.items()}


#: Words of all, of some, of duty and of leave: a claim that says the first where its text says the second goes too far.
TOO_FAR: Final = {
    "quantifier": (_sets(_ALL), _sets(_SOME)),
    "duty": (_sets(_MUST), _sets(_MAY)),
}
#: By locale, of each word of a group: the group's number and the word's place in it.
ONE_OF: Final = {
    locale: {
        word: (number, place)
        for number, group in enumerate(groups)
        for place, words in enumerate(group.split("|"))
        for word in words.split()
    }
    for locale, groups in _ONE_OF.items()
}
#: By locale, of each word the numbers of the groups that it belongs to.
SAME: Final[Mapping[Locale, Mapping[str, frozenset[int]]]] = {
    locale: {
        word: frozenset(number for number, group in enumerate(groups) if word in group.split())
        for word in {word for group in groups for word in group.split()}
    }
    for locale, groups in _SAME.items()
}
