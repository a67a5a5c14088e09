"""The reply is written in the user's language: all of it, and every sentence of it.

Small words give a language away, and no medicine is one. Those that two languages share say nothing; a sentence with
too few of them is left alone. Languages that are not served are known too: a reply may slip into any.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from carerails.contracts import Exchange, Locale, Objection, Reply
from carerails.drafting.sentences import sentences
from carerails.output.checks.own import body, unmarked
from carerails.output.settings import OutputSettings

#: The small words of each language, folded; a word of several languages stands in each of them.
_WORDS: Final[dict[str, str]] = {
    "en": """the and of to is are was were be been have has had this that these those with for from you your it its
        they their them what which who when where how why not but or if then than can could will would should
        may might must do does did about into over after before because while there here also very more most
        some any each every other it's don't you're that's i'm we our my me he she his her at by an a as so on
        no in keep ask help take time day i pharmacist leaflet doctor medicine tablet dose""",
    "es-419": """el los las un una unos unas del de la al y o e u pero porque que quien cuando donde como con por para
        sin sobre hasta desde entre es son esta estan fue ser hay tiene tienes tienen puede puedes pueden tu tus
        su sus usted ustedes te le les lo se me mi mis yo nosotros ellos ellas este esto ese eso esa muy mas
        tambien siempre nunca ya aqui alli cada otro otra otros otras todo todos toda todas si no antes despues
        mientras medico hora horas dia dias pregunta ayuda guarda hacer dos da va a en ha he era sea asi poco
        mucho algo nada aunque luego farmacia prospecto pastilla pastillas consulta tomas toma""",
    "pt-BR": """o os a as um uma uns umas do da dos das de no na nos nas ao aos em e mas porque que quem quando onde
        como com por para pelo pela pelos pelas sem sobre ate desde entre sao esta estao foi ser ha tem voce
        voces pode podem seu sua seus suas te me se lhe meu minha eu eles ela ele este esta isto isso esse essa
        muito mais tambem sempre nunca ja aqui ali cada outro outra outros outras todo todos toda todas nao sim
        antes depois enquanto medico hora horas dia dias pergunte ajuda guarde fazer dois duas vai era seja
        assim pouco algo nada so la ir farmacia bula remedio comprimido comprimidos consulta toma tome sono""",
    "fr": """le les un une des du de la au aux et mais ou que parce qui quand comment avec pour sans sur dans en est
        sont vous votre vos nous notre il elle ils ce cette ces ne pas plus tres aussi toujours jamais etre
        avoir peut pouvez a on se me te son""",
    "it": """il lo la gli le un uno una di del della dei delle al alla e ma che perche chi quando dove come con per
        senza sono sei tuo tua suo sua questo questa non piu molto anche sempre mai puo puoi essere avere nel
        nella si no a in o se me te ti""",
    "de": """der die das den dem ein eine einen und oder aber weil dass wer wann wo wie mit ohne auf aus bei nach von
        zu ist sind war sie ihr ihre wir nicht mehr sehr auch immer nie kann konnen haben sein in es so am was
        will""",
}
#: Spellings that one language alone has; each counts as a word of it.
_SPELLINGS: Final[dict[str, re.Pattern[str]]] = {
    "es-419": re.compile(r"[¿¡ñ]|(?:ción|ciones|dad|dades|aje|illas?|ías?)\b"),
    "pt-BR": re.compile(r"[ãõç]|(?:ção|ções|dade|dades|agem|nh[oa]s?|lh[oa]s?|ável)\b"),
    "en": re.compile(r"\w(?:ing|tion|ness)\b|'(?:s|t|re|ll)\b"),
}


def _distinct() -> dict[str, str]:
    """Each word that one language alone has, with that language."""
    owners: dict[str, set[str]] = {}
    for language, words in _WORDS.items():
        for word in words.split():
            owners.setdefault(word, set()).add(language)
    return {word: next(iter(languages)) for word, languages in owners.items() if len(languages) == 1}


_OWNER: Final = _distinct()
_LETTERS: Final = re.compile(r"[a-z]+(?:'[a-z]+)?")
#: A sentence needs this many small words of another language, and that many more than of its own, to be called foreign.
_FEWEST, _LEAD = 2, 2
#: Other alphabets: words in them, and words in all.
_FOREIGN: Final = re.compile(r"[^\W\d_]+")


def language(reply: Reply, exchange: Exchange, settings: OutputSettings) -> Iterator[Objection]:
    """`wrong-language`, with the languages."""
    text = body(reply.text, exchange)
    found = [one.text for one in sentences(text)]
    others = dict.fromkeys(other for part in (*found, unmarked(text)) if (other := foreign(part, exchange.locale)))
    if others:
        yield Objection(check="language", reason="wrong-language", terms=tuple(others))


def foreign(text: str, locale: Locale) -> str | None:
    """The language that a text is in, where it is not the locale's; None also where nothing tells."""
    words = _FOREIGN.findall(text)
    if sum(not _latin(word) for word in words) * 2 > len(words):
        return "other-alphabet"
    counts: dict[str, int] = {}
    for word in _LETTERS.findall(_folded(text)):
        owner = _OWNER.get(word)
        if owner:
            counts[owner] = counts.get(owner, 0) + 1
    for name, spelling in _SPELLINGS.items():
        counts[name] = counts.get(name, 0) + len(spelling.findall(text.lower()))
    own = counts.pop(locale, 0)
    other = max(counts, key=lambda name: counts[name], default=None)
    if other is None or counts[other] < max(_FEWEST, own + _LEAD):
        return None
    return other


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKD", text.replace("’", "'")).encode("ascii", "ignore").decode().lower()


def _latin(word: str) -> bool:
    return unicodedata.normalize("NFKD", word[0])[0].isascii()
