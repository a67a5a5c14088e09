"""Guards in the order of checks: `if search($guards.key, $text)`, then rules and their hits.

A guard only saves time. NeMo's runtime needs its pattern; here the matcher knows after one pass which regexes can
match, and `nothing_unless` proves at load which of them a rule asks before it gives up, so a rule is skipped exactly
where it would hit nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from carerails.colang.closures import Run
from carerails.colang.tree import Assign, Attribute, Await, Binary, Call, If, ListOf, Statement, Text, Variable
from carerails.colang.values import Unseen
from carerails.errors import EngineError


def is_guard(statement: If, given: Collection[str]) -> bool:
    """Whether it is `if search($guards.key, $text)`, without elif and else; `given` has the name `guards`."""
    condition = statement.branches[0].condition
    return (
        len(statement.branches) == 1
        and not statement.otherwise
        and isinstance(condition, Call)
        and condition.function == "search"
        and isinstance(condition.arguments[0], Attribute)
        and condition.arguments[0].variable in given
        and isinstance(condition.arguments[1], Variable)
    )


def only_reports(body: Iterable[Statement], text: str, silent: Collection[str], given: Collection[str]) -> bool:
    """Whether a block does nothing but ask `silent` rules about `$text` and add their hits to a list."""
    terms: set[str] = set()
    for statement in body:
        match statement:
            case Await(flow=flow, names=("",), arguments=(Variable(name=asked),)) if flow in silent and asked == text:
                terms.add(statement.name)
            case Assign(
                name=name,
                value=Binary(
                    operator="+",
                    left=Variable(name=same),
                    right=ListOf(items=(ListOf(items=(Text(), Variable(name=found))),)),
                ),
            ) if name == same and found in terms:
                pass
            case If() if is_guard(statement, given) and only_reports(statement.branches[0].body, text, silent, given):
                pass
            case _:
                return False
    return True


class Unless(NamedTuple):
    """What a text must have for a flow of one text to give more than an empty value: a match, or a word."""

    regexes: frozenset[int]
    words: frozenset[str]


def nothing_unless(body: Run, size: int) -> Unless | None:
    """What the flow asks about a text before it gives an empty value, if the answer is no each time.

    It is run on a text that matches nothing, in which nothing can be replaced, and that may not be looked at otherwise:
    on a text without any of what was asked, it takes the same path. None: that was no proof.
    """
    text = Unseen()
    scans = _Nowhere(text)
    try:
        value = body([scans, text, *[None] * (size - 2)])[0]
        return None if value else Unless(frozenset(scans.asked), frozenset(text.replaced))
    except (EngineError, TypeError):
        return None


class _Nowhere:
    """The scans of that text, and of no other."""

    def __init__(self, text: Unseen) -> None:
        self._text = text
        self.asked: set[int] = set()

    def __getitem__(self, text: object) -> _Nowhere:
        if text is not self._text:
            raise TypeError("the value depends on another text")
        return self

    def find_all(self, number: int) -> list[str]:
        self.asked.add(number)
        return []

    def search(self, number: int) -> bool:
        self.asked.add(number)
        return False
