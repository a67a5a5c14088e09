"""Where two texts disagree, as far as words can tell: numbers of one unit, negation, and pairs of opposites.

No parser and no model: shared words, and what stands beside them. It finds plain disagreement and misses the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from carerails.contracts import Locale
from carerails.drafting.words import STOP_WORDS
from carerails.knowledge.words import stem
from carerails.text import normalise

#: Words after a negation that it can still reach, within its clause.
_REACH: Final = 4

_TOKEN = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+(?:[.,]\d+)?|[^\sa-z0-9']")
_BREAKS: Final = frozenset(".,;:!?()|")

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
    "en": "can|could|may|should|shall|must|will|would|do|does|did|is|are|was|were|has|have|what|which|where|when|who|whose"
    "|why|how|any|so (?:can|what|which|where|when|how|is|do|should)",
    "es-419": "¿.*|qué|cuál|cuáles|dónde|cuándo|cómo|por qué|quién|cuánto|que hago|donde|con (?:qué|que)|en (?:qué|que)",
    "pt-BR": "o que|qual|quais|onde|quando|por que|quem|quanto|será que|é verdade|como faço|com (?:que|qual)|em (?:que|qual)"
    "|então (?:posso|qual|onde)",
}
#: Beginnings that ask only at the end of a question: `Posso amassar, com qual colher?` states that one may.
_MAY_ASK: Final[Mapping[Locale, str]] = {
    "en": "(?!)",
    "es-419": "se puede|puedo|puede|podría|hay|es",
    "pt-BR": "posso|pode|poderia|dá para|dá pra|tem como|tem|é",
}
_CLAUSES = re.compile(r"(?<!\d),|,(?!\d)|(?<=[.?!;:])\s|\n|\b(?=¿)")
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
    ),
}
_NUMBERS: Final[Mapping[Locale, str]] = {
    "en": "half two three four five six seven eight nine ten eleven twelve",
    "es-419": "media dos tres cuatro cinco seis siete ocho nueve diez once doce",
    "pt-BR": "meia dois tres quatro cinco seis sete oito nove dez onze doze",
}
_ALSO: Final = {"medio": 0.5, "meio": 0.5, "duas": 2.0}
#: `below 25 degrees` agrees with 20 and `at least 8 hours` with 9.
_AT_MOST: Final = frozenset("below under within most menos abaixo maximo ate hasta debajo up".split())
_AT_LEAST: Final = frozenset("above over least mas acima minimo mais more".split())


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number, and the stem of what it counts; `bound` is -1 for at most, 1 for at least."""

    value: float
    unit: str
    bound: int = 0


@dataclass(frozen=True)
class Read:
    """A text as evidence.

    Attributes:
        stems: of its words that mean something, without numbers.
        negated: those of them that a negation reaches.
        sides: of each pair of opposites that it has one side of, which: 0 or 1.
        quantities: its numbers.
    """

    stems: frozenset[str]
    negated: frozenset[str]
    sides: Mapping[int, int]
    quantities: tuple[Quantity, ...]


@lru_cache(maxsize=4_096)
def read(text: str, locale: Locale) -> Read:
    """Read a text. Never raises on any `str`."""
    tokens: list[str] = _TOKEN.findall(normalise(text)[0].text)
    stems: dict[str, None] = {}
    negated: set[str] = set()
    reach = 0
    for token in tokens:
        if token in _NEGATIONS[locale]:
            reach = _REACH
        elif token in _BADS[locale]:
            reach = _REACH
            negated.update(list(stems)[-2:])
        elif token in _BREAKS or token in _TURNS[locale]:
            reach = 0
        elif token[0].isalpha():
            root = rooted(token, locale)
            if root:
                stems[root] = None
                if reach:
                    negated.add(root)
            reach = max(0, reach - (root is not None))
    return Read(frozenset(stems), frozenset(negated), _sides(tokens, locale), tuple(_quantities(tokens, locale)))


def premise(question: str, locale: Locale) -> str:
    """What a question states before it asks: its clauses without those that only ask.

    `I keep it at 40 degrees, is the cupboard fine?` states the first half; `Can I keep it there?` states nothing.
    """
    clauses = [clause.strip() for clause in _CLAUSES.split(question) if clause.strip()]
    stated = [clause for clause in clauses if not _ASKS[locale].match(clause)]
    if stated and stated[-1] == clauses[-1] and _ASKS_LAST[locale].match(clauses[-1]):
        del stated[-1]
    return ". ".join(stated)


def rooted(word: str, locale: Locale) -> str | None:
    """The stem of a word that means something; None for the small words of a language."""
    word = word.partition("'")[0]
    small = len(word) < 3 or word in STOP_WORDS[locale] or word in _VALUES[locale] or word in _NEGATIONS[locale]
    return None if small else stem(word, locale)


def disagreements(one: Read, other: Read) -> tuple[str, ...]:
    """How two texts disagree: `number`, `negation`, `opposite`. None: as far as words can tell, not at all."""
    shared = one.stems & other.stems
    if not shared:
        return ()
    found = {
        "number": _numbers_differ(one.quantities, other.quantities),
        "negation": bool((one.negated ^ other.negated) & shared) and not one.negated & other.negated,
        "opposite": any(other.sides.get(pair, side) != side for pair, side in one.sides.items()),
    }
    return tuple(kind for kind, holds in found.items() if holds)


def strange_numbers(claim: Read, cited: Read) -> bool:
    """Whether a claim names a number that the cited text does not."""
    known = {quantity.value for quantity in cited.quantities}
    return any(quantity.value not in known for quantity in claim.quantities)


def _numbers_differ(ones: Iterable[Quantity], others: tuple[Quantity, ...]) -> bool:
    for one in ones:
        same = [other for other in others if other.unit == one.unit]
        if same and not any(_agree(one, other) for other in same):
            return True
    return False


def _agree(one: Quantity, other: Quantity) -> bool:
    if one.bound == other.bound == 0 or one.bound == other.bound:
        return one.value == other.value
    bounded, free = (one, other) if one.bound else (other, one)
    return free.value <= bounded.value if bounded.bound < 0 else free.value >= bounded.value


def _quantities(tokens: list[str], locale: Locale) -> Iterable[Quantity]:
    for at, token in enumerate(tokens):
        value = _VALUES[locale].get(token)
        if value is None and token[0].isdigit():
            value = float(token.replace(",", "."))
        if value is None:
            continue
        after = [stem(word, locale) for word in tokens[at + 1 : at + 3] if word.isalpha() and word not in ("an", "a", "de")]
        before = set(tokens[max(0, at - 3) : at])
        bound = -1 if before & _AT_MOST else 1 if before & _AT_LEAST else 0
        yield Quantity(value, after[0] if after else "", bound)


def _sides(tokens: list[str], locale: Locale) -> dict[int, int]:
    words = set(tokens)
    sides: dict[int, int] = {}
    for number, (left, right) in enumerate(_PAIRS[locale]):
        held = (bool(words & left), bool(words & right))
        if held[0] != held[1]:
            sides[number] = int(held[1])
    return sides


def _table(words: Mapping[Locale, str]) -> dict[Locale, frozenset[str]]:
    return {locale: frozenset(listed.split()) for locale, listed in words.items()}


_NEGATIONS: Final = _table(_NOT)
_TURNS: Final = _table(_BUT)
_BADS: Final = _table(_BAD)
_PAIRS: Final = {
    locale: [(frozenset(left.split()), frozenset(right.split())) for left, right in pairs]
    for locale, pairs in _OPPOSITES.items()
}
_ASKS: Final = {locale: re.compile(rf"(?:{listed})(?!\w)", re.IGNORECASE) for locale, listed in _ASKING.items()}
_ASKS_LAST: Final = {locale: re.compile(rf"(?:{listed})(?!\w)", re.IGNORECASE) for locale, listed in _MAY_ASK.items()}
_VALUES: Final[Mapping[Locale, Mapping[str, float]]] = {
    locale: _ALSO | {word: 0.5 if at == 0 else at + 1.0 for at, word in enumerate(listed.split())}
    for locale, listed in _NUMBERS.items()
}
