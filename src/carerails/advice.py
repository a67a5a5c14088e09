"""Words that neither a card nor a reply may say: a dose, a change of prescription, a diagnosis.

The rails read what a patient asks ("can I take two"); these read what somebody answers ("take two"), on the folded
text. Each pattern begins at the verb, so that a negation in front of it ("do not stop", "nunca dupliques") is seen and
let pass: leaflets say so. Capitals are vocabularies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from carerails.contracts import LOCALES, Locale
from carerails.text import normalise

_VOCABULARY: Final = {
    "AMOUNT": r"(?:[0-9]+(?:[.,][0-9]+)?|one|two|three|four|half(?: an?)?|un[ao]?|dos|tres|cuatro|medi[ao]|uma?|dois"
    r"|duas|quatro|mei[ao])",
    "UNIT": r"(?:m?c?g|ml|units?|unidades|pills?|tablets?|capsules?|drops?|puffs?|dos[ei]s?|spoonfuls?|pastillas?"
    r"|comprimidos?|tabletas?|capsulas?|gotas?|cucharad\w+|colher\w*|jatos?)",
    "MEDICINE": r"(?:medicine|medication|tablets?|pills?|treatment|insulin|inhaler|antibiotic|medicament\w+|medicina"
    r"|remedios?|pastillas?|tratamiento|tratamento|comprimidos?|insulina|inhalador|bombinha|antibiotico)",
    "ILLNESS": r"(?:diabet\w+|hypertens\w+|hipertens\w+|depress?\w+|anxiety|ansied\w+|asth?ma|all?erg\w+|infec\w+"
    r"|anaemia|anemia|cancer|\w+itis|ulcer\w*|dementia|demencia|insuficien\w+|(?:kidney|heart|thyroid) disease"
    r"|(?:rin|sinus|bronqu|gastr|labirint|amigdal|ot|cist|dermat|faring|artr|hepat|tendin|conjuntiv)ite|pneumonia|flu"
    r"|neumonia|gripe|migraine|migrana|enxaqueca)",
    "TOMA": r"(?:toma|tomate|tome|tomese)",
    "NEAR": r"(?: \w+){0,3}",
}

_ADVICE: Final[dict[Locale, dict[str, tuple[str, ...]]]] = {
    "en": {
        "dose-advice": (
            r"(?:take|use|inject|give|swallow|add|increase|raise|lower|reduce)\bNEAR AMOUNT(?: \w+)? UNIT\b",
            r"(?:take|use) AMOUNT (?:at once|more|extra|together|a day|daily|every)\b",
            r"(?:double|halve|increase|raise|lower|reduce|skip|delay) (?:the|your|this|a) (?:next |usual )?dose",
            r"(?:take|taking) an? (?:extra|double|second|half) (?:dose|tablet|pill)",
        ),
        "change-advice": (
            r"(?:stop|quit|start|restart|pause) (?:taking|using|the|your|this)NEAR MEDICINE",
            r"(?:stop|quit|restart|pause) (?:taking|using)\b",
            r"(?:switch|change) (?:over )?to (?:another|an?|the)\b",
            r"replace your MEDICINE",
            r"you (?:can|may|should|could|must) (?:safely )?(?:stop|skip|switch|pause|start taking)\b",
        ),
        "diagnosis": (
            r"you (?:probably |may |might |must |could )?(?:have|are|suffer from) (?:an? )?ILLNESS",
            r"(?:sign|proof|means?|shows?) (?:that )?you (?:have|are|suffer)",
            r"it(?:'s| is) (?:probably|likely|surely) (?:an? )?ILLNESS",
            r"(?:your|that|this) \w+ is (?:just |only |probably )?(?:an? )?(?:\w+ )?ILLNESS",
            r"what you have is",
        ),
    },
    "es-419": {
        "dose-advice": (
            r"(?:TOMA|usa|use|inyect\w+|aplica|aplique|sube|aumenta|baja|reduce)\bNEAR AMOUNT(?: \w+)? UNIT\b",
            r"TOMA (?:las? |los? )?AMOUNT (?:\w+ )?(?:juntas|juntos|de una vez|mas|al dia|por dia|cada)\b",
            r"(?:dobla|duplica|aumenta|sube|baja|reduce|saltate|salteate) (?:la|tu|su) (?:proxima )?(?:dosis|toma)",
            r"(?:toma|tome|tomar) una? (?:dosis|pastilla) (?:doble|extra)",
        ),
        "change-advice": (
            r"(?:suspende|suspenda|interrumpe|interrumpa|reinicia|pausa) (?:el|la|las|tu|tus|su|este)NEAR MEDICINE",
            r"(?:suspend[ea]|interrump[ea]|dej[ae]|cambi[ae]|reemplaz[ae]|sustituy[ea])l[oa]s?\b",
            r"(?:deja|deje|para|pare) de (?:tomar|usar)",
            r"(?:empieza|empiece|comienza|comience) a (?:tomar|usar)",
            r"(?:cambia|cambie|cambiate|pasate) (?:a|por) otr[ao]\b",
            r"(?:puedes|puede|debes|debe) (?:dejar(?: de)?|suspender|saltarte|cambiar de) (?:tomar|el|la|tu)\b",
        ),
        "diagnosis": (
            r"(?:tienes|tiene|tenes|padeces|padece|sufres de) (?:una? )?ILLNESS",
            r"eres ILLNESS",
            r"(?:tu|su|esa|ese) \w+ es (?:solo )?(?:una? )?ILLNESS",
            r"lo que (?:tu |usted |vos )?(?:tienes|tiene|tenes) es",
            r"(?:significa|quiere decir|es senal de|indica) que (?:tienes|tiene|tenes|padeces|padece)",
        ),
    },
    "pt-BR": {
        "dose-advice": (
            r"(?:tome|use|aplique|injete|aumente|diminua|reduza)\bNEAR AMOUNT(?: \w+)? UNIT\b",
            r"tome AMOUNT (?:juntos|juntas|de uma vez|a mais|por dia|ao dia|a cada)\b",
            r"(?:dobre|aumente|diminua|reduza|pule|atrase) (?:a|sua) (?:proxima )?(?:dose|tomada)",
            r"(?:tome|tomar) uma? (?:dose|comprimido) (?:dupla|dobrada|extra)",
        ),
        "change-advice": (
            r"(?:interrompa|suspenda|largue|inicie|reinicie|pause) (?:o|a|os|seu|sua|este|esse)NEAR MEDICINE",
            r"(?:pare|deixe) de (?:tomar|usar)",
            r"(?:comece|volte) a (?:tomar|usar)",
            r"(?:troque|mude|passe) (?:para|por) outr[ao]\b",
            r"(?:suspenda|interrompa|troque|substitua|largue)-?(?: ?[oa])?s? (?:por|ate|hoje|agora|ja)\b",
            r"(?:pode|deve) (?:parar de|interromper|suspender|pular|trocar de) (?:tomar|o|a|seu|sua)\b",
        ),
        "diagnosis": (
            r"voce (?:provavelmente )?(?:tem|esta com|sofre de) (?:uma? )?ILLNESS",
            r"voce e ILLNESS",
            r"(?:sua|seu|essa|esse)(?: sua| seu)? \w+ e (?:so )?(?:uma? )?ILLNESS",
            r"o que voce tem e\b",
            r"(?:significa|quer dizer|e sinal de|indica) que voce (?:tem|esta|sofre)",
        ),
    },
}

#: Close before the verb these turn an order into a warning or a question to somebody else.
_NEGATED: Final = re.compile(
    r"\b(?:not|never|don't|without|before|instead|against|warns?|whether|ask|no|nunca|jamas|sin|antes|contra|evita\w*"
    r"|pregunt\w+|nao|jamais|sem|evit\w+|pergunt\w+|nor|ni|nem|if|when|how|si|se|cuando|quando|como)(?: \w+){0,3} $"
)

_NEXT_STEP: Final[dict[Locale, str]] = {
    "en": "pharmac|leaflet|doctor|nurse|care team|clinic|prescriber|label|health worker|emergency|helpline",
    "es-419": r"farmac|prospecto|medic[oa]s?\b|enfermer|equipo de salud|consultorio|clinica|etiqueta|emergenc",
    "pt-BR": r"farmac|bula|medic[oa]s?\b|enfermeir|equipe|consultorio|clinica|rotulo|posto|unidade de saude|socorro",
}


def _compiled(patterns: tuple[str, ...]) -> re.Pattern[str]:
    text = "|".join(patterns)
    for name, words in _VOCABULARY.items():
        text = text.replace(name, words)
    return re.compile(rf"\b(?:{text})")


_PATTERNS: Final = {
    locale: {code: _compiled(patterns) for code, patterns in rows.items()} for locale, rows in _ADVICE.items()
}


def advice_in(sentence: str, locale: Locale) -> Iterator[tuple[str, str]]:
    """Codes of what the sentence must not say, each once, with the words that say it."""
    text = normalise(sentence)[0].text
    for code, pattern in _PATTERNS[locale].items():
        said = next((m[0] for m in pattern.finditer(text) if not _NEGATED.search(text[: m.start()])), None)
        if said:
            yield code, said


def names_next_step(sentence: str, locale: Locale) -> bool:
    """Whether the sentence says whom to ask or where to look."""
    return re.search(_NEXT_STEP[locale], normalise(sentence)[0].text) is not None


def advice_of(text: str) -> tuple[str, ...]:
    """Codes of the advice in a text, in whatever locale: a model may write in another than it was asked for."""
    return tuple(dict.fromkeys(code for locale in LOCALES for code, _ in advice_in(text, locale)))
