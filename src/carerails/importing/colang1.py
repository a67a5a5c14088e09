"""Reads Colang 1.0: `define user`, `define bot`, `define flow` and `define subflow`, line by line."""

from __future__ import annotations

import re

from carerails.importing.found import ForeignFlow, Form, Line, Message, Place, Project
from carerails.importing.lines import blocks, lines, only_strings, strings

_DEFINE = re.compile(r"def(?:ine)?\s+(?:(?:extension|parallel)\s+)*(user|bot|flow|subflow)\b\s*(.*?):?$")
_INLINE = re.compile(r"(user|bot)\s+([^\"']+)$")


def read_colang1(name: str, text: str, project: Project) -> None:
    """Add what one file defines."""
    for head, body in blocks(list(lines(text))):
        place = Place(name, head.number)
        found = _DEFINE.match(head.text)
        if found is None:
            project.leave(place, f"`{head.text[:60]}`", "outside any definition of a user, bot, flow or subflow")
            continue
        kind, rest = found[1], found[2]
        if kind in ("user", "bot"):
            _said(kind, rest, body, place, project)
        else:
            _flow(rest, body, place, project)


def _said(kind: str, rest: str, body: tuple[Line, ...], place: Place, project: Project) -> None:
    """`define user NAME` and its strings, or `define user NAME "..."` on one line."""
    quoted = re.search(r"[\"']", rest) if only_tail_is_string(rest) else None
    name = (rest[: quoted.start()] if quoted else rest).strip()
    texts = strings(rest[quoted.start() :]) if quoted else []
    for line in body:
        if only_strings(line.text):
            texts += strings(line.text)
        else:
            project.leave(Place(place.file, line.number), f"`{line.text[:60]}`", f"no text of {kind} {name!r}")
    if not name:
        project.leave(place, f"define {kind}", "has no name")
    elif kind == "user":
        project.add_form(Form(name, tuple(texts), place))
    else:
        project.add_message(Message(name, tuple(texts), place))


def only_tail_is_string(rest: str) -> bool:
    """Whether `rest` is a name and then a string; an apostrophe inside a name starts none."""
    found = re.search(r"\s([\"'])", rest)
    return bool(found and rest.rstrip().endswith(found[1]) and len(rest[found.start() :].strip()) > 1)


def _flow(name: str, body: tuple[Line, ...], place: Place, project: Project) -> None:
    """A flow's lines; texts that stand under a `user ...` or `bot ...` in it belong to that name."""
    kept: list[Line] = []
    current: tuple[str, str, Line] | None = None
    for line in body:
        if current and line.indent > current[2].indent and only_strings(line.text):
            where = Place(place.file, current[2].number)
            texts = tuple(strings(line.text))
            if current[0] == "user":
                project.add_form(Form(current[1], texts, where))
            else:
                project.add_message(Message(current[1], texts, where))
            continue
        kept.append(line)
        inline = _INLINE.match(line.text)
        current = (inline[1], inline[2].strip(), line) if inline else None
    project.flows.append(ForeignFlow(name, tuple(kept), place))
