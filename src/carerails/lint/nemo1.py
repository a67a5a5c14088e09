"""Any configuration in Colang 1.0: what NeMo Guardrails loads without a word, and then never does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from carerails.lint.nemo_library import actions_in, library, meant, snake
from carerails.lint.noting import Notes
from carerails.lint.project import Project

_DEFINE = re.compile(r"define (?:parallel |extension )*(?P<kind>flow|subflow|user|bot) (?P<name>[^\n#]+?)\s*$")
_DO = re.compile(r"\s+(?:\$\w+ = )?do (?P<name>[a-z][\w ]*?)\s*$")
_EXECUTE = re.compile(r"\s+(?:\$\w+ = )?(?:await )?execute (?P<name>\w+)")
_BOT = re.compile(r"\s+bot (?P<name>[a-z][\w ,'-]*?)\s*$")
_USER = re.compile(r"\s+(?:when |else when )?user (?P<name>[a-z][\w ,'-]*?)\s*$")
#: Messages that the runtime itself knows.
_BUILT_IN = frozenset(["inform answer unknown", "refuse to respond", "inform internal error occurred", "stop", "..."])


class _Place(NamedTuple):
    file: str
    line: int
    column: int


def check_nemo1(project: Project, notes: Notes) -> None:
    """Everything about the `.co` files."""
    known = library()
    given = known.defined if known else frozenset[tuple[str, str]]()
    defined: dict[tuple[str, str], _Place] = {}
    used: dict[tuple[str, str], list[_Place]] = {}
    for kind, name, place, defines in _read(project, notes):
        if not defines:
            used.setdefault((kind, name), []).append(place)
        elif (kind, name) in defined and kind in ("flow", "subflow"):
            first = defined[kind, name]
            notes.add("duplicate-flow", *place, [name, f"{first.file}:{first.line}"])
        else:
            defined[kind, name] = place
    flows = {name for kind, name in (*defined, *given) if kind in ("flow", "subflow")}
    messages = {name for kind, name in (*defined, *given) if kind == "bot"} | _BUILT_IN
    actions = _actions(project)
    for (kind, name), places in used.items():
        for place in places:
            if kind == "do" and name not in flows and known:
                notes.add("undefined-flow", *place, [name], [meant(name, flows)])
            elif kind == "bot" and name not in messages:
                notes.add("undefined-message", *place, [name])
            elif kind == "execute" and actions is not None and snake(name) not in actions:
                notes.add("undefined-action", *place, [name], [meant(snake(name), actions)])
    for (kind, name), place in defined.items():
        if kind in ("user", "bot") and (kind, name) not in used and (kind, name) not in given and name not in _BUILT_IN:
            notes.add("unused-definition", *place, [name])


def flows_of(project: Project) -> set[str]:
    """Flows that the files define, for whoever names them elsewhere."""
    return {name for kind, name, _, defines in _read(project, None) if defines and kind in ("flow", "subflow")}


def _actions(project: Project) -> set[str] | None:
    known = library()
    if known is None:
        return None
    found = set(known.actions)
    for path in project.python:
        found |= actions_in(path.read_text(encoding="utf-8", errors="replace"))
    return found


def _read(project: Project, notes: Notes | None) -> Iterator[tuple[str, str, _Place, bool]]:
    """Kind and name of all that is defined or used, and where."""
    for file, text in project.colang.items():
        inside = ""
        for number, line in enumerate(text.split("\n"), 1):
            code = re.sub(r"\s+#.*$", "", line.rstrip())
            if notes and "\t" in line[: len(line) - len(line.lstrip())]:
                notes.add("tab", file, number, 1)
            if define := _DEFINE.match(code):
                inside = define["kind"]
                yield inside, define["name"].strip(), _Place(file, number, define.start("name") + 1), True
            elif inside in ("flow", "subflow"):
                for kind, pattern in (("do", _DO), ("execute", _EXECUTE), ("bot", _BOT), ("user", _USER)):
                    if found := pattern.match(code):
                        yield kind, found["name"].strip(), _Place(file, number, found.start("name") + 1), False
