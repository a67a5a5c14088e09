"""The syntax tree: frozen nodes that know their line and column (from 1); a flow knows its file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from operator import attrgetter
from typing import Any, Literal

#: What of a syntax tree no decision depends on.
_PLACES = frozenset(("line", "column", "file", "doc"))


@dataclass(frozen=True, slots=True)
class Node:
    """Where it starts."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Text(Node):
    """A string, decoded."""

    value: str


@dataclass(frozen=True, slots=True)
class Number(Node):
    """A whole number."""

    value: int


@dataclass(frozen=True, slots=True)
class Constant(Node):
    """True, False or None."""

    value: bool | None


@dataclass(frozen=True, slots=True)
class Variable(Node):
    """`$name`."""

    name: str


@dataclass(frozen=True, slots=True)
class ListOf(Node):
    """`[a, b]`."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class DictOf(Node):
    """`{"key": a}`."""

    keys: tuple[str, ...]
    values: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Index(Node):
    """`base[index]`."""

    base: Expression
    index: Expression


@dataclass(frozen=True, slots=True)
class Attribute(Node):
    """`$variable.key`: None where the key is missing."""

    variable: str
    key: str


@dataclass(frozen=True, slots=True)
class Call(Node):
    """`function(a, b)`."""

    function: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Method(Node):
    """`base.name(a, b)`."""

    base: Expression
    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Unary(Node):
    """`-a` or `not a`."""

    operator: Literal["-", "not"]
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary(Node):
    """`a + b`, `a - b`, `a * b`."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Compare(Node):
    """`a < b <= c`: one operator fewer than operands."""

    operators: tuple[str, ...]
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Logic(Node):
    """`a and b and c`, or `a or b`: the value of the operand that decides."""

    operator: Literal["and", "or"]
    operands: tuple[Expression, ...]


Expression = (
    Text
    | Number
    | Constant
    | Variable
    | ListOf
    | DictOf
    | Index
    | Attribute
    | Call
    | Method
    | Unary
    | Binary
    | Compare
    | Logic
)


@dataclass(frozen=True, slots=True)
class Assign(Node):
    """`$name = value`."""

    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Await(Node):
    """`$name = await flow $a $parameter=$b`. `names` has "" for an argument given by position."""

    name: str
    flow: str
    names: tuple[str, ...]
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Act(Node):
    """`$name = await SomeAction()`: somebody outside the rails is asked. Only `flow check meaning` may."""

    name: str
    action: str


@dataclass(frozen=True, slots=True)
class Branch(Node):
    """A condition of an `if` and what follows from it."""

    condition: Expression
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class If(Node):
    """`if`, its `elif`s, and the body of `else` (empty where there is none)."""

    branches: tuple[Branch, ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Return(Node):
    """`return value`."""

    value: Expression


Statement = Assign | Await | Act | If | Return
Literals = str | int | bool | None


@dataclass(frozen=True, slots=True)
class Flow(Node):
    """A flow. The one that is not pure, `main`, is kept as it is written, in `source`, and never run here."""

    name: str
    file: str
    parameters: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    meta: tuple[tuple[str, Literals], ...] | None = None
    doc: str = ""
    body: tuple[Statement, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True)
class Import(Node):
    """`import name`, in the file of `main`."""

    name: str


@dataclass(frozen=True, slots=True)
class File:
    """One `.co` file."""

    name: str
    flows: tuple[Flow, ...]
    imports: tuple[Import, ...] = ()


@dataclass(frozen=True, slots=True)
class Example:
    """What somebody may write, under the category that it belongs to."""

    text: str
    locale: str
    category: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Source:
    """A file's name inside the rails, and what it says."""

    name: str
    text: str


def shape(node: object) -> object:
    """What a syntax tree says, wherever it stands."""
    if isinstance(node, tuple):
        return tuple(map(shape, node))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    if is_dataclass(node) and not isinstance(node, type):
        return (type(node).__name__, *map(shape, _parts(type(node))(node)))
    return node


def walk(node: object) -> Iterator[Node]:
    """Every node of a tree, the outer ones first."""
    ahead = [node]
    while ahead:
        node = ahead.pop()
        if isinstance(node, tuple):
            ahead.extend(reversed(node))  # pyright: ignore[reportUnknownArgumentType]
        elif isinstance(node, (Node, Branch)):
            yield node
            ahead.extend(reversed(_parts(type(node))(node)))


@cache
def _parts(kind: type[Any]) -> Callable[[object], tuple[object, ...]]:
    """What gives the parts of a node, places aside. Linting walks all trees, so this is worth one look at a class."""
    names = [field.name for field in fields(kind) if field.name not in _PLACES]
    if len(names) > 1:
        return attrgetter(*names)
    return lambda node: tuple([getattr(node, name) for name in names])


def calls(body: Iterable[Statement]) -> Iterator[Await]:
    """The calls of flows in a body, in order."""
    for statement in body:
        if isinstance(statement, Await):
            yield statement
        elif isinstance(statement, If):
            for branch in statement.branches:
                yield from calls(branch.body)
            yield from calls(statement.otherwise)
