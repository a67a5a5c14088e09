"""Reads Colang 1.0: `define user`, `define bot`, `define flow` and `define subflow`, line by line."""

from __future__ import annotations

import re

from carerails.importing.found import ForeignFlow, Form, Line, Message, Place, Project
from carerails.importing.lines import blocks, lines

_DEFINE = re.compile(r"def(?:ine)?\s+(?:(?:extension|parallel)\s+)*(user|bot|flow|subflow)\b\s*(.*?):?$")
_INLINE = re.compile(r"(user|bot)\s+([^\"]+?)\s*(\".+\")?$")


def read_colang1(name: str, text: str, project: Project) -> None:
    """Add what one file defines."""
    for head, body in blocks(list(lines(text))):
        place = Place(name, head.number)
        found = _DEFINE.match(head.text)
        if found is None:
            project.leave(place, f"`{head.text[:60]}`", "outside any definition of a user, bot, flow or subflow")
        elif found[1] in ("user", "bot"):
            _said(found[1], found[2], body, place, project)
        else:
            _flow(found[2], body, place, project)


def _said(kind: str, name: str, body: tuple[Line, ...], place: Place, project: Project) -> None:
    """`define user NAME`, and what is said then, a line each."""
    if not name or '"' in name:
        project.leave(place, f"define {kind} {name[:60]}", "has no name of its own, or says its text on the same line")
        return
    texts: list[str] = []
    for line in body:
        text = _text(line.text)
        if text is None:
            where = Place(place.file, line.number)
            project.leave(where, f"`{line.text[:60]}`", f"no text of {kind} {name!r}: NeMo wants one in double quotes")
        else:
            texts.append(text)
    _add(kind, name, texts, place, project)


def _flow(name: str, body: tuple[Line, ...], place: Place, project: Project) -> None:
    """A flow's lines; texts that stand beside or under a `user ...` or `bot ...` in it belong to that name."""
    kept: list[Line] = []
    kind, under = "", ""
    head: Line | None = None
    for line in body:
        text = _text(line.text)
        if head and line.indent > head.indent and text is not None:
            _add(kind, under, [text], Place(place.file, head.number), project)
            continue
        inline = _INLINE.match(line.text)
        head, kind, under = (line, inline[1], inline[2]) if inline else (None, "", "")
        named = bool(inline and inline[3]) and under not in ("say", "said")
        if inline and named:
            _add(kind, under, [inline[3][1:-1]], Place(place.file, line.number), project)
        kept.append(line._replace(text=f"{kind} {under}") if named else line)
    project.flows.append(ForeignFlow(name, tuple(kept), place))


def _add(kind: str, name: str, texts: list[str], place: Place, project: Project) -> None:
    if kind == "user":
        project.add_form(Form(name, tuple(texts), place))
    else:
        project.add_message(Message(name, tuple(texts), place))


def _text(line: str) -> str | None:
    """What stands between double quotes, as NeMo takes it: escapes stay, but for the quote's own."""
    quoted = len(line) > 1 and line[0] == line[-1] == '"'
    return line[1:-1].replace('\\"', '"') if quoted else None
