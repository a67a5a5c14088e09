"""The policy: the rails compiled, from a directory of Colang or from an exported `policy.json`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from carerails.colang import (
    CompileError,
    Example,
    Flow,
    Pattern,
    Regex,
    Report,
    Scans,
    Source,
    kept,
    parse,
    parse_examples,
)
from carerails.colang.build import build
from carerails.colang.closures import Waiting
from carerails.colang.codec import decode, encode
from carerails.colang.diagnostics import nearest
from carerails.colang.guards import nothing_unless
from carerails.colang.plain import Plain, plain
from carerails.colang.program import Program
from carerails.colang.rules import CHECK, MEANING, Rule, RuleMeta, Template, categories, kebab
from carerails.colang.tracing import Note, places, traced
from carerails.contracts import Ask, RuleHit
from carerails.errors import EngineError, UsageError
from carerails.matching import Matcher, Scan
from carerails.resources import rails_files

__all__ = ["CompileError", "Match", "Pattern", "Policy", "Rule", "RuleMeta", "Template", "read_rails"]

FORMAT = "carerails-policy/1"
EXAMPLES = "examples"

Sources = tuple[tuple[Flow, ...], tuple[Example, ...]]


@dataclass(frozen=True, slots=True)
class Match:
    """Where a term stands in the normalised text, `[start, end)`, and the line of the pattern that it matches."""

    start: int
    end: int
    file: str
    line: int


class Policy:
    """Rules, templates and the order of checks. Never changes; may be used from any thread.

    Attributes:
        rules: by flow name.
        judged: the rules that go by a judge's opinions, by flow name; no text alone can hit one.
        templates: by slug.
        examples: what people may write, by category and locale, `in-scope` among them; no part of the decisions.
        digest: hash of every flow. Two policies with one digest decide alike and show the same evidence.
    """

    def __init__(
        self, flows: Iterable[Flow], examples: Iterable[Example] = (), *, root: Path | None = None, check: bool = True
    ) -> None:
        flows, examples = tuple(flows), tuple(examples)
        program, matcher = build(flows, check=check)
        self._set(program, lambda: matcher, lambda: (flows, examples), root)

    def _set(
        self, program: Program, matcher: Callable[[], Matcher], sources: Callable[[], Sources], root: Path | None
    ) -> None:
        self._program, self._make, self._read, self._root = program, matcher, sources, root
        self.rules: Mapping[str, Rule] = program.rules
        self.judged: Mapping[str, Rule] = program.judged
        self.templates: Mapping[str, Template] = program.templates
        self.digest = program.digest
        self._last: Scan | None = None

    @cached_property
    def _matcher(self) -> Matcher:
        """Made when the first text comes, or at `ready`: not every command asks about one."""
        return self._make()

    @cached_property
    def _trees(self) -> Sources:
        """The syntax trees: read when asked for, which no decision does."""
        return self._read()

    @cached_property
    def examples(self) -> tuple[Example, ...]:
        """What people may write."""
        homes = categories(self.rules)
        found = _examples(self._root) if self._root else self._trees[1]
        return tuple(replace(e, category=homes.get(kebab(e.category), kebab(e.category))) for e in found)

    @property
    def flows(self) -> tuple[Flow, ...]:
        """The syntax trees of all flows."""
        return self._trees[0]

    @classmethod
    def load(cls, rails: Path, *, check: bool = True) -> Policy:
        """Compile a directory of `.co` files, or load an exported `policy.json`.

        Args:
            rails: the directory, or the file.
            check: False leaves the order of checks and its guards out: for whoever is about to write them.

        Raises:
            CompileError: with everything that is wrong, by file, line and column.
            UsageError: there is nothing to load.
        """
        export = rails.is_file() and rails.suffix == ".json"
        path = kept.path_of([rails] if export else _files(rails, examples=True), rails, check)
        if path is None:
            return cls._compiled(rails, export, check)
        policy = _in_use.get((path, rails.absolute())) or cls._kept(path, rails, export)
        if policy is None:
            policy = cls._compiled(rails, export, check)
            kept.write(path, policy._program)
        _in_use[path, rails.absolute()] = policy
        return policy

    @classmethod
    def _compiled(cls, rails: Path, export: bool, check: bool) -> Policy:
        return cls.from_json(rails) if export else cls(*_sources(rails, export), root=rails, check=check)

    @classmethod
    def _kept(cls, path: Path, rails: Path, export: bool) -> Policy | None:
        """From what was compiled before; None where nothing was."""
        program = kept.read(path)
        if program is None:
            return None
        policy = cls.__new__(cls)
        root = None if export else rails
        policy._set(program, lambda: Matcher(program.regexes), lambda: _sources(rails, export), root)
        return policy

    @classmethod
    def from_json(cls, path: Path) -> Policy:
        """Load what `to_json` wrote: the same decisions and evidence, without the Colang files.

        Raises:
            UsageError: the file cannot be read, or is not what it says it is.
        """
        flows, examples, digest = _exported(path)
        policy = cls(flows, examples)
        if policy.digest != digest:
            raise UsageError("the policy was changed after its export", "export it again", str(path))
        return policy

    def to_json(self) -> str:
        """Everything that `from_json` needs, and the rules with their patterns for whoever feeds another engine."""
        document = {
            "format": FORMAT,
            "digest": self.digest,
            "rules": [_shown(rule) for rule in self.rules.values()],
            "flows": encode(self._trees[0]),
            "examples": encode(self.examples),
        }
        return json.dumps(document, ensure_ascii=False, separators=(",", ":"))

    def regexes(self, rule: str) -> tuple[Regex, ...]:
        """The regexes of a rule, those of the flows that it calls included."""
        return self._program.flows[rule].regexes

    def runs_always(self, rule: str) -> bool:
        """Whether a rule runs on every text: no proof that it gives nothing where its first patterns match nothing."""
        flow = self._program.flows[rule]
        return nothing_unless(flow.body, flow.size) is None

    def plain(self, rule: str) -> Plain:
        """The one regex that a rule comes down to, or why it does not: for engines that know patterns only."""
        return plain(self._program.flows[rule], self._program.regexes)

    def check(self, text: str) -> tuple[RuleHit, ...]:
        """Run `flow check turn` on a normalised text: the rules that hit, in its order.

        Raises:
            EngineError: a rule failed, or answered what is no list of strings.
        """
        found, scan = self.checked(text)
        if found:
            self._last = scan  # for whoever will now ask where the terms stand
        return found

    def checked(self, text: str) -> tuple[tuple[RuleHit, ...], Scan]:
        """As `check`, with the text as it was scanned for it.

        Raises:
            EngineError: as `check`.
        """
        scans = Scans(self._matcher)
        found = _hits(self._program.flows[CHECK](scans, (text, *self._program.given)), CHECK)
        return found, scans[text]

    def has(self, rule: str) -> bool:
        """Whether there is a rule of that name, judged or not."""
        return rule in self.rules or rule in self.judged

    def rule(self, name: str) -> Rule:
        """The rule of that name, judged or not. Raises KeyError."""
        return self.rules.get(name) or self.judged[name]

    @property
    def wants_opinions(self) -> bool:
        """Whether the rails have a `flow check meaning`, which asks for them."""
        return MEANING in self._program.flows

    async def meaning(self, text: str, hits: Sequence[RuleHit], ask: Ask) -> tuple[RuleHit, ...]:
        """Run `flow check meaning`: what a second opinion adds to the hits of `check`, if the flow asks for one.

        The flow is pure but for the answer, so it runs up to where it asks, and again with what was answered.

        Raises:
            EngineError: it failed, or answered what is no list of strings.
        """
        flow, scans = self._program.flows[MEANING], Scans(self._matcher)
        given = [[hit.rule, list(hit.terms)] for hit in hits]
        while True:
            try:
                return _hits(flow(scans, (text, given)), MEANING)
            except Waiting as waiting:
                scans.answers[waiting.args[0]] = {name: list(terms) for name, terms in (await ask()).items()}

    def run(self, flow: str, *arguments: object) -> Any:
        """The value of any pure flow.

        Raises:
            UsageError: no such flow, or another number of parameters.
            EngineError: it failed.
        """
        linked = self._program.flows.get(flow)
        if linked is None:
            raise UsageError(f"unknown flow {flow!r}", nearest(flow, self._program.flows))
        if len(arguments) != len(linked.parameters):
            raise UsageError(f"flow {flow!r} takes {len(linked.parameters)} values, here are {len(arguments)}")
        return linked(Scans(self._matcher), arguments)

    def ready(self) -> None:
        """Load what every text needs, a tenth of a second, so that the first one does not wait for it."""
        self._matcher  # noqa: B018  made by being looked at

    def warm(self, *, whole: bool = False) -> None:
        """Compile every regex now, which takes a second or two, so that no text ever waits for one.

        Args:
            whole: for a runtime that calls `re` with whole regexes (NeMo's), whose cache holds them from then on;
                otherwise arm by arm for `check`.
        """
        self._matcher.warm(whole=whole)

    def traced(self, note: Note) -> Policy:
        """The same policy, which calls `note` with the place of each statement before that runs."""
        policy = copy(self)
        policy._program = traced(self._program, note)
        return policy

    def places(self) -> Iterable[str]:
        """Every place that a traced policy can tell: `file:line, flow name`."""
        return places(self._program)

    def scan(self, text: str) -> Scan:
        """A text as `locate` wants it for several rules; after `check` found something, as it left it."""
        last, self._last = self._last, None
        return last if last and last.text == text else self._matcher.scan(text)

    def locate(self, rule: str, terms: Sequence[str], text: str, scan: Scan | None = None) -> list[Match]:
        """Where the terms of a hit stand in the normalised text.

        The matches of the rule's own regexes that are one of the terms; for a term that none of them gives back
        (the rule searched a masked text), where it first stands. In order of place.
        """
        scan = scan or self._matcher.scan(text)
        found: dict[tuple[int, int], Match] = {}
        missing = dict.fromkeys(terms)
        wanted = frozenset(terms)
        for regex in self.regexes(rule):
            for start, end, arm in scan.spans(regex.number) if regex.function == "find_all" else ():
                term = text[start:end]
                if term in wanted:
                    missing.pop(term, None)
                    pattern = regex.arms[arm]
                    found.setdefault((start, end), Match(start, end, pattern.file, pattern.line))
        home = self.rule(rule)
        for term in missing:
            start = text.find(term)
            if start >= 0:
                found.setdefault((start, start + len(term)), Match(start, start + len(term), home.file, home.line))
        return [found[place] for place in sorted(found)]

    def render(self, slug: str, locale: str, numbers: Mapping[str, str]) -> str:
        """The text of a template.

        Raises:
            KeyError: no such template.
            EngineError: it failed, for want of a number for instance.
        """
        text: Any = self.run(self.templates[slug].flow, locale, dict(numbers))
        if not isinstance(text, str):
            raise EngineError("malformed", f"template {slug} is no text")
        return text

    def sources(self) -> tuple[Path, ...]:
        """The files that a Colang runtime is to load: all but the examples. None for an exported policy."""
        return tuple(_files(self._root, examples=False)) if self._root else ()


#: Those that somebody holds, by what they were made from and where: the engines of a process share one.
_in_use: WeakValueDictionary[tuple[Path, Path], Policy] = WeakValueDictionary()


def _hits(pairs: Any, flow: str) -> tuple[RuleHit, ...]:
    try:
        return tuple([RuleHit(rule=rule, terms=tuple(terms)) for rule, terms in pairs if terms])
    except (TypeError, ValueError):
        raise EngineError("malformed", f"flow {flow} must return pairs of a rule's name and a list") from None


def read_rails(rails: Path, report: Report) -> tuple[tuple[Flow, ...], tuple[Example, ...]]:
    """Parse every `.co` file of a directory; what is wrong goes to `report`.

    Raises:
        UsageError: no such directory, or nothing in it.
    """
    flows: list[Flow] = []
    examples: list[Example] = []
    paths = list(_files(rails, examples=True))
    if not paths:
        raise UsageError("no Colang files", "give a directory with .co files, or an exported policy.json", str(rails))
    for path in paths:
        name = path.relative_to(rails)
        try:
            source = Source(name.as_posix(), path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"cannot be read: {type(error).__name__}", "save it as UTF-8", str(path)) from None
        if name.parts[0] == EXAMPLES:
            examples += parse_examples(source, report)
        else:
            flows += parse(source, report).flows
    return tuple(flows), tuple(examples)


def _examples(rails: Path) -> tuple[Example, ...]:
    """Those of a directory that was read before: nothing else is parsed again."""
    report = Report()
    paths = [path for path in rails_files(rails) if path.relative_to(rails).parts[0] == EXAMPLES]
    sources = [Source(path.relative_to(rails).as_posix(), path.read_text(encoding="utf-8")) for path in paths]
    found = tuple(example for source in sources for example in parse_examples(source, report))
    report.raise_if_any()
    return found


def _files(rails: Path, *, examples: bool) -> Iterable[Path]:
    for path in rails_files(rails):
        if examples or path.relative_to(rails).parts[0] != EXAMPLES:
            yield path


def _sources(rails: Path, export: bool) -> Sources:
    """The trees of a directory, or of an exported policy."""
    if export:
        return _exported(rails)[:2]
    report = Report()
    sources = read_rails(rails, report)
    # What the parser skipped would be reported as missing: first things first.
    report.raise_if_any()
    return sources


def _exported(path: Path) -> tuple[tuple[Flow, ...], tuple[Example, ...], str]:
    try:
        document: Any = json.loads(path.read_text(encoding="utf-8"))
        if document["format"] != FORMAT:
            raise UsageError(f"format {document['format']!r}", f"export it again as {FORMAT}", str(path))
        return decode(document["flows"]), decode(document["examples"]), document["digest"]
    except OSError as error:
        raise UsageError(error.strerror or "cannot be read", "check the path", str(path)) from None
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"not an exported policy: {type(error).__name__}", "export it again", str(path)) from None


def _shown(rule: Rule) -> dict[str, Any]:
    meta = rule.meta
    return {
        "name": rule.name,
        "kind": meta.kind,
        "category": meta.category,
        "outcome": meta.outcome,
        "slug": meta.slug,
        "priority": meta.priority,
        "file": rule.file,
        "line": rule.line,
        "doc": rule.doc,
        "patterns": [{"regex": p.regex, "file": p.file, "line": p.line} for p in rule.patterns],
    }
