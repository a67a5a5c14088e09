"""What a compiled flow is made of: functions of a frame, which is its scans and then its variables by number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from carerails.errors import EngineError
from carerails.matching import Matcher, Scan
from carerails.matching.matcher import Known

Frame = list[Any]
Run = Callable[[Frame], Any]


class Waiting(Exception):
    """An action's answer is needed: run the flow again with it. Its name is the only argument."""


class Scans(dict[str, Scan]):
    """The scans of one evaluation, by text: each distinct text, and each of its sentences, is scanned once.

    Attributes:
        answers: of the actions that were asked, by name.
    """

    def __init__(self, matcher: Matcher) -> None:
        super().__init__()
        self._matcher = matcher
        self.answers: dict[str, Any] = {}
        self._known: Known = {}

    def __missing__(self, text: str) -> Scan:
        # `re` refuses None and numbers, so they may not pass as a text without a match either.
        if type(text) is not str:
            raise TypeError("not a string")
        scan = self[text] = self._matcher.scan(text, self._known)
        return scan


def sequence(steps: list[Run], places: list[str]) -> Run:
    """Step by step. A failure is told by its place and never by the values, which are the user's text."""

    def run(frame: Frame) -> Any:
        step: Run | None = None
        try:
            for step in steps:
                result = step(frame)
                if result is not None:
                    return result
        except (EngineError, Waiting):
            raise
        except Exception as error:
            place = places[steps.index(step)] if step else ""
            raise EngineError("exception", f"{place}: {type(error).__name__}") from None
        return None

    return run


def choice(branches: list[tuple[Run, Run]], otherwise: Run | None) -> Run:
    """The first body whose condition holds."""
    if len(branches) == 1 and otherwise is None:
        condition, body = branches[0]
        return lambda frame: body(frame) if condition(frame) else None

    def run(frame: Frame) -> Any:
        for condition, body in branches:
            if condition(frame):
                return body(frame)
        return otherwise(frame) if otherwise else None

    return run


def constant(value: Any) -> Run:
    """Always the same."""
    return lambda frame: value


def load(slot: int) -> Run:
    """A variable."""
    return lambda frame: frame[slot]


def store(slot: int, value: Run) -> Run:
    """Give a variable its value, and go on."""

    def run(frame: Frame) -> None:
        frame[slot] = value(frame)

    return run


def act(name: str) -> Run:
    """What an action answered; Waiting where it was not asked yet."""

    def run(frame: Frame) -> Any:
        answers = frame[0].answers
        if name not in answers:
            raise Waiting(name)
        return answers[name]

    return run


def call(body: Run, size: int, arguments: list[Run]) -> Run:
    """Run another flow's body in a frame of `size`, with the same scans."""
    blank = [None] * (size - 1 - len(arguments))
    return lambda frame: body([frame[0], *[argument(frame) for argument in arguments], *blank])[0]


def returned(value: Run) -> Run:
    """The flow's value, in a tuple of one."""
    return lambda frame: (value(frame),)


def listed(runs: Sequence[Run]) -> Run:
    """`[a, b]`."""
    return lambda frame: [run(frame) for run in runs]


def keyed(items: Sequence[tuple[str, Run]]) -> Run:
    """`{"key": a}`."""
    return lambda frame: {key: run(frame) for key, run in items}


def pair(operation: Callable[[Any, Any], Any], left: Run, right: Run) -> Run:
    """An operation on two values."""
    return lambda frame: operation(left(frame), right(frame))


def apply(operation: Callable[..., Any], *runs: Run) -> Run:
    """An operation on any number of values."""
    return lambda frame: operation(*[run(frame) for run in runs])


def chain(operations: list[Callable[[Any, Any], Any]], runs: tuple[Run, ...]) -> Run:
    """`a < b <= c`, up to the first comparison that fails."""

    def run(frame: Frame) -> Any:
        left = runs[0](frame)
        result: Any = True
        for operation, operand in zip(operations, runs[1:], strict=True):
            right = operand(frame)
            result = operation(left, right)
            if not result:
                break
            left = right
        return result

    return run


def conjunction(runs: list[Run]) -> Run:
    """The first operand that is false, else the last."""

    def run(frame: Frame) -> Any:
        value: Any = False
        for operand in runs:
            value = operand(frame)
            if not value:
                break
        return value

    return run


def disjunction(runs: list[Run]) -> Run:
    """The first operand that is true, else the last."""

    def run(frame: Frame) -> Any:
        value: Any = False
        for operand in runs:
            value = operand(frame)
            if value:
                break
        return value

    return run


def find_all(text: Run, number: int) -> Run:
    """Matched texts of regex `number` in a text."""
    return lambda frame: frame[0][text(frame)].find_all(number)


def search(text: Run, number: int) -> Run:
    """Whether regex `number` matches in a text."""
    return lambda frame: frame[0][text(frame)].search(number)


def find_all_in(slot: int, number: int) -> Run:
    """`find_all` in a variable."""
    return lambda frame: frame[0][frame[slot]].find_all(number)


def search_in(slot: int, number: int) -> Run:
    """`search` in a variable."""
    return lambda frame: frame[0][frame[slot]].search(number)


class Leaf(NamedTuple):
    """Statements that do nothing unless the text matches one of the regexes or has one of the words in it."""

    regexes: frozenset[int]
    words: frozenset[str]
    body: Run


def where_possible(slot: int, leaves: Sequence[Leaf]) -> Run:
    """Those leaves, in order, that may do something: one of their regexes matches, or one of their words stands there.

    The matcher's one pass tells which regexes can match, so only those few are tried.
    """
    owners: dict[int, list[int]] = {}
    for number, leaf in enumerate(leaves):
        for regex in leaf.regexes:
            owners.setdefault(regex, []).append(number)
    words = tuple((word, number) for number, leaf in enumerate(leaves) for word in leaf.words)
    bodies = tuple(leaf.body for leaf in leaves)

    def run(frame: Frame) -> None:
        text = frame[slot]
        scan = frame[0][text]
        opened: set[int] = set()
        for regex in scan.candidates:
            if regex in owners and not opened.issuperset(owners[regex]) and scan.search(regex):
                opened.update(owners[regex])
        opened.update(number for word, number in words if word in text)
        for number in sorted(opened):
            bodies[number](frame)

    return run
