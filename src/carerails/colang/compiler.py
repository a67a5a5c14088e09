"""From syntax trees to closures. A flow becomes a function of a frame: its scans, then its variables by number.

What is known at load (strings, lists, `+`, `join`, vocabulary flows) is computed here, so every pattern is a constant
with the line of each of its arms. Anything that could only fail in the middle of a turn is an error now.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from graphlib import CycleError, TopologicalSorter
from typing import Any

from carerails.colang import closures, values
from carerails.colang.closures import Frame, Run, Scans
from carerails.colang.diagnostics import Rejected, Report, nearest
from carerails.colang.tree import (
    Assign,
    Attribute,
    Await,
    Binary,
    Call,
    Compare,
    Constant,
    DictOf,
    Expression,
    Flow,
    If,
    Index,
    ListOf,
    Logic,
    Method,
    Node,
    Number,
    Return,
    Statement,
    Text,
    Unary,
    Variable,
)
from carerails.colang.values import Known, Piece
from carerails.matching import Matcher, arms

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
    """A whole regex as a flow uses it: its number in the matcher, its arms, and which function asks."""

    number: int
    function: str
    arms: tuple[Pattern, ...]


@dataclass(slots=True)
class CompiledFlow:
    """A flow that can run: `body(frame)` gives its value in a tuple of one."""

    flow: Flow
    size: int = 0
    body: Run = lambda frame: None
    regexes: list[Regex] = field(default_factory=list[Regex])
    calls: list[str] = field(default_factory=list[str])
    known: Known | None = None

    def __call__(self, scans: Scans, arguments: Iterable[Any]) -> Any:
        """Run it.

        Raises:
            EngineError: an operation does not fit its values; says where, never what they are.
        """
        frame: Frame = [scans, *arguments]
        frame.extend([None] * (self.size - len(frame)))
        return self.body(frame)[0]


def compile_flows(
    flows: Mapping[str, Flow], report: Report, *, given: Mapping[tuple[str, str], str] | None = None
) -> tuple[dict[str, CompiledFlow], tuple[str, ...]]:
    """Compile pure flows; gives them by name, and all distinct regexes by number.

    `given` says which parameter of which flow always gets the value of a constant flow.
    """
    given = {pair: name for pair, name in (given or {}).items() if pair[0] in flows and name in flows}
    graph = {name: {call.flow for call in _calls(flow.body) if call.flow in flows} for name, flow in flows.items()}
    for (name, _), constant in given.items():
        graph[name].add(constant)
    try:
        order = list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        circle: list[str] = error.args[1]
        flow = flows[circle[0]]
        report.add("recursion", flow.file, flow.line, flow.column, [flow.name, " -> ".join(reversed(circle))])
        return {}, ()
    compiled: dict[str, CompiledFlow] = {}
    regexes: dict[str, int] = {}
    for name in order:
        facts = {parameter: compiled[constant].known for (flow, parameter), constant in given.items() if flow == name}
        compiled[name] = _FlowCompiler(flows[name], facts, flows, compiled, regexes, report).compile()
    return {name: compiled[name] for name in flows}, tuple(regexes)


def matcher_of(flows: Mapping[str, CompiledFlow], regexes: Sequence[str], report: Report) -> Matcher:
    """One matcher of all regexes; those that are none go to `report`, each arm at its line."""
    try:
        return Matcher(regexes)
    except re.error:
        for flow in flows.values():
            for arm in dict.fromkeys(arm for regex in flow.regexes for arm in regex.arms):
                try:
                    re.compile(arm.regex)
                except re.error as error:
                    report.add("bad-regex", arm.file, arm.line, 1, [error])
        report.raise_if_any()
        raise


def _calls(body: Iterable[Statement]) -> Iterable[Await]:
    for statement in body:
        if isinstance(statement, Await):
            yield statement
        elif isinstance(statement, If):
            for branch in statement.branches:
                yield from _calls(branch.body)
            yield from _calls(statement.otherwise)


class _FlowCompiler:
    def __init__(
        self,
        flow: Flow,
        facts: Facts,
        flows: Mapping[str, Flow],
        compiled: Mapping[str, CompiledFlow],
        regexes: dict[str, int],
        report: Report,
    ) -> None:
        self.flow, self.flows, self.compiled, self.regexes, self.report = flow, flows, compiled, regexes, report
        names = dict.fromkeys((*flow.parameters, *flow.results))
        self.slots = {name: number for number, name in enumerate(names, 1)}
        # The runtime gives a result None to begin with.
        self.facts: Facts = {name: None if name in flow.parameters else Known(None) for name in names} | facts
        self.seen = set(names)
        self.returned: Known | None = None
        self.result = CompiledFlow(flow)

    def compile(self) -> CompiledFlow:
        body, ends = self.block(self.flow.body)
        if not ends:
            self.fail_softly("no-return", self.flow, [self.flow.name])
        self.result.body, self.result.size = body, len(self.slots) + 1
        last = self.flow.body[-1] if self.flow.body else None
        if isinstance(last, Return) and not any(isinstance(step, If) for step in self.flow.body):
            self.result.known = self.returned
        return self.result

    def fail_softly(self, code: str, node: Node, what: list[Any] | None = None, mend: list[Any] | None = None) -> None:
        self.report.add(code, self.flow.file, node.line, node.column, what or (), mend or ())

    def fail(self, code: str, node: Node, what: list[Any] | None = None, mend: list[Any] | None = None) -> Rejected:
        self.fail_softly(code, node, what, mend)
        return Rejected()

    # --- statements: a step gives None to go on, or the flow's value in a tuple

    def block(self, statements: tuple[Statement, ...]) -> tuple[Run, bool]:
        """The steps of a block as one, and whether each of its paths returns."""
        steps: list[Run] = []
        places: list[str] = []
        ends = False
        for statement in statements:
            if ends:
                self.fail_softly("unreachable", statement)
                break
            try:
                step, ends = self.statement(statement)
                steps.append(step)
                places.append(f"{self.flow.file}:{statement.line}, flow {self.flow.name}")
            except Rejected:
                # What follows is still read; the variable has a value, of which nothing is known.
                if isinstance(statement, (Assign, Await)):
                    self.assign(statement.name, None)
                ends = isinstance(statement, Return)
        return closures.sequence(steps, places), ends

    def statement(self, statement: Statement) -> tuple[Run, bool]:
        if isinstance(statement, Assign):
            value, known = self.value(statement.value)
            return closures.store(self.assign(statement.name, known), value), False
        if isinstance(statement, Await):
            value, known = self.await_call(statement)
            return closures.store(self.assign(statement.name, known), value), False
        if isinstance(statement, Return):
            value, self.returned = self.value(statement.value)
            return (lambda frame: (value(frame),)), True
        return self.if_statement(statement)

    def assign(self, name: str, known: Known | None) -> int:
        self.facts[name] = known
        self.seen.add(name)
        return self.slots.setdefault(name, len(self.slots) + 1)

    def if_statement(self, statement: If) -> tuple[Run, bool]:
        branches: list[tuple[Run, Run]] = []
        outcomes: list[Facts] = []
        all_end = True
        for branch in statement.branches:
            try:
                condition = self.value(branch.condition)[0]
            except Rejected:
                condition = closures.constant(None)
            before = dict(self.facts)
            body, ends = self.block(branch.body)
            branches.append((condition, body))
            all_end &= ends
            if not ends:
                outcomes.append(self.facts)
            self.facts = before
        otherwise, ends = self.block(statement.otherwise)
        if not ends:
            outcomes.append(self.facts)
        self.facts = _common(outcomes)
        return closures.choice(branches, otherwise if statement.otherwise else None), all_end and ends

    def await_call(self, call: Await) -> tuple[Run, Known | None]:
        target = self.flows.get(call.flow)
        if target is None:
            raise self.fail("undefined-flow", call, [call.flow], [nearest(call.flow, self.flows)])
        given: dict[str, Run] = {}
        for number, (name, argument) in enumerate(zip(call.names, call.arguments, strict=True)):
            value = self.value(argument)[0]
            if name and name not in target.parameters:
                self.fail_softly("undefined-argument", call, [call.flow, name], [nearest(name, target.parameters)])
            given[name or (target.parameters[number] if number < len(target.parameters) else str(number))] = value
        if len(call.arguments) != len(target.parameters) or set(given) != set(target.parameters):
            wanted = " ".join(f"${name}" for name in target.parameters) or "no argument"
            raise self.fail("argument-count", call, [call.flow, wanted, len(call.arguments)])
        compiled = self.compiled[call.flow]
        if compiled.known is not None:
            return closures.constant(compiled.known.value), compiled.known
        self.result.regexes += compiled.regexes
        self.result.calls.append(call.flow)
        return closures.call(compiled.body, compiled.size, [given[name] for name in target.parameters]), None

    # --- expressions

    def value(self, node: Expression) -> tuple[Run, Known | None]:
        """How to compute it, and what it is where that is known already."""
        run, known = self.dispatch(node)
        return (closures.constant(known.value) if known is not None else run), known

    def dispatch(self, node: Expression) -> tuple[Run, Known | None]:  # noqa: PLR0912 - one case a node
        match node:
            case Text():
                return closures.constant(node.value), Known.at(node.value, self.flow.file, node.line)
            case Number() | Constant():
                return closures.constant(node.value), Known(node.value)
            case Variable():
                return closures.load(self.slot(node, node.name)), self.facts[node.name]
            case ListOf():
                return self.list_of(node)
            case DictOf():
                return self.dict_of(node)
            case Index():
                return self.folded(node, (node.base, node.index), operator.getitem, closures.item, Known.item)
            case Attribute():
                return self.attribute(node)
            case Call():
                return self.call(node)
            case Method():
                operation = values.METHODS[node.name]
                exact = Known.joining if node.name == "join" else None
                operands = (node.base, *node.arguments)
                return self.folded(node, operands, operation, partial(closures.apply, operation), exact)
            case Unary():
                operation = values.UNARY[node.operator]
                return self.folded(node, (node.operand,), operation, partial(closures.apply, operation))
            case Binary():
                operation = values.BINARY[node.operator]
                exact = Known.plus if node.operator == "+" else None
                operands = (node.left, node.right)
                return self.folded(node, operands, operation, partial(closures.pair, operation), exact)
            case Compare():
                return self.compare(node)
            case Logic():
                runs = [self.value(operand)[0] for operand in node.operands]
                return (closures.conjunction if node.operator == "and" else closures.disjunction)(runs), None

    def folded(
        self,
        node: Node,
        operands: Iterable[Expression],
        operation: Callable[..., Any],
        run: Callable[..., Run],
        exact: Callable[..., Known] | None = None,
    ) -> tuple[Run, Known | None]:
        """An operation: done now if all operands are known, else `run` makes its closure from theirs.

        `exact` does the same on known values and keeps their places.
        """
        parts = [self.value(operand) for operand in operands]
        known = [fact for _, fact in parts if fact is not None]
        if len(known) < len(parts):
            return run(*(part for part, _ in parts)), None
        try:
            if exact is None:
                result = Known.at(operation(*(fact.value for fact in known)), self.flow.file, node.line)
            else:
                result = exact(*known)
        except Exception as error:
            # Whatever a constant operation raises now, it would raise in the middle of every turn.
            raise self.fail("constant-fails", node, [error]) from error
        return closures.constant(result.value), result

    def slot(self, node: Node, name: str) -> int:
        if name not in self.facts:
            if name in self.seen:
                raise self.fail("maybe-undefined", node, [name])
            raise self.fail("undefined-variable", node, [name], [nearest(name, self.facts)])
        return self.slots[name]

    def attribute(self, node: Attribute) -> tuple[Run, Known | None]:
        owner, key = Variable(node.line, node.column, node.variable), node.key
        attribute = values.attribute

        def run(value: Run) -> Run:
            return lambda frame: attribute(value(frame), key)

        def exact(known: Known) -> Known:
            return known.attribute(key)

        return self.folded(node, (owner,), attribute, run, exact)

    def list_of(self, node: ListOf) -> tuple[Run, Known | None]:
        parts = [self.value(item) for item in node.items]
        known = [fact for _, fact in parts if fact is not None]
        runs = [run for run, _ in parts]
        return (lambda frame: [run(frame) for run in runs]), Known.of_list(known) if len(known) == len(parts) else None

    def dict_of(self, node: DictOf) -> tuple[Run, Known | None]:
        parts = [self.value(value) for value in node.values]
        known = [fact for _, fact in parts if fact is not None]
        items = [(key, run) for key, (run, _) in zip(node.keys, parts, strict=True)]
        value = Known.of_dict(node.keys, known) if len(known) == len(parts) else None
        return (lambda frame: {key: run(frame) for key, run in items}), value

    def compare(self, node: Compare) -> tuple[Run, Known | None]:
        operations = [values.COMPARE[name] for name in node.operators]

        def chain(*runs: Run) -> Run:
            return closures.pair(operations[0], *runs) if len(runs) == 2 else closures.chain(operations, runs)

        def now(*known: Any) -> Any:
            return chain(*(closures.constant(value) for value in known))([])

        return self.folded(node, node.operands, now, chain)

    def call(self, node: Call) -> tuple[Run, Known | None]:
        if node.function in values.PLAIN:
            operation = values.PLAIN[node.function]
            return self.folded(node, node.arguments, operation, partial(closures.apply, operation))
        pattern = self.value(node.arguments[0])[1]
        text = self.value(node.arguments[1])[0]
        if pattern is None or not isinstance(pattern.value, str):
            raise self.fail("pattern-not-constant", node.arguments[0])
        number = self.regex(node, pattern)
        return (closures.find_all if node.function == "find_all" else closures.search)(text, number), None

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
        self.result.regexes.append(Regex(number, node.function, tuple(found)))
        return number

    def home(self, node: Node, pieces: list[Piece]) -> tuple[str, int]:
        """File and line of an arm: where this file adds to it, else where its first word comes from."""
        piece = _telling([piece for piece in pieces if piece.file == self.flow.file]) or _telling(pieces)
        return (piece.file, piece.line) if piece else (self.flow.file, node.line)


def _telling(pieces: list[Piece]) -> Piece | None:
    """The first piece that says something: a boundary or a joint does not."""
    return next((piece for piece in pieces if _WORD.search(piece.text)), pieces[0] if pieces else None)


def _common(outcomes: list[Facts]) -> Facts:
    """What is sure after an `if`: variables that every path sets, and values on which all paths agree."""
    if not outcomes:
        return {}
    first, *others = outcomes
    names = [name for name in first if all(name in other for other in others)]
    return {name: first[name] if all(other[name] == first[name] for other in others) else None for name in names}
