"""What was begun by `carerails rails new` and is still to be written: it must not go out as it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from carerails.contracts import Locale

#: Begins what a person has to write in a file of words.
TO_DO = "TO DO:"
#: Stands where a person has to write what people say: it matches nothing that anybody says.
SAYS: Mapping[Locale, str] = {
    "en": "write here what people say in english",
    "es-419": "escribe aqui lo que la gente dice en espanol",
    "pt-BR": "escreva aqui o que as pessoas dizem em portugues",
}


def unwritten(text: str) -> Iterator[tuple[int, int]]:
    """Line and column, from 1, of what is still to be written in a file; comments aside."""
    marks = [mark for mark in (TO_DO, *SAYS.values()) if mark in text]
    for number, line in enumerate(text.split("\n") if marks else (), 1):
        if not line.lstrip().startswith("#"):
            yield from ((number, line.index(mark) + 1) for mark in marks if mark in line)
