"""From syntax trees to code. A flow becomes a function of a frame: its scans, then its variables by number.

What is known at load (strings, lists, `+`, `join`, vocabulary flows) is computed here, so every pattern is a constant
with the line of each of its arms. Anything that could only fail in the middle of a turn is an error now.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import Any, NamedTuple

from carerails.colang.closures import Frame, Run, Scans
from carerails.colang.code import Code, constant, link
from carerails.colang.diagnostics import Rejected, Report, nearest
from carerails.colang.folding import ExpressionCompiler, Facts, Regex
from carerails.colang.guards import Unless, is_guard, nothing_unless, only_reports
from carerails.colang.rules import ACTIONS, MEANING
from carerails.colang.tree import Act, Assign, Await, Flow, If, Return, Statement, calls
from carerails.colang.values import Known
from carerails.matching import Matcher


class _Constant(NamedTuple):
    """A step that gives a variable a known value: needed only where the variable is read at run time."""

    slot: int
    step: tuple[Code, str]
    block: list[Any]

    def drop(self) -> None:
        place = next(place for place, step in enumerate(self.block) if step is self.step)
        del self.block[place]


#: A step of rules behind guards.
_GUARDED = "where possible"


@dataclass(slots=True)
class CompiledFlow:
    """A flow that can run: `body(frame)` gives its value in a tuple of one.

    Attributes:
        size: of a frame.
        code: what `body` is made of.
        regexes: what it searches for, itself or through the flows that it calls.
        known: its value, where that does not depend on the arguments.
        unless: it takes one text, and its value is empty unless that text has one of these; None where that cannot be
            proved.
    """

    flow: Flow
    size: int
    code: Code
    body: Run
    regexes: list[Regex] = field(default_factory=list[Regex])
    known: Known | None = None
    unless: Unless | None = None

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
    """Compile pure flows; gives them by name, each behind those that it calls, and all distinct regexes by number.

    `given` says which parameter of which flow always gets the value of a constant flow.
    """
    given = {pair: name for pair, name in (given or {}).items() if pair[0] in flows and name in flows}
    # Without sets, so that regexes have the same numbers in every process.
    graph = {name: [call.flow for call in calls(flow.body) if call.flow in flows] for name, flow in flows.items()}
    for (name, _), needed in given.items():
        graph[name].append(needed)
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
    return compiled, tuple(regexes)


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


class _FlowCompiler(ExpressionCompiler):
    def __init__(
        self,
        flow: Flow,
        given: Facts,
        flows: Mapping[str, Flow],
        compiled: Mapping[str, CompiledFlow],
        regexes: dict[str, int],
        report: Report,
    ) -> None:
        # The runtime gives a result None to begin with.
        facts: Facts = dict.fromkeys(flow.parameters) | given
        super().__init__(flow, facts | {n: Known(None) for n in flow.results if n not in facts}, regexes, report)
        self.flows, self.compiled, self.given = flows, compiled, frozenset(given)
        self.returned: Known | None = None
        self.constants: list[_Constant] = []

    def compile(self) -> CompiledFlow:
        code, ends = self.block(self.flow.body)
        if not ends:
            self.fail_softly("no-return", self.flow, [self.flow.name])
        for step in self.constants:
            if step.slot not in self.loaded:
                step.drop()
        result = CompiledFlow(self.flow, len(self.slots) + 1, code, link(code, self.compiled), self.asked)
        last = self.flow.body[-1] if self.flow.body else None
        if isinstance(last, Return) and not any(isinstance(step, If) for step in self.flow.body):
            result.known = self.returned
        if result.known is None and len(self.flow.parameters) == 1:
            result.unless = nothing_unless(result.body, result.size)
        return result

    # --- statements: a step gives None to go on, or the flow's value in a tuple

    def block(self, statements: tuple[Statement, ...]) -> tuple[Code, bool]:
        """The steps of a block as one, and whether each of its paths returns."""
        steps: list[Any] = ["steps"]
        ends = False
        for statement in statements:
            if ends:
                self.fail_softly("unreachable", statement)
                break
            try:
                code, ends = self.statement(statement)
                if len(steps) > 1 and (both := _joined(steps[-1][0], code)):
                    steps[-1] = (both, steps[-1][1])
                    continue
                step = (code, f"{self.flow.file}:{statement.line}, flow {self.flow.name}")
                steps.append(step)
                if isinstance(statement, (Assign, Await)) and self.facts[statement.name] is not None:
                    self.constants.append(_Constant(self.slots[statement.name], step, steps))
            except Rejected:
                # What follows is still read; the variable has a value, of which nothing is known.
                if isinstance(statement, (Assign, Await, Act)):
                    self.assign(statement.name, None)
                ends = isinstance(statement, Return)
        if len(steps) == 2 and steps[1][0][0] == _GUARDED:
            return steps[1][0], ends
        return steps, ends

    def statement(self, statement: Statement) -> tuple[Code, bool]:
        if isinstance(statement, Assign):
            value, known = self.value(statement.value)
            (self.texts.add if self.is_text(statement.value) else self.texts.discard)(statement.name)
            return ("store", self.assign(statement.name, known), value), False
        if isinstance(statement, Await):
            value, known = self.await_call(statement)
            return ("store", self.assign(statement.name, known), value), False
        if isinstance(statement, Act):
            return ("store", self.assign(statement.name, None), self.act(statement)), False
        if isinstance(statement, Return):
            value, self.returned = self.value(statement.value)
            return ("return", value), True
        return self.if_statement(statement)

    def assign(self, name: str, known: Known | None) -> int:
        self.facts[name] = known
        self.seen.add(name)
        return self.slots.setdefault(name, len(self.slots) + 1)

    def if_statement(self, statement: If) -> tuple[Code, bool]:
        if is_guard(statement, self.given):
            return self.guarded(statement), False
        branches: list[tuple[Code, Code]] = []
        outcomes: list[Facts] = []
        all_end = True
        for branch in statement.branches:
            try:
                condition = self.value(branch.condition)[0]
            except Rejected:
                condition = constant(None)
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
        return ("choice", branches, otherwise if statement.otherwise else None), all_end and ends

    def guarded(self, statement: If) -> Code:
        """What stands behind a guard of `check turn`: skipped where none of its own regexes can match.

        The guard's own pattern is for NeMo's runtime, which has no better way to know.
        """
        branch = statement.branches[0]
        guard: Any = branch.condition
        pattern = self.value(guard.arguments[0])[1]
        if pattern is None or not isinstance(pattern.value, str):
            raise self.fail("no-guard", guard.arguments[0], [guard.arguments[0].key])
        text = self.load(guard.arguments[1])
        before = dict(self.facts)
        body, _ = self.block(branch.body)
        self.facts = _common([before, self.facts])
        proved = {name: flow.unless for name, flow in self.compiled.items() if flow.unless is not None}
        if not only_reports(branch.body, guard.arguments[1].name, proved, self.given):
            return body
        if body[0] == _GUARDED:
            # A section of guards: each of them knows for itself.
            return body
        needs = [proved[call.flow] for call in calls(branch.body)]
        regexes = frozenset[int]().union(*(need.regexes for need in needs))
        words = frozenset[str]().union(*(need.words for need in needs))
        return (_GUARDED, text, ((sorted(regexes), sorted(words), body),))

    def await_call(self, call: Await) -> tuple[Code, Known | None]:
        target = self.flows.get(call.flow)
        if target is None:
            raise self.fail("undefined-flow", call, [call.flow], [nearest(call.flow, self.flows)])
        given: dict[str, Code] = {}
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
            return constant(compiled.known.value), compiled.known
        self.asked += compiled.regexes
        return ("call", call.flow, *[given[name] for name in target.parameters]), None

    def act(self, act: Act) -> Code:
        if self.flow.name != MEANING:
            raise self.fail("action", act, [act.action])
        if act.action not in ACTIONS:
            raise self.fail("unknown-action", act, [act.action], [nearest(act.action, ACTIONS)])
        return ("act", act.action)


def _joined(before: Code, after: Code) -> Code | None:
    """Guarded steps on one text as one step."""
    if before[0] == after[0] == _GUARDED and before[1] == after[1]:
        return (_GUARDED, before[1], (*before[2], *after[2]))
    return None


def _common(outcomes: list[Facts]) -> Facts:
    """What is sure after an `if`: variables that every path sets, and values on which all paths agree."""
    if not outcomes:
        return {}
    first, *others = outcomes
    names = [name for name in first if all(name in other for other in others)]
    return {name: first[name] if all(other[name] == first[name] for other in others) else None for name in names}
