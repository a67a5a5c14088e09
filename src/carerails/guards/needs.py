"""What a text must contain for a rule to hit: found by running the rule on no text in particular.

The rule's flow is run over sets of values. A set of its regexes is assumed silent (they find nothing), of the others
nothing is known. If every path then returns nothing, the rule cannot hit unless one of the silent regexes matches, so a
text without any of *their* required literals need not be shown to the rule. Of all such sets a cheap one is kept: a
regex that only masks or vetoes is not in it, however common its words.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from carerails.colang.tree import (
    Act,
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
    Number,
    Return,
    Statement,
    Text,
    Unary,
    Variable,
)
from carerails.colang.values import BINARY, COMPARE, METHODS, PLAIN, UNARY
from carerails.guards.clues import Clues, Given, Replaced, clues

#: More possible values than this are "any value".
_MANY = 32


@dataclass(frozen=True)
class One:
    """One of these values; lists are tuples."""

    values: frozenset[Hashable]


@dataclass(frozen=True)
class Anything:
    """Any value at all."""


ANY = Anything()
Value = One | Given | Anything
Use = tuple[str, Given]
"""A regex, and what it is asked about."""
Env = dict[str, Value]

NOTHING = One(frozenset({()}))
FALSE = One(frozenset({False}))
TRUE = One(frozenset({True}))
#: What an `and` gives that is surely false.
FALSY = One(frozenset({False, None, (), ""}))


def needed(flow: Flow, flows: Mapping[str, Flow]) -> Clues | None:
    """Clues of which every text that the rule hits holds one. None: it may hit any text.

    Args:
        flow: of a rule: one parameter, the text.
        flows: all pure flows by name.
    """
    uses: dict[Use, None] = {}
    _Run(flows, frozenset(), uses).call(flow, [Given()])
    known = {use: found for use in uses if (found := clues(*use)) is not None}
    silent = set(known)

    def suffices(silent: Iterable[Use]) -> bool:
        value = _Run(flows, frozenset(silent), {}).call(flow, [Given()])
        return _truths(value) == {False}

    if not suffices(silent):
        return None
    for use in sorted(known, key=lambda use: (-known[use].cost, use[0])):
        if suffices(silent - {use}):
            silent.discard(use)
    return Clues.of(known[use] for use in silent)


def _truths(value: Value) -> set[bool]:
    return {bool(each) for each in value.values} if isinstance(value, One) else {True, False}


def _either(values: Iterable[Value]) -> Value:
    """One of several values."""
    distinct = set(values)
    if len(distinct) == 1:
        return distinct.pop()
    options: set[Hashable] = set()
    for value in distinct:
        if not isinstance(value, One):
            return _either_text(distinct)
        options |= value.values
    return One(frozenset(options)) if len(options) <= _MANY else ANY


def _either_text(values: set[Value]) -> Value:
    """One of several copies of the text: a copy in which all of it may have been replaced."""
    replaced: dict[Replaced, None] = {}
    part = False
    for value in values:
        if not isinstance(value, Given) or value.several:
            return ANY
        replaced.update(dict.fromkeys(value.replaced))
        part |= value.part
    return Given(tuple(replaced), part)


class _Run:
    """Runs flows over sets of values; `uses` collects every regex that is asked about the text."""

    def __init__(self, flows: Mapping[str, Flow], silent: frozenset[Use], uses: dict[Use, None]) -> None:
        self._flows = flows
        self._silent = silent
        self._uses = uses

    def call(self, flow: Flow, arguments: list[Value]) -> Value:
        """What the flow may return."""
        env: Env = dict.fromkeys(flow.results, One(frozenset({None}))) | dict(
            zip(flow.parameters, arguments, strict=False)
        )
        returned: list[Value] = []
        if self._block(flow.body, env, returned) is not None:
            returned.append(ANY)
        return _either(returned)

    def _block(self, body: Iterable[Statement], env: Env, returned: list[Value]) -> Env | None:
        """The variables afterwards; None if every path returned."""
        for statement in body:
            match statement:
                case Assign():
                    env[statement.name] = self._value(statement.value, env)
                case Await():
                    env[statement.name] = self._await(statement, env)
                case Return():
                    returned.append(self._value(statement.value, env))
                    return None
                case If():
                    after = self._if(statement, env, returned)
                    if after is None:
                        return None
                    env = after
                case Act():
                    env[statement.name] = ANY  # what somebody outside the rails says
        return env

    def _if(self, statement: If, env: Env, returned: list[Value]) -> Env | None:
        ends: list[Env | None] = []
        for branch in statement.branches:
            truths = _truths(self._value(branch.condition, env))
            if True in truths:
                ends.append(self._block(branch.body, dict(env), returned))
            if False not in truths:
                break
        else:
            ends.append(self._block(statement.otherwise, dict(env), returned))
        open_ends = [end for end in ends if end is not None]
        if not open_ends:
            return None
        return {
            name: _either(end.get(name, ANY) for end in open_ends) for name in {n for end in open_ends for n in end}
        }

    def _await(self, call: Await, env: Env) -> Value:
        flow = self._flows.get(call.flow)
        if flow is None:
            return ANY
        arguments: list[Value] = [ANY] * len(flow.parameters)
        for place, (name, argument) in enumerate(zip(call.names, call.arguments, strict=True)):
            where = flow.parameters.index(name) if name in flow.parameters else place
            if where < len(arguments):
                arguments[where] = self._value(argument, env)
        return self.call(flow, arguments)

    def _value(self, node: Expression, env: Env) -> Value:  # noqa: PLR0912 - one case a kind of node
        match node:
            case Text() | Number() | Constant():
                return One(frozenset({node.value}))
            case Variable():
                return env.get(node.name, ANY)
            case ListOf():
                return _lift(lambda *items: items, [self._value(item, env) for item in node.items])
            case Index():
                base = self._value(node.base, env)
                if isinstance(base, Given) and base.several:
                    return Given(base.replaced, part=True, source=base.source)
                return _lift(operator.getitem, [base, self._value(node.index, env)])
            case Unary():
                operand = self._value(node.operand, env)
                if node.operator == "not":
                    return One(frozenset(not truth for truth in _truths(operand)))
                return _lift(UNARY[node.operator], [operand])
            case Binary():
                return _lift(BINARY[node.operator], [self._value(node.left, env), self._value(node.right, env)])
            case Compare():
                operands = [self._value(operand, env) for operand in node.operands]
                pairs = zip(node.operators, operands, operands[1:], strict=False)
                truths = [_truths(_lift(COMPARE[sign], [a, b])) for sign, a, b in pairs]
                if any(truth == {False} for truth in truths):
                    return FALSE
                return TRUE if all(truth == {True} for truth in truths) else ANY
            case Logic():
                operands = [self._value(operand, env) for operand in node.operands]
                return _all(operands) if node.operator == "and" else _any(operands)
            case Method():
                return self._method(node, env)
            case Call():
                return self._function(node, env)
            case Attribute() | DictOf():
                return ANY

    def _method(self, node: Method, env: Env) -> Value:
        base = self._value(node.base, env)
        arguments = [self._value(argument, env) for argument in node.arguments]
        if isinstance(base, Given) and not base.several and node.name == "replace":
            return base.after(
                arguments[0] if isinstance(arguments[0], Given) else _string(arguments[0]), _string(arguments[1])
            )
        return _lift(METHODS[node.name], [base, *arguments])

    def _function(self, node: Call, env: Env) -> Value:
        values = [self._value(argument, env) for argument in node.arguments]
        if node.function in PLAIN:
            return _lift(PLAIN[node.function], values)
        regex, asked = _string(values[0]), values[1]
        if regex is None or not isinstance(asked, Given) or asked.several:
            return ANY
        use = (regex, asked)
        self._uses[use] = None
        if any(regex == other and asked.within(family) for other, family in self._silent):
            return NOTHING if node.function == "find_all" else FALSE
        if node.function == "search":
            return ANY
        return Given(asked.replaced, part=True, several=True, source=None if asked.part else regex)


def _string(value: Value) -> str | None:
    if isinstance(value, One) and len(value.values) == 1:
        (only,) = value.values
        return only if isinstance(only, str) else None
    return None


def _lift(operation: Callable[..., Any], values: list[Value]) -> Value:
    """The operation on every combination of the possible values."""
    options = [value.values for value in values if isinstance(value, One)]
    count = 1
    for option in options:
        count *= len(option)
    if len(options) < len(values) or count > _MANY:
        return ANY
    found: set[Hashable] = set()
    for combination in product(*options):
        try:
            result: Hashable = operation(*combination)
        except Exception:  # the flow would fail there: a failure is never a pass, whatever the guard says
            return ANY
        found.add(result)
    return One(frozenset(found))


def _all(values: list[Value]) -> Value:
    """`a and b`."""
    truths = [_truths(value) for value in values]
    if any(truth == {False} for truth in truths):
        return FALSY
    return values[-1] if all(truth == {True} for truth in truths) else ANY


def _any(values: list[Value]) -> Value:
    """`a or b`."""
    truths = [_truths(value) for value in values]
    if all(truth == {False} for truth in truths):
        return values[-1]
    return values[0] if truths[0] == {True} else ANY
