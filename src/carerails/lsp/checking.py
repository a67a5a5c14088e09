"""What is wrong with one file, quickly enough to be said while somebody types.

Everything that can be known without analysing all patterns of all rails: its syntax, names, meta, values, and each of
its own patterns. The linter, which knows more and takes longer, runs behind it (behind.py).
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from functools import lru_cache

from carerails.colang import Diagnostic, Flow, Report, compile_flows, pure_flows
from carerails.colang.compiler import CompiledFlow
from carerails.colang.diagnostics import KINDS
from carerails.colang.parser import MAIN
from carerails.colang.rules import CHECK, GUARDS, check_meta, rules_of, templates_of
from carerails.evals.edits import Rails, emptied
from carerails.lint import RULES, Edit, Finding
from carerails.lsp.pack import Pack, Read
from carerails.matching import check_regex

_WORD = re.compile(r'"(?:\\.|[^"\\])*"?|[@$]?\w+|\S')
#: What is said of a line as a whole, at column 1.
_WHOLE_LINES = frozenset(["regex", "bad-regex", "example-locale", "examples"])
#: How a misspelt name is told, and the one that it resembles.
_SAID = re.compile(r"(?:unknown [a-z]+ (?:[a-z]+ )?|has no parameter )`\$?([^`]*)`|^[a-z]+ (?:kind )?'([^']*)'$")
_MEANT = re.compile(r"did you mean `([^`]*)`\?")
#: Seconds that patterns not looked at before may take; the others are left to the linter. A pattern takes 3 ms.
PATTERNS_S = 0.1


#: What this check looks for.
CODES = frozenset(KINDS) - {"rule-order", "few-examples", "unknown-category", "missing-template", "hits-nothing"}


def check(pack: Pack, name: str) -> list[Finding]:
    """What is wrong with a file, by place."""
    read = pack.read(name)
    return [_shown(found, read) for found in _found(pack, read)] if read else []


def _found(pack: Pack, read: Read) -> Iterable[Diagnostic]:
    if read.found or read.is_examples:
        return read.found  # what the parser skipped would be reported as missing: first things first
    report = Report()
    every = [flow for other in pack.files() for flow in other.flows]
    pure = pure_flows(every, report)
    own = {flow.name for flow in read.flows if flow.name in pure}
    for flow in (pure[flow] for flow in own):
        check_meta(flow, report)
    rules_of(pure.values(), {}, report)
    templates_of(pure.values(), report)
    compiled = compile_reach(pack, read, report, pure)
    _patterns(compiled, read, report)
    return (found for found in report.sorted() if found.file == read.name)


def _shown(found: Diagnostic, read: Read) -> Finding:
    """As the linter says it, from its column to the end of the word or string there."""
    line = read.lines.line(found.line)
    word = _WORD.match(line, found.column - 1) if found.column > 1 or found.code not in _WHOLE_LINES else None
    start = found.column if word else len(line) - len(line.lstrip()) + 1
    end = word.end() + 1 if word else len(line.rstrip()) + 1
    return Finding(
        found.code,
        RULES[found.code].severity,
        found.file,
        found.line,
        start,
        max(end, start + 1),
        found.what,
        found.mend,
        _fix(found, read),
    )


def _fix(found: Diagnostic, read: Read) -> tuple[Edit, ...]:
    """For a misspelt name: the one that was meant, where the wrong one stands once on its line or in its meta."""
    said, meant = _SAID.search(found.what), _MEANT.fullmatch(found.mend)
    wrong = (said[1] or said[2]) if said else ""
    if not wrong or not meant:
        return ()
    number = found.line
    while wrong not in read.lines.line(number) and read.lines.line(number - 1).startswith("@"):
        number -= 1
    if read.lines.line(number).count(wrong) != 1:
        return ()
    at = read.lines.line(number).index(wrong) + 1
    return (Edit(number, at, number, at + len(wrong), meant[1]),)


def compile_reach(pack: Pack, read: Read, report: Report, pure: dict[str, Flow]) -> dict[str, CompiledFlow]:
    """The flows of a file compiled, with those that they call. Rules of other files are left without their bodies."""
    own = {flow.name for flow in read.flows}
    thin = {name: emptied(flow) if name not in own and flow.meta else flow for name, flow in pure.items()}
    rails = Rails({}, {"": tuple(thin.values())})
    wanted = {name for flow in read.flows if flow.name != MAIN for name in rails.reach(flow.name)}
    if CHECK in wanted and GUARDS in pure:
        wanted.add(GUARDS)
    flows = {name: flow for name, flow in thin.items() if name in wanted}
    check = flows.get(CHECK)
    given = {(CHECK, parameter): parameter for parameter in check.parameters[1:]} if check else {}
    return compile_flows(flows, report, given=given)[0]


def _patterns(compiled: dict[str, CompiledFlow], read: Read, report: Report) -> None:
    """Every arm that stands in the file must be safe and fast on every engine."""
    end = time.perf_counter() + PATTERNS_S
    partial: dict[tuple[str, int], bool] = {}
    for flow in compiled.values():
        for regex in flow.regexes:
            for arm in regex.arms:
                if arm.file == read.name:
                    key = (arm.regex, arm.line)
                    partial[key] = partial.get(key, True) and regex.partial
    for (regex, line), is_part in partial.items():
        if time.perf_counter() > end and regex not in _known:
            continue
        for code, what, mend in _problems(regex):
            if code == "no-literal" and is_part:
                continue
            report.add("bad-regex" if code == "bad-regex" else "regex", read.name, line, 1, [what], [mend])


#: Patterns whose problems are known.
_known: set[str] = set()


@lru_cache(maxsize=20_000)
def _problems(regex: str) -> tuple[tuple[str, str, str], ...]:
    """Code, what and mend of all that is wrong with a pattern."""
    _known.add(regex)
    try:
        re.compile(regex)
    except re.error as error:
        return (("bad-regex", str(error), ""),)
    shown = regex if len(regex) <= 60 else regex[:57] + "..."
    return tuple(
        (problem.code, f"{problem.what}, at {problem.offset} of `{shown}`", problem.mend)
        for problem in check_regex(regex)
    )
