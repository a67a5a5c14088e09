"""From a policy's flows to its program: compile, check what flows mean, and number every regex."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from carerails.colang.codec import encode
from carerails.colang.compiler import CompiledFlow, compile_flows, matcher_of
from carerails.colang.diagnostics import Report
from carerails.colang.parser import pure_flows
from carerails.colang.program import LinkedFlow, Program, patterns_of
from carerails.colang.rules import CHECK, GUARDS, JUDGED_KINDS, check_meta, rules_of, templates_of
from carerails.colang.tree import Flow
from carerails.matching import Matcher


def build(flows: Sequence[Flow], *, check: bool = True) -> tuple[Program, Matcher]:
    """Compile a policy.

    Args:
        flows: all of it.
        check: False leaves the order of checks and its guards out.

    Raises:
        CompileError: with everything that is wrong.
    """
    report = Report()
    pure = pure_flows(flows, report)
    if not check:
        for name in (CHECK, GUARDS):
            pure.pop(name, None)
    elif CHECK not in pure:
        report.add("no-check", "main.co", 1, 1)
    for flow in pure.values():
        check_meta(flow, report)
    given = {(CHECK, parameter): parameter for parameter in pure[CHECK].parameters[1:]} if CHECK in pure else {}
    compiled, regexes = compile_flows(pure, report, given=given)
    arms = {name: patterns_of(flow.regexes) for name, flow in compiled.items()}
    rules = rules_of(pure.values(), arms, report)
    judged = rules_of(pure.values(), arms, report, JUDGED_KINDS)
    templates = templates_of(pure.values(), report)
    report.raise_if_any()
    matcher = matcher_of(compiled, regexes, report)
    linked = {
        name: LinkedFlow(flow.flow.parameters, flow.size, flow.code, flow.body, tuple(flow.regexes))
        for name, flow in compiled.items()
    }
    values = tuple(_value(compiled.get(name)) for name in given.values())
    return Program(regexes, linked, rules, judged, templates, values, digest_of(flows)), matcher


def digest_of(flows: Sequence[Flow]) -> str:
    """Hash of every flow, positions included."""
    return hashlib.sha256(json.dumps(encode(tuple(flows))).encode()).hexdigest()


def _value(constant: CompiledFlow | None) -> object:
    return constant.known.value if constant and constant.known else None
