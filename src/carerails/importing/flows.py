"""What a foreign flow does with what the user says: which form gets which answer, and which search stops the turn."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import takewhile

from carerails.importing.found import ForeignFlow, Line, Place
from carerails.importing.lines import STRING, decoded, quotes, strings
from carerails.importing.patterns import escaped

_USER = re.compile(r"(?:(?:else\s+|or\s+)?when\s+|await\s+|match\s+|or\s+)?user\s+(?!said\b)([^\"'$(]+)$")
_USER_SAID = re.compile(r"(?:(?:or\s+)?when\s+|await\s+|or\s+)?user\s+said\s")
_BOT_SAY = re.compile(r"(?:await\s+|start\s+)?bot\s+(?:say\s+)?[\"']")
_BOT = re.compile(r"(?:await\s+|start\s+)?bot\s+([^\"'$(]+)$")
_CALL = re.compile(r"(?:\$(\w+)\s*=\s*)?(?:execute|await|start)\s+([A-Za-z_][\w.]*)\s*(\(.*\))?$")
_SEARCH = re.compile(rf"search\(\s*({STRING})\s*,\s*(\$\w+)\s*\)")
_WITHIN = re.compile(rf"({STRING})\s+in\s+(\$\w+)$")
_SET_SEARCH = re.compile(r"\$(\w+)\s*=\s*(search\(.*\))$")
_IF = re.compile(r"if\s+(not\s+)?(.+?):?$")
_VARIABLE = re.compile(r"\$(\w+)(\.is_blocked)?(?:\s*==\s*(True|False|true|false))?$")
_STOP = re.compile(r"(?:stop|abort|raise\b.*)$")
#: What belongs to a flow and says nothing that rails would say.
_QUIET = re.compile(
    r"(?:global|activate|priority|pass|return|log|print|meta|else)\b|\$\w+\s*=\s*(?!execute|await)[^(]*$"
)
#: Values that hold what the bot says, or what was retrieved.
_OUTPUT = re.compile(r"\$(?:bot_message|last_bot_message|output_text|relevant_chunks|bot_thinking)\b")


@dataclass(frozen=True, slots=True)
class Answer:
    """A form (or texts that stand in the flow) and what the bot then says: a message's name, or the text itself."""

    form: str
    texts: tuple[str, ...]
    message: str
    said: str
    stops: bool
    place: Place


@dataclass(frozen=True, slots=True)
class Check:
    """What is said, and whether the turn stops, where an action returns `when`, or a pattern matches (or does not)."""

    action: str
    patterns: tuple[str, ...]
    when: bool
    message: str
    said: str
    stops: bool
    place: Place


@dataclass(slots=True)
class Deeds:
    """What one flow does; `strange`: lines that were not understood, `output`: those that read the bot's words."""

    answers: list[Answer] = field(default_factory=list[Answer])
    checks: list[Check] = field(default_factory=list[Check])
    strange: list[Line] = field(default_factory=list[Line])
    output: list[Line] = field(default_factory=list[Line])


def deeds(flow: ForeignFlow, names: frozenset[str]) -> Deeds:
    """Read a flow; `names` are other flows, which it may call by a line of their own."""
    reading = _Reading(flow, names)
    index = 0
    while index < len(flow.lines):
        index += 1 + reading.line(flow.lines[index], flow.lines[index + 1 :])
    checked = {check.action for check in reading.done.checks}
    reading.done.strange += [line for line in reading.called.values() if _action(line)[0] not in checked]
    return reading.done


class _Reading:
    """The state of one flow while its lines are read."""

    def __init__(self, flow: ForeignFlow, names: frozenset[str]) -> None:
        self.file, self.names, self.done = flow.place.file, names, Deeds()
        self.called: dict[str, Line] = {}
        self.searched: dict[str, str] = {}
        self.asked: list[tuple[str, tuple[str, ...]]] = []
        self.answered = False

    def line(self, line: Line, rest: tuple[Line, ...]) -> int:
        """Read one line; how many of those after it were read with it."""
        if _OUTPUT.search(line.text):
            self.done.output.append(line)
        elif condition := _IF.match(line.text):
            return self._if(condition, line, rest)
        elif user := _USER.match(line.text):
            self._ask((name, ()) for name in _names(user[1]))
        elif _USER_SAID.match(line.text):
            self._ask([("", tuple(strings(line.text)))])
        elif _BOT_SAY.match(line.text) or _BOT.match(line.text):
            self._answer(line, stops=bool(rest and _STOP.match(rest[0].text)))
        elif set_search := _SET_SEARCH.match(line.text):
            self.searched[set_search[1]] = set_search[2]
        elif call := _CALL.match(line.text):
            self.called[call[1] or ""] = line
        elif not (line.text in self.names or _STOP.match(line.text) or _QUIET.match(line.text)):
            self.done.strange.append(line)
        return 0

    def _if(self, condition: re.Match[str], line: Line, rest: tuple[Line, ...]) -> int:
        block = list(takewhile(lambda later: later.indent > line.indent, rest))
        check = _check(condition, block, self.called, self.searched, Place(self.file, line.number))
        if check is None:
            self.done.strange.append(line)
            return 0
        self.done.checks.append(check)
        return len(block)

    def _ask(self, forms: Iterable[tuple[str, tuple[str, ...]]]) -> None:
        """Several in a row are alternatives; after an answer, a new question begins."""
        self.asked = [*([] if self.answered else self.asked), *forms]
        self.answered = False

    def _answer(self, line: Line, stops: bool) -> None:
        message, said = _bot(line)
        place = Place(self.file, line.number)
        if not self.answered:
            self.done.answers += [Answer(form, texts, message, said, stops, place) for form, texts in self.asked]
        self.answered = True


def input_calls(flow: ForeignFlow) -> Iterator[tuple[str, Place]]:
    """The flows that `flow input rails` names, one a line."""
    for line in flow.lines:
        name = re.sub(r"^(?:\$\w+\s*=\s*)?(?:await\s+)?", "", line.text)
        if re.fullmatch(r"[a-z][\w -]*(?: \$\w+)*", name) and not _STOP.match(name):
            yield name.partition(" $")[0], Place(flow.place.file, line.number)


def _check(
    condition: re.Match[str], block: list[Line], called: dict[str, Line], searched: dict[str, str], place: Place
) -> Check | None:
    """An `if` that answers or stops, on the value of an action or on a search. None: some other `if`."""
    bots = [line for line in block if _BOT.match(line.text) or _BOT_SAY.match(line.text)]
    stops = any(_STOP.match(line.text) for line in block)
    if not stops and not bots:
        return None
    if any(_IF.match(line.text) or line.text.startswith("user ") for line in block):
        return None
    message, said = _bot(bots[0]) if bots else ("", "")
    wanted, tested = not condition[1], condition[2].strip()
    variable = _VARIABLE.fullmatch(tested)
    if variable and variable[3]:
        wanted = wanted == (variable[3].lower() == "true")
    if variable and variable[1] in searched:
        tested = searched[variable[1]]
    if found := _SEARCH.fullmatch(tested):
        return None if _OUTPUT.search(found[2]) else Check("", (quotes(found[1]),), wanted, message, said, stops, place)
    if found := _WITHIN.fullmatch(tested):
        return Check("", (escaped(decoded(found[1])),), wanted, message, said, stops, place)
    if variable and variable[1] in called:
        name, arguments = _action(called[variable[1]])
        return None if _OUTPUT.search(arguments) else Check(name, (), wanted, message, said, stops, place)
    return None


def _action(line: Line) -> tuple[str, str]:
    found = _CALL.match(line.text)
    return (found[2], found[3] or "") if found else ("", "")


def _bot(line: Line) -> tuple[str, str]:
    """The name of the message, or the text that stands there."""
    if _BOT_SAY.match(line.text):
        return "", " ".join(strings(line.text))
    found = _BOT.match(line.text)
    return (found[1].strip(), "") if found else ("", "")


def _names(text: str) -> list[str]:
    """`a or user b` is two forms."""
    return [name.removeprefix("user ").strip() for name in re.split(r"\s+or\s+(?=user\s)", text.strip())]
