"""Names, addresses and dates of birth: they have no shape of their own, so only the words before them give them away.

A name is what follows `my name is` and its like, whatever its capitals; after a short cue (`soy`, `sou`, `Dr.`) only
what has capitals, because `soy diabetico` is medicine talk.
"""

from __future__ import annotations

from carerails.privacy.finders import Finder, any_of, pattern, up_to

#: White space, but no line break: nobody's name and no street goes on in the next line.
_GAP = r"[^\S\n]"
_PARTICLE = any_of("de | da | do | dos | das | del | la | las | los | van | von")

#: No name, wherever a name could stand: small words, and what people say of themselves.
_NO_NAME = any_of(
    "not | no | nao | on | in | at | the | a | an | el | la | los | las | un | una | o | os | as | um | uma | what | "
    "that | this | it | is | and | i | i'm | y | yo | e | eu | mas | pero | but | or | ou | so | que | de | da | do "
    "| my | mi | meu | take | taking | taken | toma | tomo | tomando | have | tengo | tenho | need | necesito | "
    "preciso | want | quiero | quero | use | uso | usa | was | am | estoy | estou | soy | sou | vivo | moro | live | "
    "from | for | para | por | with | con | com | can | could | does | how | como | when | cuando | quando | where | "
    "donde | onde | if | si | se | desde | since | me | te | your | tu | su | sua | very | muy | muito | also | "
    "tambien | tambem | please | porque | because | pregnant | confidential | important"
)
_ANY_WORD = rf"(?! {_NO_NAME} \b ) [^\W\d_] [\w'-]*"
_ANY_NAME = rf"(?P<it> {_ANY_WORD} (?: {_GAP} (?: {_PARTICLE} {_GAP} ){{0,2}} {_ANY_WORD} ){{0,3}} )"
_RELATION = {
    "en": any_of("son | daughter | wife | husband | partner | mother | mom | mum | father | dad | brother | sister"),
    "es": any_of("hijo | hija | esposo | esposa | marido | pareja | mama | madre | papa | padre | hermano | hermana"),
    "pt": any_of("filho | filha | esposo | esposa | marido | mulher | mae | pai | irmao | irma"),
}
_SAYS_NAME = any_of(
    "my name is | my name's | my full name is | my real name is | me llamo | mi nombre es | mi nombre completo es | "
    "me chamo | meu nome e | meu nome completo e | (?:full|patient|patient's) name : | nombre completo :"
    f"| nome completo : | my {_RELATION['en']}'s name is | my {_RELATION['en']} is (?:called|named) "
    f"| mi {_RELATION['es']} se llama | (?:meu|minha) {_RELATION['pt']} se chama".replace(" :", r"\s*:")
)

_TITLE = r"[A-Z][a-z'-]+ (?: [A-Z][a-z]+ )? (?! \w )"
_CAPITALS = rf"{_TITLE} (?: {_GAP} (?: {_PARTICLE} {_GAP} ){{0,2}} {_TITLE} ){{0,4}}"
#: What people are, with a capital letter by chance: `Soy Diabetica`, `Sou Enfermeira`.
_NO_SELF = any_of(
    "Diab | Hipert | Hypert | Alerg | Allerg | Asm | Pacient | Patient | Doctor | Medic | Enferm | Madre | Padre | "
    "Mam | Pap | Hij | Espos | Mujer | Hombre | Mulher | Homem | Mae | Pai | Filh | Nuev | Nov | Muy | Muito | Cardi "
    "| Celi | Epil | Tak | On | Not"
)
_SELF = rf"(?! {_NO_SELF} )"
_SHORT_CUE = r"\b (?: [Ss]oy | [Ss]ou | [Aa]qui \s (?: es | e | habla | fala ) ) \s (?: (?: el | la | o | a ) \s )?"
_I_AM = r"\b I (?: 'm | \s am ) \s"
_HONORIFIC = r"\b (?: Dra? | Sra? | Srta | Mrs? | Ms | Profa? | Don | Dona ) \.? \s"

_MONTH = any_of(
    "jan | feb | mar | apr | may | jun | jul | aug | sep | oct | nov | dec | ene | abr | ago | dic | fev | mai | set "
    "| out | dez"
)
_DATE = rf"""(?: \d{{1,2}} [./-] \d{{1,2}} [./-] (?: \d{{4}} | \d{{2}} ) | \d{{4}} - \d{{1,2}} - \d{{1,2}}
    | \d{{1,2}} (?: st | nd | rd | th | o )? \s (?: of \s | de \s )? {_MONTH} [a-z]* ,? \s (?: del? \s )? \d{{2,4}}
    | {_MONTH} [a-z]* \s \d{{1,2}} (?: st | nd | rd | th )? ,? \s \d{{2,4}}
    | (?: 19 | 20 ) \d{{2}} ) (?! \w | [./-]\d )"""
_BORN = any_of(
    r"born | dob | d\.o\.b\.? | date of birth | birth ?date | birthday | naci | nacio | fecha de nacimiento "
    "| cumpleanos | nasci | nasceu | data de nascimento | nascimento | aniversario"
)
_WHEN = up_to(3, r"is\b | was\b | on\b | in\b | es\b | el\b | en\b | e\b | em\b | no dia\b | el dia\b | dia\b | : | -")

_ADDRESS_IS = any_of(
    r"my address is | my home address is | (?:home|mailing)?\s*address\s*: | mi direccion es | direccion\s*: "
    r"| domicilio\s*: | meu endereco e | endereco\s*:"
)
_TO_ITS_END = r"""\s* (?P<it> [^\s<;!?] [^<;!?\n]{2,90}? )
    (?= \.\s | \.?$ | [<;!?\n] | ,? \s (?: and | but | y | e | pero | mas ) \s )"""
_FLAT = (
    r"(?: ,? [ ] (?i: apt | apartment | unit | suite | depto | departamento | piso | apto | bloco ) \.? \s? \w{1,5} )?"
)
_NUMBERED = rf"(?<! [\w.,/] ) \d{{1,6}} {_GAP} (?: [A-Z0-9] [\w.'-]* {_GAP} ){{1,4}}"
_STREET_EN = any_of(
    "Street | St | Avenue | Ave | Road | Rd | Lane | Ln | Drive | Boulevard | Blvd | Court | Place | Terrace | Highway"
)
_STREET = any_of(
    r"calle | avenida | av\.? | carrera | cra\.? | jiron | pasaje | rua | alameda | travessa | praca | rodovia "
    "| diagonal | transversal"
)
#: `calle me duele` is no address, and neither is `calle y camino 30 minutos`.
_NO_STREET = any_of("me | te | se | no | nao | que | por | y | e | durante | cada | todos | todas | ha | hace | faz")
_STREET_NAME = rf"(?! {_NO_STREET} \s ) (?: [^\W\d_] [\w.'-]* {_GAP} ){{0,4}} [^\W\d_] [\w.'-]*"
_MEASURES = any_of("mg | ml | veces | vezes | dias | horas | minutos | min | anos | semanas | km | metros | cuadras")
_HOUSE = rf"{_GAP}? ,? {_GAP}? (?: n[o°]?\.? \s? | \# \s? )? \d{{1,5}} \b (?! \s* {_MEASURES} \b )"
_CORNER = r"\d{1,3} [a-z]? \s (?: \# | no\.? | n[o°]\.? | con ) \s? \d{1,3} [a-z]? (?: \s? - \s? \d{1,3} )?"
_POSTCODE = r"(?P<it> \d{5} (?: -? \d{3,4} )? ) \b"

CUES = (
    Finder("NAME", pattern(rf"\b {_SAYS_NAME} \s+ {_ANY_NAME}"), 0.9),
    Finder("NAME", pattern(rf"{_SHORT_CUE} (?P<it> {_SELF} {_CAPITALS} )", capitals=True), 0.85),
    Finder("NAME", pattern(rf"{_HONORIFIC} (?P<it> {_CAPITALS} )", capitals=True), 0.85),
    Finder("NAME", pattern(rf"{_I_AM} (?P<it> {_SELF} {_TITLE} {_GAP} {_TITLE} )", capitals=True), 0.8),
    Finder("DATE_OF_BIRTH", pattern(rf"\b {_BORN} {_WHEN} (?P<it> {_DATE} )"), 0.97),
    Finder("ADDRESS", pattern(rf"\b {_ADDRESS_IS} {_TO_ITS_END}"), 0.8),
    Finder("ADDRESS", pattern(rf"{_NUMBERED} {_STREET_EN} \b \.? {_FLAT}", capitals=True), 0.8),
    Finder("ADDRESS", pattern(rf"\b {_STREET} \s {_STREET_NAME} {_HOUSE} {_FLAT}"), 0.8),
    Finder("ADDRESS", pattern(rf"\b {_STREET} \s {_CORNER}"), 0.8),
    Finder("ADDRESS", pattern(rf"\b (?: zip | zip \s code | cep | codigo \s postal ) {_WHEN} {_POSTCODE}"), 0.8),
)
