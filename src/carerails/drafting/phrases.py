"""What may be said without a citation, in three locales: courtesies, pointers to a person or the leaflet, questions.

Closed vocabularies, on purpose: a sentence with one word outside of them makes a claim. No vocabulary has a negation, a
yes, a number or a word for taking a medicine in it, so that nothing can be advised or granted with these words.
The exemptions:

- A **courtesy** is made of nothing but the phrases below.
- A **pointer** names a person or the leaflet, has a word that points, and otherwise only small words.
- A **question** ends with a question mark; it is none when it holds a digit, opens like `did you know`, or is a
  statement with a tag (`..., right?`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from carerails.contracts import Locale
from carerails.drafting.words import words
from carerails.text.fold import FOLD


@dataclass(frozen=True, slots=True)
class Phrases:
    """One locale's closed vocabularies, and the extractive drafter's first and last sentence (courtesy, pointer).

    Attributes:
        whom: persons, places and papers that a pointer can name.
        points: words that point to them.
        small: what else a pointer may hold.
        tells: how a question opens that tells something after all.
        tags: what makes a statement a question only in form.
    """

    lead_in: str
    closing: str
    courtesies: tuple[str, ...]
    whom: frozenset[str]
    points: frozenset[str]
    small: frozenset[str]
    tells: tuple[str, ...]
    tags: tuple[str, ...]


def _set(text: str) -> frozenset[str]:
    return frozenset(words(text))


PHRASES: dict[Locale, Phrases] = {
    "en": Phrases(
        lead_in="Thanks for asking, I'm glad to help.",
        closing="If you have more questions, your pharmacist or care team can help.",
        courtesies=(
            "hello", "hi", "hi there", "hello there", "good morning", "good afternoon", "good evening", "welcome",
            "thanks", "thank you", "thanks for asking", "thank you for asking", "thank you for your question",
            "thanks for telling me", "thank you for telling me", "thanks for sharing that",
            "thank you for sharing that", "good question", "great question", "that is a good question",
            "that's a good question",
            "i'm glad you asked", "i am glad you asked", "i'm glad to help", "i am glad to help", "happy to help",
            "i'm happy to help", "i'm here to help", "i am here to help", "i'm here for you", "i am here for you",
            "you're welcome", "you are welcome", "take care", "i'm sorry", "i am sorry",
            "i'm sorry to hear that", "i am sorry to hear that", "i hear you", "i understand", "and", "so",
        ),
        whom=_set("doctor doctors pharmacist pharmacy nurse clinic leaflet team clinician prescriber"),
        points=_set("ask call talk speak see contact read check look tell show help explain answer"),
        small=_set(
            "a an the your you i we they it this that these or and with to of for from in on at about if any please "
            "can could will also always first best good more further other else anything something questions "
            "question doubts unsure have are is be care health medicine medicines medication patient information "
            "every who person people want would like need"
        ),
        tells=("did you know", "do you know that", "don't you know", "have you heard"),
        tags=("right", "ok", "okay", "isn't it", "don't you", "correct", "no", "yes"),
    ),
    "es-419": Phrases(
        lead_in="Gracias por preguntar, con gusto te ayudo.",
        closing="Si tienes más preguntas, tu farmacia o tu equipo de salud te pueden ayudar.",
        courtesies=(
            "hola", "buenos dias", "buenas tardes", "buenas noches", "buenas", "bienvenido", "bienvenida", "gracias",
            "muchas gracias", "gracias por preguntar", "gracias por tu pregunta", "gracias por su pregunta",
            "gracias por contarme", "gracias por contarmelo", "gracias por escribir", "gracias por compartirlo",
            "buena pregunta", "muy buena pregunta", "es una buena pregunta", "que bueno que preguntas", "con gusto",
            "con gusto te ayudo", "con mucho gusto", "te ayudo",
            "me alegra que preguntes", "aqui estoy", "aqui estoy para ayudarte", "estoy aqui para ayudarte",
            "estoy para ayudarte", "de nada", "cuidate", "lo siento", "lo siento mucho", "lamento escuchar eso",
            "te entiendo", "entiendo", "y",
        ),
        whom=_set(
            "medico medica medicos doctor doctora farmacia farmaceutico farmaceutica enfermera enfermero clinica "
            "centro prospecto equipo profesional"
        ),
        points=_set(
            "pregunta pregúntale preguntale pregunte preguntar consulta consultar consulte consultalo habla hable "
            "hablar llama llame llamar lee lea leer revisa revise revisar mira mire ver ayudar ayuda ayudarte "
            "explicar explicarte decir decirte orientar orientarte responder"
        ),
        small=_set(
            "a al el la los las un una tu tus su sus te se le les lo o u y e con de del para por en si que quien "
            "sobre tienes tiene tengas tenga alguna algun otra otras otro otros duda dudas pregunta preguntas mas "
            "puede pueden puedes tambien siempre primero salud medicamento medicamentos medicina medicinas "
            "informacion cualquier favor es esta este esto eso quieres necesitas persona cabecera familia mejor"
        ),
        tells=("sabias", "sabia usted", "sabe que", "sabes que"),
        tags=("verdad", "cierto", "ok", "no", "si", "correcto", "no es asi"),
    ),
    "pt-BR": Phrases(
        lead_in="Que bom que você perguntou, é um prazer ajudar.",
        closing="Se tiver mais dúvidas, a farmácia ou a sua equipe de saúde podem ajudar.",
        courtesies=(
            "ola", "oi", "bom dia", "boa tarde", "boa noite", "bem vindo", "bem vinda", "obrigado", "obrigada",
            "muito obrigado", "muito obrigada", "obrigado por perguntar", "obrigada por perguntar",
            "obrigado pela pergunta", "obrigada pela pergunta", "obrigado por contar", "obrigada por contar",
            "boa pergunta", "otima pergunta", "essa e uma boa pergunta", "que bom que voce perguntou", "com prazer",
            "e um prazer ajudar", "estou aqui", "estou aqui para ajudar",
            "estou aqui para te ajudar", "posso ajudar", "de nada", "se cuide", "sinto muito", "lamento",
            "eu entendo", "entendo", "e",
        ),
        whom=_set(
            "medico medica medicos doutor doutora farmacia farmaceutico farmaceutica enfermeira enfermeiro clinica "
            "posto bula equipe profissional"
        ),
        points=_set(
            "pergunte perguntar consulte consultar converse conversar fale falar ligue ligar leia ler veja ver "
            "confira conferir procure procurar ajudar ajuda explicar dizer orientar responder"
        ),
        small=_set(
            "a ao aos as o os um uma seu sua seus suas te se lhe ou e com de do da dos das para por pelo pela no na "
            "nos nas em que quem sobre tem tiver tenha alguma algum outra outras outro outros duvida duvidas "
            "pergunta perguntas mais pode podem podera voce tambem sempre primeiro saude remedio remedios "
            "medicamento medicamentos informacao qualquer favor quiser precisar pessoa melhor familia isso esta este"
        ),
        tells=("voce sabia", "sabia que", "voce sabe que", "sabe que"),
        tags=("certo", "ne", "nao e", "nao e mesmo", "nao", "sim", "ok", "verdade", "correto"),
    ),
}  # fmt: skip


def _any_of(phrases: Iterable[str]) -> str:
    return "(?:" + "|".join(map(re.escape, sorted(phrases, key=lambda phrase: (-len(phrase), phrase)))) + ")"


def _courtesies(phrases: Phrases) -> re.Pattern[str]:
    one = _any_of({" ".join(words(phrase)) for phrase in phrases.courtesies})
    return re.compile(f"{one}(?: {one})*")


_COURTESY = {locale: _courtesies(phrases) for locale, phrases in PHRASES.items()}
_TELLS = {locale: re.compile(rf"{_any_of(p.tells)}\b|.*[,;:-] *{_any_of(p.tags)}$") for locale, p in PHRASES.items()}


def makes_claim(sentence: str, locale: Locale) -> bool:
    """Whether a sentence (without markers) needs a citation by the rule above."""
    if any(char.isdigit() for char in sentence):
        return True
    return not (_is_question(sentence, locale) or _is_courtesy(sentence, locale) or _is_pointer(sentence, locale))


def _is_question(sentence: str, locale: Locale) -> bool:
    bare = sentence.translate(FOLD).rstrip(" \"')]*_")
    return bare.endswith("?") and not _TELLS[locale].match(bare.strip(" ?!\"'([*_"))


def _is_courtesy(sentence: str, locale: Locale) -> bool:
    return _COURTESY[locale].fullmatch(" ".join(words(sentence))) is not None


def _is_pointer(sentence: str, locale: Locale) -> bool:
    said, known = set(words(sentence)), PHRASES[locale]
    return bool(said & known.whom and said & known.points) and said <= known.whom | known.points | known.small
