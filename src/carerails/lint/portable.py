"""Rails in our subset of Colang: from their syntax to what their rules do with the examples."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from carerails.colang.compiler import CompiledFlow, compile_flows
from carerails.colang.diagnostics import CompileError, Diagnostic, Report
from carerails.colang.parser import MAIN, pure_flows
from carerails.colang.rules import CHECK, GUARDS, Rule, check_meta, rules_of, templates_of
from carerails.colang.tree import Example, Flow, calls
from carerails.evals.edits import Rails, emptied
from carerails.guards import STAMP, stamp
from carerails.lint import kept
from carerails.lint.examples import (
    KINDS,
    check_comments,
    check_counts,
    check_examples,
    for_rules,
    named,
)
from carerails.lint.flows import check_calls, check_flow, check_meanings, check_order
from carerails.lint.looked import Known, Looked, look_again, source_key
from carerails.lint.noting import Notes
from carerails.lint.project import Parsed, Project
from carerails.lint.regexes import check_patterns, short
from carerails.lint.sound import sound, spoilt
from carerails.lint.templates import check_rendering, check_template_flows, check_templates
from carerails.lint.unwritten import unwritten
from carerails.policy import Policy

GUARDS_FILE = "guards.co"
#: What would only be said because a flow was left out, or examples were.
_FLOWS = (
    "undefined-flow no-check no-guard unused-flow rule-order stale-guards missing-template not-rendered"
    " unknown-category few-examples silent-rule missed-example lower-outcome other-category"
)
_NEEDS_ALL_FLOWS = frozenset(_FLOWS.split())
_NEEDS_ALL_EXAMPLES = frozenset(["few-examples", "silent-rule", "unhit-pattern"])


def check_all(project: Project, notes: Notes) -> bool:
    """Everything that can be said. What is wrong with a flow hides only what depends on that flow.

    Returns:
        Whether every check has run.
    """
    files = kept.parsed_files(project, _is_quiet)
    unread = {name for name, file in files.items() if file.found}
    notes.take(found for file in files.values() for found in file.found)
    rails = Rails(project.colang, {name: file.flows for name, file in files.items()})
    flows = [flow for flow in rails.flows.values() if flow.file not in unread]
    loud = {name: text for name, text in project.colang.items() if not files[name].quiet}
    _as_written(loud, [flow for flow in flows if flow.file in loud], notes)
    _between_flows(flows, notes)
    written = [example for file in files.values() for example in file.examples]
    compiled = _compiled_in_part(project, rails, unread, tuple(for_rules(written)), notes)
    if compiled is None:
        return False
    policy, looked, known, spoilt = compiled
    runs = CHECK not in spoilt
    if spoilt - {CHECK}:
        notes.without |= _NEEDS_ALL_FLOWS
    if any(not files[name].flows for name in unread):
        notes.without |= _NEEDS_ALL_EXAMPLES
    check_calls(rails.flows, notes)
    check_order(rails.flows, policy.rules, notes)
    _patterns(policy, looked, known, notes)
    if GUARDS in rails.flows:
        for rule in (policy.rules[name] for name, one in looked.items() if one.runs_always and not one.always):
            notes.add("runs-always", rule.file, rule.line, 1, [rule.name])
        forms = {name: form for file in files.values() for name, form in file.forms.items()}
        _guards(project, rails, forms, notes)
    if any(rule.meta.kind in KINDS for rule in policy.rules.values()):
        check_templates(policy, notes)
        check_rendering(rails.flows, policy.templates, notes)
        if runs:
            check_examples(policy.rules, written, looked, notes)
        else:
            check_counts(policy.rules.values(), tuple(named(written, policy.rules.values())), notes)
    return runs and not unread and not spoilt


def _as_written(texts: Mapping[str, str], flows: Collection[Flow], notes: Notes) -> None:
    """What neither a compiler nor another file is needed for."""
    for name, text in texts.items():
        for place in unwritten(text):
            notes.add("unwritten", name, *place)
    check_comments(texts, notes)
    for flow in flows:
        check_flow(flow, notes)


def _is_quiet(name: str, text: str, file: Parsed) -> bool:
    notes = Notes({name: text})
    _as_written(notes.texts, file.flows, notes)
    return not notes.found


def _between_flows(flows: Collection[Flow], notes: Notes) -> None:
    """What is asked of several flows, as they are written."""
    check_template_flows(flows, notes)
    check_meanings(flows, notes)


def _patterns(policy: Policy, looked: Mapping[str, Looked], known: Known, notes: Notes) -> None:
    """The patterns of rules, each alone and beside the others of its regex."""
    check_patterns([regex for one in looked.values() for regex in one.regexes], notes, known=known.problems)
    for name, one in looked.items():
        if one.always:
            notes.add("hits-nothing", policy.rules[name].file, policy.rules[name].line, 1, [name])
        if one.fails:
            _fails(policy.rules[name], one.fails, notes)
        for regex in one.regexes:
            for number, place in () if regex.partial else known.shadows[source_key(regex)]:
                arm, other = regex.arms[number], regex.arms[place]
                notes.add("shadowed-pattern", arm.file, arm.line, 1, [short(arm.regex), short(other.regex), other.line])


#: What an exception of a rule means to whoever wrote it.
_FAILURES = {
    "TypeError": ("it works with values of the wrong kind", "compare with `len(...)`; `find_all` gives a list"),
    "IndexError": ("it asks for an element that is not there", "ask `if $found` first"),
    "KeyError": ("it asks for a key that is not there", "write one that is"),
    "ValueError": ("`int` gets what is no number", "search for digits first"),
}
_AT = re.compile(r"(?P<file>[^:]+):(?P<line>\d+), flow .*: (?P<error>\w+)$")


def _fails(rule: Rule, how: str, notes: Notes) -> None:
    """At the statement that failed."""
    at = _AT.match(how)
    what, mend = _FAILURES.get(at["error"] if at else "", (how, "end every path with `return find_all(...)` or `[]`"))
    file, line = (at["file"], int(at["line"])) if at else (rule.file, rule.line)
    notes.add("fails-when-run", file, line, 1, [rule.name, what], [mend])


def _compiled_in_part(
    project: Project, rails: Rails, unread: Collection[str], examples: Sequence[Example], notes: Notes
) -> tuple[Policy, dict[str, Looked], Known, frozenset[str]] | None:
    """What can be compiled, what its rules come to, and the names of the flows that are left out; None: nothing can."""
    before = kept.read_known(project.root)
    wrong: list[Diagnostic] = []
    while True:
        gone = spoilt(rails, unread, wrong)
        part = sound(rails, gone) if gone or wrong else rails
        try:
            policy, looked, known = look_again(part, before, () if CHECK in gone else examples)
        except CompileError as error:
            new = [one for one in error.diagnostics if one not in wrong]
            notes.take(one for one in new if not (unread and one.code in _NEEDS_ALL_FLOWS))
            wrong += new
            if not new:
                return None
        else:
            if known != before and CHECK not in gone:
                kept.write_known(project.root, known)
            return policy, looked, known, gone


def check_file(project: Project, name: str, notes: Notes) -> None:
    """What is wrong with one file, without analysing or running all rules."""
    files = project.parsed()
    own = files[name]
    if own.found:
        notes.take(own.found)
        return
    _as_written({name: project.colang[name]}, own.flows, notes)
    _between_flows(own.flows, notes)
    report = Report()
    flows = pure_flows([flow for file in files.values() for flow in file.flows], report)
    rules = rules_of(flows.values(), {}, Report())
    if not own.flows:
        examples = [one for file in files.values() for one in named(file.examples, rules.values())]
        counted = Notes(notes.texts)
        check_counts(rules.values(), examples, counted)
        notes.found += [found for found in counted.found if found.file == name and found.code != "few-examples"]
        check_comments({name: project.colang[name]}, notes)
        return
    for flow in own.flows:
        check_meta(flow, report)
    rules_of(own.flows, {}, report)
    templates_of(flows.values(), report)
    check_calls({**flows, **{flow.name: flow for flow in own.flows}}, notes, [flow.name for flow in own.flows])
    compiled = _compiled(own, flows, report)
    regexes = [regex for flow in compiled.values() for regex in flow.regexes]
    check_patterns(regexes, notes, name)
    notes.take(found for found in report.sorted() if found.file == name)


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


def _guards(project: Project, rails: Rails, forms: Mapping[str, str], notes: Notes) -> None:
    """The guards were made from the patterns as they are."""
    said = STAMP.search(project.colang.get(GUARDS_FILE, ""))
    if said and CHECK in rails.flows and said[1] != stamp(rails.flows, forms):
        notes.add("stale-guards", GUARDS_FILE, 1, 1)
