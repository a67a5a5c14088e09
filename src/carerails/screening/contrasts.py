"""The words by which two texts are seen to disagree, in every locale: folded, as `normalise` leaves them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from carerails.contracts import Locale

_NOT: Final[Mapping[Locale, str]] = {
    "en": "not no never cannot without neither nor none nothing nobody hardly "
    "don't doesn't didn't isn't aren't wasn't weren't can't couldn't won't wouldn't shouldn't mustn't needn't",
    "es-419": "no nunca jamas ni sin tampoco nada nadie ningun ninguna evita evite evitar",
    "pt-BR": "nao nunca jamais nem sem nada ninguem nenhum nenhuma evite evita evitar",
}
#: What they stand beside is as good as denied, on either side.
_BAD: Final[Mapping[Locale, str]] = {"en": "bad wrong", "es-419": "mal mala malo", "pt-BR": "mau ma ruim"}
#: Words that end what a negation reaches.
_BUT: Final[Mapping[Locale, str]] = {
    "en": "but unless except because so if when",
    "es-419": "pero salvo excepto porque si cuando sino",
    "pt-BR": "mas salvo exceto porque se quando senao",
}
#: How a clause begins that asks and states nothing. `Como` without an accent may be `since`, so it does not count.
_ASKING: Final[Mapping[Locale, str]] = {
    "en": "can|could|may|should|shall|must|will|would|do|does|did|is|are|was|were|has|have|what|which|where|when|who"
    "|whose|why|how|any|so (?:can|what|which|where|when|how|is|do|should)",
    "es-419": "¿.*|qué|cuál|cuáles|dónde|cuándo|cómo|por qué|quién|cuánto|que hago|donde|(?:con|en) (?:qué|que)",
    "pt-BR": "o que|qual|quais|onde|quando|por que|quem|quanto|será que|é verdade|como faço|(?:com|em) (?:que|qual)"
    "|então (?:posso|qual|onde)",
}
#: Beginnings that ask only at the end of a question: `Posso amassar, com qual colher?` states that one may.
_MAY_ASK: Final[Mapping[Locale, str]] = {
    "en": "(?!)",
    "es-419": "se puede|puedo|puede|podría|hay|es",
    "pt-BR": "posso|pode|poderia|dá para|dá pra|tem como|tem|é",
}
#: Opposites; words of one side are parted by blanks. A text with words of both sides is on neither.
_OPPOSITES: Final[Mapping[Locale, tuple[tuple[str, str], ...]]] = {
    "en": (
        ("before", "after afterwards"),
        ("below under less fewer", "above over more"),
        ("food meal meals", "fasting empty"),
        ("dry", "humid damp wet"),
        ("raise raises increase increases more", "lower lowers reduce reduces decrease decreases"),
        ("open opened", "unopened closed sealed"),
        ("fridge refrigerator", "freezer"),
        ("always", "never"),
        ("safe", "unsafe dangerous harmful"),
        ("morning", "evening night"),
        ("hot warm heat", "cold cool"),
        ("hand carry", "checked hold"),
        ("start begin", "stop end"),
        ("strengthen strengthens stronger", "weaken weakens weaker"),
        ("common often usual", "rare rarely unusual"),
        ("later", "earlier sooner"),
        ("first", "last"),
        ("left", "right"),
        ("full", "empty"),
        ("whole", "crushed broken halved"),
        ("slower slowly", "faster quickly"),
    ),
    "es-419": (
        ("antes", "despues luego"),
        ("menos debajo", "mas encima"),
        ("comida comidas alimentos", "ayunas vacio"),
        ("seco seca", "humedo humeda humedad"),
        ("sube suben subir aumenta aumentar", "baja bajan bajar reduce reducir disminuye"),
        ("abierto abierta abiertas abiertos", "cerrado cerrada cerradas sin-abrir"),
        ("heladera refrigerador nevera refrigeradora", "congelador freezer"),
        ("siempre", "nunca jamas"),
        ("seguro segura seguros seguras", "peligroso peligrosa danino inseguro"),
        ("manana", "noche"),
        ("calor caliente", "frio fria fresco"),
        ("mano", "despachada bodega"),
        ("empezar", "dejar parar suspender"),
        ("fortalecer fortalece refuerza", "debilitar debilita"),
        ("comun frecuente", "raro rara infrecuente"),
        ("primero primera", "ultimo ultima"),
        ("izquierdo izquierda", "derecho derecha"),
        ("entera entero", "triturada partida molida"),
        ("lento despacio", "rapido"),
    ),
    "pt-BR": (
        ("antes", "depois apos"),
        ("menos abaixo", "mais acima"),
        ("comida refeicao refeicoes alimentos", "jejum vazio"),
        ("seco seca", "umido umida umidade"),
        ("aumenta aumentar sobe subir", "diminui diminuir reduz reduzir baixa baixar"),
        ("aberto aberta abertos abertas", "fechado fechada fechados fechadas"),
        ("geladeira", "congelador freezer"),
        ("sempre", "nunca jamais"),
        ("seguro segura", "perigoso perigosa inseguro"),
        ("manha", "noite"),
        ("calor quente", "frio fria fresco"),
        ("mao", "despachada porao"),
        ("comecar", "parar suspender"),
        ("fortalecer fortalece", "enfraquecer enfraquece"),
        ("comum frequente", "raro rara incomum"),
        ("primeiro primeira", "ultimo ultima"),
        ("esquerdo esquerda", "direito direita"),
        ("inteiro inteira", "amassado partido"),
        ("devagar lento", "rapido depressa"),
    ),
}
_NUMBERS: Final[Mapping[Locale, str]] = {
    "en": "half two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen",
    "es-419": "media dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince",
    "pt-BR": "meia dois tres quatro cinco seis sete oito nove dez onze doze treze catorze quinze",
}
_ALSO: Final = {"medio": 0.5, "meio": 0.5, "duas": 2.0, "quatorze": 14.0} | {
    word: value
    for value, words in (
        (20.0, "twenty veinte vinte"),
        (24.0, "veinticuatro"),
        (30.0, "thirty treinta trinta"),
        (40.0, "forty cuarenta quarenta"),
        (50.0, "fifty cincuenta cinquenta"),
        (60.0, "sixty sesenta sessenta"),
        (90.0, "ninety noventa"),
        (100.0, "hundred cien cem"),
    )
    for word in words.split()
}
#: May stand between a number and what it counts: `half an hour`.
BETWEEN: Final = frozenset(("a", "an", "de"))
#: `below 25 degrees` agrees with 20 and `at least 8 hours` with 9.
AT_MOST: Final = frozenset(
    ["below", "under", "within", "most", "menos", "abaixo", "maximo", "ate", "hasta", "debajo", "up"]
)
AT_LEAST: Final = frozenset(["above", "over", "least", "mas", "acima", "minimo", "mais", "more"])


def _table(words: Mapping[Locale, str]) -> dict[Locale, frozenset[str]]:
    return {locale: frozenset(listed.split()) for locale, listed in words.items()}


#: Words that deny what follows.
NEGATIONS: Final = _table(_NOT)
#: Words that end what a negation reaches.
TURNS: Final = _table(_BUT)
#: Words that deny what stands beside them.
BADS: Final = _table(_BAD)
#: Pairs of opposites.
PAIRS: Final = {
    locale: [(frozenset(left.split()), frozenset(right.split())) for left, right in pairs]
    for locale, pairs in _OPPOSITES.items()
}
#: Beginnings of clauses that only ask.
ASKS: Final = {locale: re.compile(rf"(?:{listed})(?!\w)", re.IGNORECASE) for locale, listed in _ASKING.items()}
#: Beginnings of last clauses that only ask.
ASKS_LAST: Final = {locale: re.compile(rf"(?:{listed})(?!\w)", re.IGNORECASE) for locale, listed in _MAY_ASK.items()}
#: Numbers in words.
VALUES: Final[Mapping[Locale, Mapping[str, float]]] = {
    locale: _ALSO | {word: 0.5 if at == 0 else at + 1.0 for at, word in enumerate(listed.split())}
    for locale, listed in _NUMBERS.items()
}
