"""Another person's data: a name, a number, an address that neither the user nor a card has said.

A line that everybody may call is nobody's: `output: phones:` of the profile, and all of `numbers.yml`. What the user
wrote may come back to them, and a placeholder as `<PHONE>` in the question stands for nothing that a
reply could know. What is found is told by its kind alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from carerails.contracts import Exchange, Objection, Reply
from carerails.output.settings import OutputSettings
from carerails.privacy.finders import Finder, pattern, plain
from carerails.privacy.redact import FINDERS

#: Addresses of the web have a rule of their own.
_ELSEWHERE = frozenset({"URL"})
#: Two names and a place, as one tells of somebody: `Ana Ruiz, de Toluca,`. What is called so and is nobody stays out.
_NOBODY = r"(?: Cruz | Casa | Santa | Hospital | Clinica | Centro | Instituto | Linea | Farmacia | Poison | Health )"
_FULL_NAME = rf"(?P<it> (?! {_NOBODY} \b ) [A-Z][a-z]{{2,14}} \s [A-Z][a-z]{{2,14}} )"
_OF_A_PLACE = Finder("NAME", pattern(rf"\b {_FULL_NAME} (?: ,? \s from | , \s de ) \s [A-Z][a-z]", capitals=True), 0.7)
_FINDERS = tuple(finder for finder in (*FINDERS, _OF_A_PLACE) if finder.kind not in _ELSEWHERE)


def identity(reply: Reply, exchange: Exchange, settings: OutputSettings) -> Iterator[Objection]:
    """`personal-data`, with the kinds."""
    text = plain(reply.text)
    heard = _letters(exchange.question) + "\n" + "\n".join(_letters(s) for p in exchange.passages for s in p.sentences)
    heard += "\n" + "\n".join(_letters(phone) for phone in settings.phones)
    kinds = dict.fromkeys(
        finder.kind for finder in _FINDERS for start, end in finder.find(text) if _letters(text[start:end]) not in heard
    )
    if kinds:
        yield Objection(check="identity", reason="personal-data", terms=tuple(kinds))


def _letters(text: str) -> str:
    """Letters and digits alone: `(11) 98888-7777` is `11988887777`."""
    return "".join(char for char in plain(text).casefold() if char.isalnum())
