"""Compiling expressions: each becomes code, or, where all of it is known at load, a value with its places."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from carerails.colang import code, values
from carerails.colang.code import Code
from carerails.colang.diagnostics import Rejected, Report, nearest
from carerails.colang.tree import (
    Attribute,
    Binary,
    Call,
    Compare,
    Constant,
    DictOf,
    Expression,
    Flow,
    Index,
    ListOf,
    Logic,
    Method,
    Node,
    Number,
    Text,
    Unary,
    Variable,
)
from carerails.colang.values import Known, Piece
from carerails.matching import arms

_WORD = re.compile(r"[a-z]{3}")
_GROUP = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|(?P<captures>\((?:\?P<|(?!\?)))", re.DOTALL)
#: What the compiler knows of a variable: its value, or only that it has one.
Facts = dict[str, "Known | None"]


@dataclass(frozen=True, slots=True)
class Pattern:
    """One arm of a regex, and the line that it stands on."""

    regex: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Regex:
    """A whole regex as a flow uses it: its number in the matcher, its arms, and which function asks.

    `partial`: it searches a part that another pattern found, and not the text.
    """

    number: int
    function: str
    arms: tuple[Pattern, ...]
    partial: bool


class ExpressionCompiler:
    """Knows which variables of a flow have a value at this point, and which value where that is known.

    Args:
        facts: of the variables that have one at the start, in the order of their slots.
        regexes: all distinct regexes of the policy by number; grows.
    """

    def __init__(self, flow: Flow, facts: Facts, regexes: dict[str, int], report: Report) -> None:
        self.flow, self.facts, self.regexes, self.report = flow, dict(facts), regexes, report
        self.slots = {name: number for number, name in enumerate(facts, 1)}
        self.seen = set(facts)
        #: Slots that are read at run time.
        self.loaded: set[int] = set()
        #: Variables that hold the text, or what a replacement left of it.
        self.texts = set(flow.parameters[:1])
        #: What the flow searches for, in order.
        self.asked: list[Regex] = []

    def fail_softly(self, code: str, node: Node, what: list[Any] | None = None, mend: list[Any] | None = None) -> None:
        """Report, and read on."""
        self.report.add(code, self.flow.file, node.line, node.column, what or (), mend or ())

    def fail(self, code: str, node: Node, what: list[Any] | None = None, mend: list[Any] | None = None) -> Rejected:
        """Report; to be raised."""
        self.fail_softly(code, node, what, mend)
        return Rejected()

    def value(self, node: Expression) -> tuple[Code, Known | None]:
        """How to compute it, and what it is where that is known already."""
        run, known = self.dispatch(node)
        return (code.constant(known.value) if known is not None else run), known

    def dispatch(self, node: Expression) -> tuple[Code, Known | None]:  # noqa: PLR0912 - one case a node
        """As `value`, by kind of node."""
        match node:
            case Text():
                return code.constant(node.value), Known.at(node.value, self.flow.file, node.line)
            case Number() | Constant():
                return code.constant(node.value), Known(node.value)
            case Variable():
                known = self.known(node)
                return ("load", self.slots[node.name] if known else self.load(node)), known
            case ListOf():
                return self.list_of(node)
            case DictOf():
                return self.dict_of(node)
            case Index():
                return self.folded(node, (node.base, node.index), "index", "[]", Known.item)
            case Attribute():
                return self.attribute(node)
            case Call():
                return self.call(node)
            case Method():
                exact = Known.joining if node.name == "join" else Known.replacing
                operands = (node.base, *node.arguments)
                return self.folded(node, operands, "method", node.name, exact)
            case Unary():
                return self.folded(node, (node.operand,), "unary", node.operator)
            case Binary():
                exact = Known.plus if node.operator == "+" else None
                operands = (node.left, node.right)
                return self.folded(node, operands, "binary", node.operator, exact)
            case Compare():
                return self.compare(node)
            case Logic():
                return (node.operator, *[self.value(operand)[0] for operand in node.operands]), None

    def folded(
        self,
        node: Node,
        operands: Iterable[Expression],
        kind: str,
        name: str,
        exact: Callable[..., Known] | None = None,
    ) -> tuple[Code, Known | None]:
        """One of OPERATIONS: done now if all operands are known, else its code.

        `exact` does the same on known values and keeps their places.
        """
        parts = [self.value(operand) for operand in operands]
        known = [fact for _, fact in parts if fact is not None]
        if len(known) < len(parts):
            return code.apply(kind, name, *(part for part, _ in parts)), None
        try:
            if exact is None:
                result = Known.at(
                    code.OPERATIONS[kind][name](*(fact.value for fact in known)), self.flow.file, node.line
                )
            else:
                result = exact(*known)
        except Exception as error:
            # Whatever a constant operation raises now, it would raise in the middle of every turn.
            raise self.fail("constant-fails", node, [error]) from error
        return code.constant(result.value), result

    def known(self, node: Variable) -> Known | None:
        """Its value, where it is known; it must have one."""
        if node.name not in self.facts:
            if node.name in self.seen:
                raise self.fail("maybe-undefined", node, [node.name])
            raise self.fail("undefined-variable", node, [node.name], [nearest(node.name, self.facts)])
        return self.facts[node.name]

    def load(self, node: Variable) -> int:
        """The slot that it is read from at run time."""
        slot = self.slots[node.name]
        self.loaded.add(slot)
        return slot

    def attribute(self, node: Attribute) -> tuple[Code, Known | None]:
        """`$variable.key`."""
        owner, key = Variable(node.line, node.column, node.variable), Text(node.line, node.column, node.key)
        return self.folded(node, (owner, key), "attribute", ".", _attribute)

    def list_of(self, node: ListOf) -> tuple[Code, Known | None]:
        """`[a, b]`."""
        parts = [self.value(item) for item in node.items]
        known = [fact for _, fact in parts if fact is not None]
        return ("list", *[part for part, _ in parts]), Known.of_list(known) if len(known) == len(parts) else None

    def dict_of(self, node: DictOf) -> tuple[Code, Known | None]:
        """`{"key": a}`."""
        parts = [self.value(value) for value in node.values]
        known = [fact for _, fact in parts if fact is not None]
        items = [(key, part) for key, (part, _) in zip(node.keys, parts, strict=True)]
        value = Known.of_dict(node.keys, known) if len(known) == len(parts) else None
        return ("dict", *items), value

    def compare(self, node: Compare) -> tuple[Code, Known | None]:
        """`a < b <= c`."""
        if len(node.operators) == 1:
            return self.folded(node, node.operands, "compare", node.operators[0])
        parts = [self.value(operand) for operand in node.operands]
        chain = ("chain", node.operators, *[part for part, _ in parts])
        if any(known is None for _, known in parts):
            return chain, None
        try:
            result = Known.at(code.link(chain, {})([]), self.flow.file, node.line)
        except Exception as error:
            raise self.fail("constant-fails", node, [error]) from error
        return code.constant(result.value), result

    def call(self, node: Call) -> tuple[Code, Known | None]:
        """`search`, `find_all`, or a plain function."""
        if node.function in values.PLAIN:
            return self.folded(node, node.arguments, "plain", node.function)
        pattern = self.value(node.arguments[0])[1]
        text = node.arguments[1]
        if pattern is None or not isinstance(pattern.value, str):
            raise self.fail("pattern-not-constant", node.arguments[0])
        number = self.regex(node, pattern)
        finds = node.function == "find_all"
        if isinstance(text, Variable) and not self.known(text):
            return ("find_all_in" if finds else "search_in", self.load(text), number), None
        return (node.function, self.value(text)[0], number), None

    def regex(self, node: Call, pattern: Known) -> int:
        """The pattern's number; its arms are noted with their places."""
        source: str = pattern.value
        if any(group["captures"] for group in _GROUP.finditer(source)):
            raise self.fail("capture-group", node)
        found: list[Pattern] = []
        offset = 0
        for arm in arms(source):
            found.append(Pattern(arm, *self.home(node, pattern.within(offset, offset + len(arm)))))
            offset += len(arm) + 1
        number = self.regexes.setdefault(source, len(self.regexes))
        self.asked.append(Regex(number, node.function, tuple(found), not self.is_text(node.arguments[1])))
        return number

    def is_text(self, node: Expression) -> bool:
        """Whether it is the flow's text, whole or with replacements."""
        while isinstance(node, Method) and node.name == "replace":
            node = node.base
        return isinstance(node, Variable) and node.name in self.texts

    def home(self, node: Node, pieces: list[Piece]) -> tuple[str, int]:
        """File and line of an arm: where this file adds to it, else where its first word comes from."""
        piece = _telling([piece for piece in pieces if piece.file == self.flow.file]) or _telling(pieces)
        return (piece.file, piece.line) if piece else (self.flow.file, node.line)


def _attribute(owner: Known, key: Known) -> Known:
    return owner.attribute(key.value)


def _telling(pieces: list[Piece]) -> Piece | None:
    """The first piece that says something: a boundary or a joint does not."""
    return next((piece for piece in pieces if _WORD.search(piece.text)), pieces[0] if pieces else None)
