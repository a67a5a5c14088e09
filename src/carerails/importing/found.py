"""What a foreign project holds, whichever version it is written in; and what became of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from carerails.errors import ToMend


class Place(NamedTuple):
    """Where it stands, from the project's root; lines count from 1."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Line(NamedTuple):
    """One line that is neither blank nor a comment: how far it is indented, what it says, its number."""

    indent: int
    text: str
    number: int


@dataclass(frozen=True, slots=True)
class Form:
    """A canonical form of the user (`define user ...`, `flow user ...`), what people say then, and patterns for it."""

    name: str
    texts: tuple[str, ...]
    place: Place
    patterns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Message:
    """What the bot says under a name; where there are several texts, it says one of them."""

    name: str
    texts: tuple[str, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class ForeignFlow:
    """A flow as it is written."""

    name: str
    lines: tuple[Line, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Action:
    """A Python action that only searches. `value`: what it returns where one of its patterns matches."""

    name: str
    patterns: tuple[str, ...]
    value: bool
    place: Place


@dataclass(frozen=True, slots=True)
class Left:
    """What does not go into rails, and why."""

    file: str
    line: int
    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.what}: {self.why}"


@dataclass(frozen=True, slots=True)
class Made:
    """What was made: `kind` is rule, examples or template; `source` is where it comes from, `file` where it went."""

    kind: str
    name: str
    source: str
    file: str
    note: str = ""

    def __str__(self) -> str:
        return f"{self.source} -> {self.file}: {self.kind} {self.name}" + (f" ({self.note})" if self.note else "")


@dataclass(slots=True)
class Project:
    """Everything that was read."""

    forms: dict[str, Form] = field(default_factory=dict[str, Form])
    messages: dict[str, Message] = field(default_factory=dict[str, Message])
    flows: list[ForeignFlow] = field(default_factory=list[ForeignFlow])
    actions: dict[str, Action] = field(default_factory=dict[str, Action])
    regexes: list[tuple[str, Place]] = field(default_factory=list[tuple[str, Place]])
    input_flows: dict[str, Place] = field(default_factory=dict[str, Place])
    left: list[Left] = field(default_factory=list[Left])

    def leave(self, place: Place, what: str, why: str) -> None:
        """It stays behind."""
        self.left.append(Left(place.file, place.line, what, why))

    def add_form(self, form: Form) -> None:
        """A form may be told in several places."""
        old = self.forms.get(form.name)
        if old:
            texts = tuple(dict.fromkeys((*old.texts, *form.texts)))
            form = Form(form.name, texts, old.place, (*old.patterns, *form.patterns))
        self.forms[form.name] = form

    def add_message(self, message: Message) -> None:
        """A message may be told in several places."""
        old = self.messages.get(message.name)
        texts = tuple(dict.fromkeys((*(old.texts if old else ()), *message.texts)))
        self.messages[message.name] = Message(message.name, texts, old.place if old else message.place)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an import came to."""

    made: tuple[Made, ...]
    fill: tuple[ToMend, ...]
    left: tuple[Left, ...]
