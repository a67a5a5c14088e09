"""Reads foreign Colang 2.x: flows of the user, flows of the bot, and all others, line by line."""

from __future__ import annotations

import re

from carerails.importing.found import ForeignFlow, Form, Line, Message, Place, Project
from carerails.importing.lines import STRING, blocks, lines, only_strings, quotes, strings

_FLOW = re.compile(r"flow\s+(.+?)\s*(?:\$.*|->.*)?$")
_SAID = re.compile(
    r"(?:or\s+)?(?:await\s+)?(?:user\s+said|match\s+UtteranceUserAction(?:\(\))?\.Finished\(final_transcript=)"
)
_REGEX = re.compile(rf"regex\(\s*r?({STRING})\s*\)")
_SAYS = re.compile(
    r"(?:or\s+)?(?:await\s+)?(?:bot\s+(?:say|inform|ask|express|respond|clarify|suggest)|UtteranceBotAction\(script=)\s*[\"']"
)
_WORDS = r"\b(?:or|and|user\s+said|bot\s+(?:say|inform|ask|express|respond|clarify|suggest)|await|start)\b|[()]"
#: Head lines that say nothing to keep.
_QUIET = re.compile(r"import\s|@")


def read_colang2(name: str, text: str, project: Project) -> None:
    """Add what one file defines."""
    for head, body in blocks(list(lines(text))):
        place = Place(name, head.number)
        found = _FLOW.match(head.text)
        if found:
            _flow(found[1], body, place, project)
        elif not _QUIET.match(head.text):
            project.leave(place, f"`{head.text[:60]}`", "outside any flow")


def _flow(name: str, body: tuple[Line, ...], place: Place, project: Project) -> None:
    if name.startswith("user ") and body and all(_is_said(line) for line in body):
        _form(name.removeprefix("user ").strip(), body, place, project)
    elif name.startswith("bot ") and body and all(_is_says(line) for line in body):
        texts = tuple(text for line in body for text in strings(line.text))
        project.add_message(Message(name.removeprefix("bot ").strip(), texts, place))
    else:
        project.flows.append(ForeignFlow(name, body, place))


def _form(name: str, body: tuple[Line, ...], place: Place, project: Project) -> None:
    patterns = tuple(quotes(literal) for line in body for literal in _REGEX.findall(line.text))
    texts = tuple(text for line in body for text in strings(_REGEX.sub("", line.text)))
    project.add_form(Form(name, texts, place, patterns))


def _is_said(line: Line) -> bool:
    return bool(_SAID.match(line.text)) or bool(re.match(r"or\b", line.text) and only_strings(line.text, _WORDS))


def _is_says(line: Line) -> bool:
    return bool(_SAYS.match(line.text)) and only_strings(line.text, _WORDS + r"|UtteranceBotAction|script=")
