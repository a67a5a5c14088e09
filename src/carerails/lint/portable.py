"""Rails in our subset of Colang: from their syntax to what their rules do with the examples."""

from __future__ import annotations

from collections.abc import Mapping

from carerails.colang.compiler import CompiledFlow, compile_flows
from carerails.colang.diagnostics import CompileError, Report
from carerails.colang.parser import MAIN, pure_flows
from carerails.colang.rules import CHECK, GUARDS, check_meta, rules_of, templates_of
from carerails.colang.tree import Flow, calls
from carerails.evals.edits import emptied
from carerails.guards import STAMP, stamp
from carerails.lint.examples import KINDS, check_counts, check_examples, check_twice, named
from carerails.lint.flows import check_calls, check_flow, check_order
from carerails.lint.noting import Notes
from carerails.lint.project import Parsed, Project
from carerails.lint.regexes import check_patterns
from carerails.lint.shadows import check_shadows
from carerails.lint.templates import check_rendering, check_template_flows, check_templates
from carerails.policy import Policy

GUARDS_FILE = "guards.co"


def check_all(project: Project, notes: Notes) -> bool:
    """Everything, or where files cannot be read, only that: what the parser skipped would be reported as missing.

    Returns:
        Whether every check has run.
    """
    files = project.parsed()
    broken = [found for file in files.values() for found in file.found]
    if broken:
        notes.take(broken)
        return False
    flows = {flow.name: flow for file in files.values() for flow in file.flows}
    for flow in flows.values():
        check_flow(flow, notes)
    check_template_flows(flows.values(), notes)
    policy, runs = _policy(files, notes)
    if policy is None:
        return False
    check_calls(flows, notes)
    check_order(flows, policy.rules, notes)
    check_patterns([regex for rule in policy.rules for regex in policy.regexes(rule)], notes)
    for rule in policy.rules.values():
        if policy.run(rule.name, ""):
            notes.add("hits-nothing", rule.file, rule.line, 1, [rule.name])
    check_shadows(policy, notes)
    _guards(project, policy, notes)
    if any(rule.meta.kind in KINDS for rule in policy.rules.values()):
        check_templates(policy, notes)
        check_rendering(flows, policy.templates, notes)
        written = [example for file in files.values() for example in file.examples]
        if runs:
            check_examples(policy, written, notes)
        else:
            check_counts(policy.rules.values(), policy.examples, notes)
    return runs


def check_file(project: Project, name: str, notes: Notes) -> None:
    """What is wrong with one file, without analysing or running all rules."""
    files = project.parsed()
    own = files[name]
    if own.found:
        notes.take(own.found)
        return
    report = Report()
    flows = pure_flows([flow for file in files.values() for flow in file.flows], report)
    rules = rules_of(flows.values(), {}, Report())
    if not own.flows:
        examples = [one for file in files.values() for one in named(file.examples, rules.values())]
        counted = Notes(notes.texts)
        check_counts(rules.values(), examples, counted)
        notes.found += [found for found in counted.found if found.file == name and found.code == "unknown-category"]
        check_twice(examples, notes, name)
        return
    for flow in own.flows:
        check_meta(flow, report)
        check_flow(flow, notes)
    rules_of(own.flows, {}, report)
    templates_of(flows.values(), report)
    check_template_flows(own.flows, notes)
    check_calls({**flows, **{flow.name: flow for flow in own.flows}}, notes, [flow.name for flow in own.flows])
    compiled = _compiled(own, flows, report)
    regexes = [regex for flow in compiled.values() for regex in flow.regexes]
    check_patterns(regexes, notes, name)
    notes.take(found for found in report.sorted() if found.file == name)


def _policy(files: Mapping[str, Parsed], notes: Notes) -> tuple[Policy | None, bool]:
    """The rails compiled, and whether they run: the order of checks, or its guards, may be all that is wrong."""
    flows = [flow for file in files.values() for flow in file.flows]
    examples = [example for file in files.values() for example in file.examples]
    try:
        return Policy(flows, examples), True
    except CompileError as error:
        notes.take(error.diagnostics)
    try:
        return Policy(flows, examples, check=False), False
    except CompileError:
        return None, False


def _compiled(own: Parsed, every: Mapping[str, Flow], report: Report) -> dict[str, CompiledFlow]:
    """The flows of a file compiled, with those that they call; other rules without their bodies, which take longest."""
    names = {flow.name for flow in own.flows}
    flows = {name: emptied(flow) if flow.meta and name not in names else flow for name, flow in every.items()}
    wanted: set[str] = set()
    ahead = [name for name in names if name != MAIN]
    while ahead:
        name = ahead.pop()
        if name in flows and name not in wanted:
            wanted.add(name)
            ahead += (call.flow for call in calls(flows[name].body))
    chosen = {name: flow for name, flow in flows.items() if name in wanted}
    given: dict[tuple[str, str], str] = {}
    if CHECK in chosen and GUARDS in flows:
        chosen[GUARDS] = flows[GUARDS]
        given = {(CHECK, parameter): parameter for parameter in chosen[CHECK].parameters[1:]}
    return compile_flows(chosen, report, given=given)[0]


def _guards(project: Project, policy: Policy, notes: Notes) -> None:
    """The guards were made from the patterns as they are."""
    text = project.colang.get(GUARDS_FILE, "")
    said = STAMP.search(text)
    if said and said[1] != stamp(policy):
        notes.add("stale-guards", GUARDS_FILE, 1, 1)
