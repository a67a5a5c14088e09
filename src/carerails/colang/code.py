"""What a flow is compiled to: nested tuples of an operation's name and what it needs, so that they can be kept.

`link` makes functions of them, those of `closures`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from carerails.colang import closures, values
from carerails.colang.closures import Leaf, Run

Code = Sequence[Any]
"""The name of an operation, and its operands. JSON makes lists of the tuples, which are as good."""


class Callee(Protocol):
    """A flow that code may call."""

    @property
    def body(self) -> Run:
        """Gives its value in a tuple of one."""
        ...

    @property
    def size(self) -> int:
        """Of its frame."""
        ...


#: What can be done with values alone, by kind and name.
OPERATIONS: Mapping[str, Mapping[str, Callable[..., Any]]] = {
    "method": values.METHODS,
    "unary": values.UNARY,
    "binary": values.BINARY,
    "plain": values.PLAIN,
    "compare": values.COMPARE,
    "index": {"[]": operator.getitem},
    "attribute": {".": values.attribute},
}


def constant(value: Any) -> Code:
    """Always the same."""
    return ("constant", value)


def apply(kind: str, name: str, *operands: Code) -> Code:
    """One of OPERATIONS."""
    return ("apply", kind, name, *operands)


def link(code: Code, flows: Mapping[str, Callee]) -> Run:  # noqa: PLR0912 - one case an operation
    """The code as a function of a frame.

    Args:
        code: as compiled, or read back from JSON.
        flows: those that it calls.

    Raises:
        KeyError: no such flow or operation.
    """

    def linked(part: Code) -> Run:
        return link(part, flows)

    name, *operands = code
    match name:
        case "constant" | "load" | "find_all_in" | "search_in" | "act":
            return getattr(closures, name)(*operands)
        case "store":
            return closures.store(operands[0], linked(operands[1]))
        case "find_all" | "search":
            return getattr(closures, name)(linked(operands[0]), operands[1])
        case "apply":
            operation = OPERATIONS[operands[0]][operands[1]]
            runs = list(map(linked, operands[2:]))
            return (closures.pair if len(runs) == 2 else closures.apply)(operation, *runs)
        case "chain":
            return closures.chain([values.COMPARE[sign] for sign in operands[0]], tuple(map(linked, operands[1:])))
        case "and" | "or":
            return (closures.conjunction if name == "and" else closures.disjunction)(list(map(linked, operands)))
        case "list":
            return closures.listed(list(map(linked, operands)))
        case "dict":
            return closures.keyed([(key, linked(part)) for key, part in operands])
        case "call":
            callee = flows[operands[0]]
            return closures.call(callee.body, callee.size, list(map(linked, operands[1:])))
        case "return":
            return closures.returned(linked(operands[0]))
        case "steps":
            return closures.sequence([linked(part) for part, _ in operands], [place for _, place in operands])
        case "choice":
            branches, otherwise = operands
            runs = [(linked(condition), linked(body)) for condition, body in branches]
            return closures.choice(runs, linked(otherwise) if otherwise else None)
        case "where possible":
            slot, leaves = operands
            return closures.where_possible(
                slot, [Leaf(frozenset(regexes), frozenset(words), linked(body)) for regexes, words, body in leaves]
            )
        case _:
            raise KeyError(name)
