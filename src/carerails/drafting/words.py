"""Words for comparing: lower case, accents folded, and a plain rule for two forms of one."""

from __future__ import annotations

import re

from carerails.contracts import Locale
from carerails.text.fold import FOLD

_WORD = re.compile(r"[^\W_]+")

_STOP: dict[Locale, str] = {
    "en": "a about all am an and any are as at be been but by can could did do does for from get got had has have "
    "her hers him his how i if in into is it its just like me my need not of off on or our please should so some "
    "than that the their them then there these they this those to too up us want was we were what when where which "
    "while who why will with would you your s t m re ve ll d",
    "es-419": "a al algo algun alguna ante antes como con cual cuales cuando cuanto de debo debe del desde donde el "
    "ella ellos en entre era es esa ese eso esta este esto estoy fue ha hace hacer hago hay he la las le les lo los "
    "mas me mi mis mucho muy nada ni no nos o para pero por porque puedo puede que quien quiero se ser si sin sobre "
    "son soy su sus tambien te tengo tener tiene tu tus un una uno unos vos usted y ya yo",
    "pt-BR": "a ao aos algo algum alguma antes as ate com como da das de dela dele devo deve do dos e ela ele eles "
    "em entre era essa esse esta este estou eu faz fazer faco foi ha isso isto ja la mais mas me meu meus minha "
    "minhas muito na nao nas nem no nos o os ou para pela pelo por porque posso pode pra qual quais quando quanto "
    "que quem quero se sem ser seu sua so sobre sou tambem te tem tenho ter um uma uns voce",
}
STOP_WORDS: dict[Locale, frozenset[str]] = {locale: frozenset(text.split()) for locale, text in _STOP.items()}


def words(text: str) -> list[str]:
    """The words of a text, folded: `Cuídate, señor` is `cuidate`, `senor`; `I'm` is `i`, `m`."""
    return _WORD.findall(text.translate(FOLD))


def topic_words(text: str, locale: Locale) -> set[str]:
    """What a text is about: its words without the locale's small words."""
    return {word for word in words(text) if word not in STOP_WORDS[locale] and len(word) > 1}


def alike(one: str, other: str) -> bool:
    """Whether two words are the same or forms of one.

    Forms share at least four letters from the start, and all but the last letter of the shorter one: `store` and
    `storing`, `guardo` and `guardar`, `geladeira` and `geladeiras`; not `insulin` and `insurance`.
    """
    if one == other:
        return True
    need = max(4, min(len(one), len(other)) - 1)
    return one[:need] == other[:need] and len(one) >= need <= len(other)
