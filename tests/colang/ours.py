"""Short ways to our own parser and compiler."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from carerails.colang import (
    CompiledFlow,
    CompileError,
    Diagnostic,
    File,
    Report,
    Scans,
    Source,
    compile_flows,
    matcher_of,
    parse,
    pure_flows,
)
from carerails.colang.tree import Act, Assign, Await, Flow, If, Return, Statement


def parsed(text: str) -> File:
    """The file, read without an error."""
    report = Report()
    file = parse(Source("x.co", text), report)
    report.raise_if_any()
    return file


class Program:
    """Compiled flows of one text, ready to run."""

    def __init__(self, text: str) -> None:
        report = Report()
        flows = pure_flows(parsed(text).flows, report)
        self.flows: dict[str, CompiledFlow]
        self.flows, self.regexes = compile_flows(flows, report)
        report.raise_if_any()
        self._matcher = matcher_of(self.flows, self.regexes, report)

    def run(self, name: str, arguments: Sequence[Any]) -> Any:
        """The value of a flow."""
        return self.flows[name](Scans(self._matcher), copy.deepcopy(list(arguments)))


def problems(text: str) -> tuple[Diagnostic, ...]:
    """What is wrong with a text; nothing where it compiles."""
    try:
        Program(text)
    except CompileError as error:
        return error.diagnostics
    return ()


def shape(flow: Flow) -> tuple[Any, ...]:
    """As `nemo.shape`."""
    decorators = [("meta", dict(flow.meta))] if flow.meta is not None else []
    return flow.name, list(flow.parameters), decorators, _steps(flow.body)


def _steps(body: Sequence[Statement]) -> list[Any]:
    steps: list[Any] = []
    for statement in body:
        match statement:
            case Assign():
                steps.append(("=", statement.name, statement.line))
            case Return():
                steps.append(("return", statement.line))
            case Await():
                steps.append(("await", statement.flow, len(statement.arguments), statement.name, statement.line))
            case Act():
                steps.append(("await", statement.action, 0, statement.name, statement.line))
            case If():
                rest: list[Any] = _steps(statement.otherwise)
                for branch in reversed(statement.branches):
                    rest = [("if", _steps(branch.body), rest)]
                steps += rest
    return steps


def alike(left: object, right: object) -> bool:
    """Equal and of one type, all the way down: 1 is not True. (NeMo's own class of dicts is written like any dict.)"""
    return repr(left) == repr(right)
