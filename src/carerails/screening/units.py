"""From passages, texts and tool results to numbered units."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, cast

from carerails.contracts import Passage, Reply, Unit
from carerails.drafting.markers import markers
from carerails.drafting.sentences import sentences

#: Characters of one unit; what is longer is cut into several, at blanks where there are some.
LONGEST: Final = 2_000

#: Underscores of a name; what has more may be a sentence.
_NAMED: Final = 3

_Found = tuple[str, str]


def numbered(found: Iterable[_Found], source: str = "", about: str = "", start: int = 1) -> list[Unit]:
    """Units of one source, from their places and texts, numbered from `start`."""
    return [
        Unit(key=f"u{number}", text=text, source=source, place=place, about=about)
        for number, (place, text) in enumerate(found, start)
    ]


def of_passages(passages: Sequence[Passage]) -> list[Unit]:
    """Every sentence of every passage, in order: one sentence of a card is one unit, as it stands."""
    units: list[Unit] = []
    for passage in passages:
        found = ((str(place), text) for place, text in enumerate(passage.sentences, 1))
        units += numbered(found, passage.card, passage.title, len(units) + 1)
    return units


def of_text(text: str, source: str = "", about: str = "") -> list[Unit]:
    """The sentences of a text; what has neither letter nor digit is none."""
    pieces = (piece for sentence in sentences(text) for piece in _cut(sentence.text))
    return numbered(((str(place), piece) for place, piece in enumerate(pieces, 1)), source, about)


def of_result(result: object, source: str = "", about: str = "") -> list[Unit]:
    """The fields of a tool's result, by their paths; the keys of objects are units too, for they may say anything.

    Args:
        result: what `json.loads` gives.
        source: the tool.
        about: what the result is of.

    Raises:
        ValueError: it is nested too deeply to be read.
    """
    try:
        return numbered(_fields(result, ""), source, about)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def of_claims(reply: Reply, passages: Sequence[Passage]) -> list[tuple[Unit, tuple[str, ...]]]:
    """Each sentence of a reply that cites something, against all that it cites; and the ids of that."""
    texts = {passage.card: "\n".join((passage.title, *passage.sentences)) for passage in passages}
    found: list[tuple[Unit, tuple[str, ...]]] = []
    for sentence, cards in _cited(reply.text):
        known = [texts[card] for card in cards if card in texts]
        key = f"u{len(found) + 1}"
        found.append((Unit(key=key, text=sentence, source=", ".join(cards), against="\n".join(known)), cards))
    return found


def _cited(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Sentences with the ids of the markers that follow each of them; a sentence without one belongs to the next."""
    begin, last = 0, None
    said = ""
    cards: list[str] = []
    for marker in markers(text):
        between = text[begin : marker.start]
        if between.strip(" .,;") and last is not None:
            yield said, tuple(cards)
            said, cards = "", []
        found = [sentence.text for sentence in sentences(between)]
        said = found[-1] if found else said
        if marker.id:
            cards.append(marker.id)
        begin, last = marker.end, marker
    if last is not None and said:
        yield said, tuple(cards)


def of_key(key: str) -> list[str]:
    """What the key of an object says: nothing, where it is the short name of a field."""
    if key.isidentifier() and key.count("_") <= _NAMED:
        return []
    return list(_cut(key.replace("_", " ")))


def _fields(value: object, path: str) -> Iterator[_Found]:
    if isinstance(value, dict):
        for key, inner in cast("dict[str, Any]", value).items():
            place = f"{path}.{key}" if path else str(key)
            yield from ((f"{place} (key)", piece) for piece in of_key(str(key)))
            yield from _fields(inner, place)
    elif isinstance(value, list):
        for number, inner in enumerate(cast("list[Any]", value)):
            yield from _fields(inner, f"{path}[{number}]")
    elif isinstance(value, str):
        for sentence in sentences(value):
            yield from ((path, piece) for piece in _cut(sentence.text))
    else:
        yield path, json.dumps(value)


def _cut(text: str) -> Iterator[str]:
    while len(text) > LONGEST:
        at = text.rfind(" ", LONGEST // 2, LONGEST)
        at = at if at > 0 else LONGEST
        yield text[:at]
        text = text[at:].lstrip()
    if text:
        yield text
