"""From syntax trees to closures. A flow becomes a function of a frame: its scans, then its variables by number.

What is known at load (strings, lists, `+`, `join`, vocabulary flows) is computed here, so every pattern is a constant
with the line of each of its arms. Anything that could only fail in the middle of a turn is an error now.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import Any

from carerails.colang import values
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
from carerails.colang.values import Known
from carerails.errors import EngineError
from carerails.matching import Matcher, Scan, arms

Frame = list[Any]
Run = Callable[[Frame], Any]
#: What the compiler knows of a variable: its value, or only that it has one.
Facts = dict[str, "Known | None"]


class Scans(dict[str, Scan]):
    """The scans of one evaluation, by text: each distinct text is scanned once."""

    def __init__(self, matcher: Matcher) -> None:
        super().__init__()
        self._matcher = matcher

    def __missing__(self, text: str) -> Scan:
        # `re` refuses None and numbers, so they may not pass as a text without a match either.
        if type(text) is not str:
            raise TypeError("not a string")
        scan = self[text] = self._matcher.scan(text)
        return scan


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
        return _sequence(steps, places), ends

    def statement(self, statement: Statement) -> tuple[Run, bool]:
        if isinstance(statement, Assign):
            value, known = self.value(statement.value)
            return _store(self.assign(statement.name, known), value), False
        if isinstance(statement, Await):
            value, known = self.await_call(statement)
            return _store(self.assign(statement.name, known), value), False
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
                condition = _constant(None)
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
        return _choice(branches, otherwise if statement.otherwise else None), all_end and ends

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
            return _constant(compiled.known.value), compiled.known
        self.result.regexes += compiled.regexes
        self.result.calls.append(call.flow)
        return _call(compiled, [given[name] for name in target.parameters]), None

    # --- expressions

    def value(self, node: Expression) -> tuple[Run, Known | None]:
        """How to compute it, and what it is where that is known already."""
        run, known = getattr(self, f"_{type(node).__name__.lower()}")(node)
        return (_constant(known.value) if known is not None else run), known

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
        return _constant(result.value), result

    def _text(self, node: Text) -> tuple[Run, Known]:
        return _constant(node.value), Known.at(node.value, self.flow.file, node.line)

    def _number(self, node: Number) -> tuple[Run, Known]:
        return _constant(node.value), Known(node.value)

    def _constant(self, node: Constant) -> tuple[Run, Known]:
        return _constant(node.value), Known(node.value)

    def _variable(self, node: Variable) -> tuple[Run, Known | None]:
        return _load(self.slot(node, node.name)), self.facts[node.name]

    def slot(self, node: Node, name: str) -> int:
        if name not in self.facts:
            if name in self.seen:
                raise self.fail("maybe-undefined", node, [name])
            raise self.fail("undefined-variable", node, [name], [nearest(name, self.facts)])
        return self.slots[name]

    def _attribute(self, node: Attribute) -> tuple[Run, Known | None]:
        owner, key = Variable(node.line, node.column, node.variable), node.key
        attribute = values.attribute
        return self.folded(
            node,
            (owner,),
            lambda value: attribute(value, key),
            lambda run: lambda frame: attribute(run(frame), key),
            lambda known: known.attribute(key),
        )

    def _listof(self, node: ListOf) -> tuple[Run, Known | None]:
        parts = [self.value(item) for item in node.items]
        known = [fact for _, fact in parts if fact is not None]
        runs = [run for run, _ in parts]
        return (lambda frame: [run(frame) for run in runs]), Known.of_items(known) if len(known) == len(parts) else None

    def _dictof(self, node: DictOf) -> tuple[Run, Known | None]:
        parts = [self.value(value) for value in node.values]
        known = [fact for _, fact in parts if fact is not None]
        items = [(key, run) for key, (run, _) in zip(node.keys, parts, strict=True)]
        value = Known.of_dict(node.keys, known) if len(known) == len(parts) else None
        return (lambda frame: {key: run(frame) for key, run in items}), value

    def _index(self, node: Index) -> tuple[Run, Known | None]:
        return self.folded(node, (node.base, node.index), operator.getitem, _item, Known.item)

    def _unary(self, node: Unary) -> tuple[Run, Known | None]:
        operation = values.UNARY[node.operator]
        return self.folded(node, (node.operand,), operation, lambda run: _apply(operation, (run,)))

    def _binary(self, node: Binary) -> tuple[Run, Known | None]:
        operation = values.BINARY[node.operator]
        exact = Known.plus if node.operator == "+" else None
        return self.folded(node, (node.left, node.right), operation, lambda a, b: _pair(operation, a, b), exact)

    def _compare(self, node: Compare) -> tuple[Run, Known | None]:
        operations = [values.COMPARE[name] for name in node.operators]

        def chain(*runs: Run) -> Run:
            return _pair(operations[0], *runs) if len(runs) == 2 else _chain(operations, runs)

        def now(*known: Any) -> Any:
            return chain(*(_constant(value) for value in known))([])

        return self.folded(node, node.operands, now, chain)

    def _logic(self, node: Logic) -> tuple[Run, None]:
        runs = [self.value(operand)[0] for operand in node.operands]
        return (_all if node.operator == "and" else _any)(runs), None

    def _method(self, node: Method) -> tuple[Run, Known | None]:
        operation = values.METHODS[node.name]
        exact = Known.joining if node.name == "join" else None
        operands = (node.base, *node.arguments)
        return self.folded(node, operands, operation, lambda *runs: _apply(operation, runs), exact)

    def _call(self, node: Call) -> tuple[Run, Known | None]:
        if node.function in values.PLAIN:
            operation = values.PLAIN[node.function]
            return self.folded(node, node.arguments, operation, lambda *runs: _apply(operation, runs))
        pattern = self.value(node.arguments[0])[1]
        text = self.value(node.arguments[1])[0]
        if pattern is None or not isinstance(pattern.value, str):
            raise self.fail("pattern-not-constant", node.arguments[0])
        number = self.regex(node, pattern)
        return (_find_all if node.function == "find_all" else _search)(text, number), None

    def regex(self, node: Call, pattern: Known) -> int:
        """The pattern's number; its arms are noted with their places."""
        source: str = pattern.value
        try:
            groups = re.compile(source).groups
        except (re.error, OverflowError, RecursionError) as error:
            place = pattern.place(getattr(error, "pos", None) or 0)
            if place is None or place.file != self.flow.file:
                raise self.fail("bad-regex", node, [error]) from error
            self.report.add("bad-regex", place.file, place.line, 1, [error])
            raise Rejected from error
        if groups:
            raise self.fail("capture-group", node)
        found: list[Pattern] = []
        offset = 0
        for arm in arms(source):
            place = pattern.place(offset)
            file, line = (place.file, place.line) if place else (self.flow.file, node.line)
            found.append(Pattern(arm, file, line))
            offset += len(arm) + 1
        number = self.regexes.setdefault(source, len(self.regexes))
        self.result.regexes.append(Regex(number, node.function, tuple(found)))
        return number


def _common(outcomes: list[Facts]) -> Facts:
    """What is sure after an `if`: variables that every path sets, and values on which all paths agree."""
    if not outcomes:
        return {}
    first, *others = outcomes
    names = [name for name in first if all(name in other for other in others)]
    return {name: first[name] if all(other[name] == first[name] for other in others) else None for name in names}


# --- closures


def _sequence(steps: list[Run], places: list[str]) -> Run:
    """Step by step. A failure is told by its place and never by the values, which are the user's text."""

    def run(frame: Frame) -> Any:
        step: Run | None = None
        try:
            for step in steps:
                result = step(frame)
                if result is not None:
                    return result
        except EngineError:
            raise
        except Exception as error:
            place = places[steps.index(step)] if step else ""
            raise EngineError("exception", f"{place}: {type(error).__name__}") from None
        return None

    return run


def _choice(branches: list[tuple[Run, Run]], otherwise: Run | None) -> Run:
    if len(branches) == 1 and otherwise is None:
        condition, body = branches[0]
        return lambda frame: body(frame) if condition(frame) else None

    def run(frame: Frame) -> Any:
        for condition, body in branches:
            if condition(frame):
                return body(frame)
        return otherwise(frame) if otherwise else None

    return run


def _constant(value: Any) -> Run:
    return lambda frame: value


def _load(slot: int) -> Run:
    return lambda frame: frame[slot]


def _store(slot: int, value: Run) -> Run:
    def run(frame: Frame) -> None:
        frame[slot] = value(frame)

    return run


def _call(target: CompiledFlow, arguments: list[Run]) -> Run:
    body, blank = target.body, [None] * (target.size - 1 - len(arguments))
    return lambda frame: body([frame[0], *[argument(frame) for argument in arguments], *blank])[0]


def _item(base: Run, index: Run) -> Run:
    return lambda frame: base(frame)[index(frame)]


def _pair(operation: Callable[[Any, Any], Any], left: Run, right: Run) -> Run:
    return lambda frame: operation(left(frame), right(frame))


def _apply(operation: Callable[..., Any], arguments: Iterable[Run]) -> Run:
    runs = tuple(arguments)
    return lambda frame: operation(*[run(frame) for run in runs])


def _chain(operations: list[Callable[[Any, Any], Any]], runs: tuple[Run, ...]) -> Run:
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


def _all(runs: list[Run]) -> Run:
    def run(frame: Frame) -> Any:
        value: Any = False
        for operand in runs:
            value = operand(frame)
            if not value:
                break
        return value

    return run


def _any(runs: list[Run]) -> Run:
    def run(frame: Frame) -> Any:
        value: Any = False
        for operand in runs:
            value = operand(frame)
            if value:
                break
        return value

    return run


def _find_all(text: Run, number: int) -> Run:
    return lambda frame: frame[0][text(frame)].find_all(number)


def _search(text: Run, number: int) -> Run:
    return lambda frame: frame[0][text(frame)].search(number)
