"""What is wrong with flows as written, whatever their patterns find: who calls whom, and what is never taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from carerails.colang.diagnostics import nearest
from carerails.colang.parser import MAIN
from carerails.colang.rules import CHECK, SLUGS, TURN_KINDS
from carerails.colang.tree import (
    Assign,
    Attribute,
    Await,
    Binary,
    Branch,
    Call,
    Compare,
    Expression,
    Flow,
    If,
    Index,
    ListOf,
    Method,
    Node,
    Return,
    Statement,
    Text,
    Variable,
    calls,
    shape,
    walk,
)
from carerails.contracts import LOCALES
from carerails.lint.noting import Notes

#: What reads variables.
_Reader = Assign | Await | Branch | Return
_ASKS = (Variable, Attribute, Call, Index, Method)


def check_flow(flow: Flow, notes: Notes) -> None:
    """One flow for itself."""
    if flow.meta is not None and not flow.doc:
        notes.add("missing-docstring", flow.file, flow.line, 1, [flow.name])
    nodes = list(walk(flow.body))
    reads = {id(node): (node, _reads(node)) for node in nodes if isinstance(node, (Assign, Await, Branch, Return))}
    _variables(flow, reads.values(), notes)
    _overwritten(flow, {key: names for key, (_, names) in reads.items()}, notes)
    of_text = flow.parameters[:1] == ("text",)
    if of_text:
        _grows(flow, flow.body, False, notes)
    for node in nodes:
        if isinstance(node, If):
            _branches(flow, node, notes)
        elif isinstance(node, Compare):
            _locales(flow, node, notes)
        if of_text:
            _never_in_text(flow, node, notes)


def _variables(flow: Flow, reads: Collection[tuple[_Reader, set[str]]], notes: Notes) -> None:
    """What is set and never read: mostly the patterns of one locale that nobody joins."""
    live = set(flow.results)
    before = -1
    while before < len(live):  # what only a dead variable reads is dead, too
        before = len(live)
        for node, names in reads:
            if not isinstance(node, (Assign, Await)) or node.name in live:
                live |= names
    for node, _ in reads:
        if isinstance(node, (Assign, Await)) and node.name not in live:
            fix = notes.without_statement(flow.file, node.line)
            notes.add("unused-variable", flow.file, node.line, node.column, [node.name], fix=fix)


def _reads(node: _Reader) -> set[str]:
    inside = node.condition if isinstance(node, Branch) else node.arguments if isinstance(node, Await) else node.value
    names = {part.name for part in walk(inside) if isinstance(part, Variable)}
    return names | {part.variable for part in walk(inside) if isinstance(part, Attribute)}


def _overwritten(flow: Flow, reads: Mapping[int, set[str]], notes: Notes) -> None:
    """What is given a value twice in one block, and not read in between; `reads` by the identity of nodes."""
    unread: dict[str, int] = dict.fromkeys(flow.parameters, flow.line)
    for statement in flow.body:
        for node in walk(statement) if isinstance(statement, If) else (statement,):
            for name in reads.get(id(node), ()):
                unread.pop(name, None)
        if isinstance(statement, (Assign, Await)):
            if before := unread.get(statement.name):
                notes.add("overwritten", flow.file, statement.line, statement.column, [statement.name, before])
            unread[statement.name] = statement.line
    if flow.name == CHECK and flow.body:
        for node in walk(flow.body[1:]):
            if isinstance(node, Assign) and node.name in flow.results and node.name not in reads[id(node)]:
                notes.add("overwritten", flow.file, node.line, node.column, [node.name, flow.body[0].line])


def _never_in_text(flow: Flow, node: Node, notes: Notes) -> None:
    """Strings that a rule looks for in a text without a pattern."""
    sought: tuple[object, ...] = ()
    if isinstance(node, Method) and node.name == "replace" and _is_text(node.base):
        sought = node.arguments[:1]
    elif isinstance(node, Compare) and any(map(_is_text, node.operands)):
        sought = node.operands
    for one in sought:
        if isinstance(one, Text) and (one.value != one.value.lower() or not one.value.isascii()):
            notes.add("never-in-text", flow.file, one.line, one.column, [one.value])


def _grows(flow: Flow, statements: Iterable[Statement], measured: bool, notes: Notes) -> None:
    """Where a text that nobody measured gets longer: NeMo's evaluator makes no string beyond 100,000 characters."""
    for statement in statements:
        if isinstance(statement, If):
            for branch in statement.branches:
                long = any(isinstance(node, Call) and node.function == "len" for node in walk(branch.condition))
                _add_to_text(flow, branch.condition, measured, notes)
                _grows(flow, branch.body, measured or long, notes)
                measured |= long and bool(branch.body) and isinstance(branch.body[-1], Return)
            _grows(flow, statement.otherwise, measured, notes)
        else:
            _add_to_text(flow, statement, measured, notes)


def _add_to_text(flow: Flow, part: object, measured: bool, notes: Notes) -> None:
    for node in () if measured else walk(part):
        if isinstance(node, Binary) and node.operator == "+" and (_is_text(node.left) or _is_text(node.right)):
            notes.add("text-grows", flow.file, node.line, node.column)


def _is_text(node: object) -> bool:
    """Whether it is the text that a rule is asked about, whole or with replacements."""
    while isinstance(node, Method):
        node = node.base
    return isinstance(node, Variable) and node.name == "text"


def _branches(flow: Flow, statement: If, notes: Notes) -> None:
    seen: list[tuple[object, Branch]] = []
    for branch in statement.branches:
        form = shape(branch.condition)
        before = next((earlier for other, earlier in seen if other == form), None)
        if before:
            notes.add("same-branch", flow.file, branch.line, branch.column, [before.line])
        seen.append((form, branch))
        if not any(isinstance(node, _ASKS) for node in walk(branch.condition)):
            notes.add("constant-branch", flow.file, branch.line, branch.column, [_constant(branch.condition)])


def _constant(condition: Expression) -> str:
    value: Any = getattr(condition, "value", None)
    return "the same" if value is None else f"{bool(value)}"


def _locales(flow: Flow, node: Compare, notes: Notes) -> None:
    if not any(isinstance(side, Variable) and side.name == "locale" for side in node.operands):
        return
    for side in node.operands:
        if isinstance(side, Text) and side.value not in LOCALES:
            notes.add("unknown-locale", flow.file, side.line, side.column, [side.value], [nearest(side.value, LOCALES)])


def check_meanings(flows: Iterable[Flow], notes: Notes) -> None:
    """What rules say they are, beside what they show, and what others are."""
    kinds: dict[object, object] = {}
    for flow in flows:
        meta = dict(flow.meta or ())
        category = meta.get("reason") or meta.get("category")
        own = f"out-of-scope-{meta.get('reason')}"
        if own in SLUGS and meta.get("slug") in SLUGS and meta["slug"] != own:
            notes.add("reason-slug", flow.file, flow.line, 1, [meta["reason"], meta["slug"]], [own])
        if (
            category
            and meta.get("kind") in TURN_KINDS
            and kinds.setdefault(category, meta.get("kind")) != meta.get("kind")
        ):
            notes.add("category-kind", flow.file, flow.line, 1, [category])


def check_calls(flows: Mapping[str, Flow], notes: Notes, names: Collection[str] | None = None) -> None:
    """Flows that nobody calls, neither a rule nor another flow nor `main`.

    Args:
        names: those that are looked at; None: all.
    """
    called = {call.flow for flow in flows.values() for call in calls(flow.body)}
    main = flows[MAIN].source if MAIN in flows else ""
    for name, flow in flows.items():
        if names is not None and name not in names:
            continue
        if flow.meta is None and name not in (MAIN, CHECK) and name not in called and name not in main:
            notes.add("unused-flow", flow.file, flow.line, flow.column, [name])


def check_order(flows: Mapping[str, Flow], rules: Iterable[str], notes: Notes) -> None:
    """`check turn` calls every rule once, and reports it under its own name."""
    if CHECK not in flows:
        return
    check = flows[CHECK]
    first = check.body[0] if check.body else None
    for name in check.results[:1]:
        if not isinstance(first, Assign) or first.name != name:
            what = f"`${name}` has no value to begin with"
            notes.add("fails-when-run", check.file, check.line, 1, [CHECK, what], [f"begin with `${name} = []`"])
    times = Counter(reported(flows[CHECK].body))
    for name in rules:
        if times[name] != 1:
            notes.add("rule-order", flows[name].file, flows[name].line, 1, [name, times[name]])


def reported(body: Iterable[Statement]) -> Iterator[str]:
    """The rules of an order of checks: those whose `await` is followed by a hit of that name with its terms."""
    called: Await | None = None
    for statement in body:
        if isinstance(statement, Await):
            called = statement
        elif isinstance(statement, Assign) and called:
            for node in walk(statement.value):
                if isinstance(node, ListOf) and len(node.items) == 2:
                    head, terms = node.items
                    if isinstance(head, Text) and head.value == called.flow and shape(terms) == _read(called.name):
                        yield called.flow
        elif isinstance(statement, If):
            for branch in statement.branches:
                yield from reported(branch.body)
            yield from reported(statement.otherwise)


def _read(name: str) -> object:
    return shape(Variable(0, 0, name))
