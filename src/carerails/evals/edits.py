"""What an edit of the rails can change: rules that are written otherwise, or that call what is.

Compiling all rails takes seconds where their patterns are new, and nearly all of that is the analysis of regexes. One
rule takes a tenth of a second. So after an edit the rules that it cannot touch are compiled without their bodies:
whatever is wrong with the rest is still found, and what they hit is known from before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, get_args

from carerails.colang import Flow, Report, Source, parse, parse_examples
from carerails.colang.parser import MAIN
from carerails.colang.rules import CHECK, GUARDS
from carerails.colang.tree import (
    Assign,
    Attribute,
    Await,
    Binary,
    Branch,
    Call,
    DictOf,
    If,
    ListOf,
    Return,
    Statement,
    Text,
    Variable,
    calls,
    shape,
)
from carerails.contracts import RuleKind
from carerails.errors import UsageError
from carerails.policy import EXAMPLES, Policy
from carerails.resources import rails_files


@dataclass(frozen=True)
class Rails:
    """A directory of rails as it is at one moment, parsed file by file.

    Attributes:
        texts: of all `.co` files, by name within the directory.
        parsed: their flows; a file that is the same as before has the very same ones.
    """

    texts: Mapping[str, str]
    parsed: Mapping[str, tuple[Flow, ...]]

    @classmethod
    def read(cls, root: Path) -> Rails:
        """Read and parse all files.

        Raises:
            CompileError: files that cannot be parsed.
            UsageError: files that cannot be read.
        """
        return cls.of(read_texts(root))

    @classmethod
    def of(cls, texts: Mapping[str, str], before: Rails | None = None) -> Rails:
        """Parse the files that differ from `before`.

        Raises:
            CompileError: as `read`.
        """
        report = Report()
        parsed: dict[str, tuple[Flow, ...]] = {}
        for name, text in texts.items():
            if before and before.texts.get(name) == text:
                parsed[name] = before.parsed[name]
            elif Path(name).parts[0] == EXAMPLES:
                parse_examples(Source(name, text), report)
                parsed[name] = ()
            else:
                parsed[name] = parse(Source(name, text), report).flows
        report.raise_if_any()
        return cls(texts, parsed)

    @cached_property
    def all(self) -> tuple[Flow, ...]:
        """Every flow; two of one name are for the compiler to find."""
        return tuple(flow for flows in self.parsed.values() for flow in flows)

    @cached_property
    def flows(self) -> Mapping[str, Flow]:
        """By name."""
        return {flow.name: flow for flow in self.all}

    @cached_property
    def rules(self) -> frozenset[str]:
        """Names of the rules."""
        kinds = get_args(RuleKind)
        return frozenset(name for name, flow in self.flows.items() if dict(flow.meta or ()).get("kind") in kinds)

    @cached_property
    def order(self) -> Mapping[str, frozenset[str]] | None:
        """Rules in the order of `check turn`, each with its guards; None where it does more than ask and report."""
        check = self.flows.get(CHECK)
        if check is None or not check.body:
            return None
        first, *asked, last = (*check.body[:1], *check.body[1:-1], check.body[-1])
        if not isinstance(first, Assign) or first.value != _empty(first.value) or not isinstance(last, Return):
            return None
        try:
            return dict(_reported(asked, {}, frozenset()))
        except _Otherwise:
            return None

    def reach(self, name: str) -> frozenset[str]:
        """A flow and all that it calls, itself or through others."""
        found: set[str] = set()
        ahead = [name]
        while ahead:
            name = ahead.pop()
            if name in self.flows and name not in found:
                found.add(name)
                ahead += (call.flow for call in calls(self.flows[name].body))
        return frozenset(found)

    def part(self, rule: str) -> tuple[Flow, ...]:
        """A rule and all that it calls."""
        return tuple(self.flows[name] for name in sorted(self.reach(rule)))

    def guard(self, key: str) -> object:
        """The pattern of a guard."""
        body = self.flows[GUARDS].body if GUARDS in self.flows else ()
        value = body[0].value if len(body) == 1 and isinstance(body[0], Return) else None
        patterns = dict(zip(value.keys, value.values, strict=True)) if isinstance(value, DictOf) else {}
        return shape(patterns.get(key, body))


@dataclass(frozen=True)
class Edit:
    """What lies between two states of the rails.

    Attributes:
        files: that differ.
        flows: that say something else, are new, or are gone; a flow that only moved is none of them.
        touched: rules whose hits or whose meaning may differ.
        guarded: rules whose guards differ, which matters to engines that look at guards.
        whole: every case may be decided otherwise, whatever rules hit.
    """

    files: tuple[str, ...]
    flows: frozenset[str]
    touched: frozenset[str]
    guarded: frozenset[str]
    whole: bool

    @classmethod
    def between(cls, before: Rails, after: Rails) -> Edit:
        """Compare two states, both of which can be parsed."""
        flows = frozenset(
            name
            for name in before.flows.keys() | after.flows.keys()
            if _differ(before.flows.get(name), after.flows.get(name))
        )
        every = before.rules | after.rules
        orders = before.order, after.order
        if orders[0] is None or orders[1] is None:
            touched = every if flows & after.reach(CHECK) or CHECK in flows else frozenset[str]()
        else:
            touched = frozenset(name for name in every if flows & after.reach(name) or name not in after.rules)
            touched |= orders[0].keys() ^ orders[1].keys()
        known = [guards for order in orders if order for guards in order.values()] if GUARDS in flows else []
        changed = {key for guards in known for key in guards if before.guard(key) != after.guard(key)}
        return cls(
            files=tuple(
                sorted(
                    name
                    for name in before.texts.keys() | after.texts.keys()
                    if before.texts.get(name) != after.texts.get(name)
                )
            ),
            flows=flows,
            touched=touched,
            guarded=frozenset(rule for order in orders if order for rule, guards in order.items() if guards & changed),
            whole=bool(flows & {CHECK, MAIN}),
        )


def compile_touched(rails: Rails, edit: Edit) -> Policy:
    """The rails compiled, with nothing in the rules that the edit does not touch: those never hit.

    Raises:
        CompileError: with all that is wrong.
    """
    empty = rails.rules - edit.touched
    flows = [emptied(flow) if flow.name in empty else flow for flow in rails.all]
    called = {call.flow for flow in rails.all for call in calls(flow.body)}
    # What only the emptied rules call is left out, but what has changed is compiled whoever calls it.
    thin = Rails({}, {"": tuple(flows)})
    kept = frozenset[str]().union(*map(thin.reach, (thin.flows.keys() - called) | edit.flows))
    return Policy(flow for flow in flows if flow.name in kept)


def read_texts(root: Path) -> dict[str, str]:
    """All `.co` files of a directory, by name within it.

    Raises:
        UsageError: no directory, nothing in it, or a file that cannot be read.
    """
    if not root.is_dir():
        raise UsageError("not a directory of Colang files", "give a directory with .co files", str(root))
    texts: dict[str, str] = {}
    for path in rails_files(root):
        try:
            texts[path.relative_to(root).as_posix()] = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"cannot be read: {type(error).__name__}", "save it as UTF-8", str(path)) from None
    if not texts:
        raise UsageError("no Colang files", "give a directory with .co files", str(root))
    return texts


def _differ(before: Flow | None, after: Flow | None) -> bool:
    return before is not after and shape(before) != shape(after)


def emptied(flow: Flow) -> Flow:
    """The flow without its body: it never hits, and compiles at once."""
    nothing = Return(flow.line, flow.column, ListOf(flow.line, flow.column, ()))
    return replace(flow, body=(nothing,))


def _empty(node: Any) -> object:
    return ListOf(node.line, node.column, ())


class _Otherwise(Exception):
    """`check turn` does something of its own."""


def _reported(
    body: Iterable[Statement], terms: dict[str, str], guards: frozenset[str]
) -> Iterator[tuple[str, frozenset[str]]]:
    """Rules that are asked and reported, each with the keys of the guards before it."""
    for statement in body:
        match statement:
            case Await(name=name, flow=flow):
                terms[name] = flow
            case Assign(
                name=name,
                value=Binary(
                    operator="+",
                    left=Variable(name=same),
                    right=ListOf(items=(ListOf(items=(Text(value=said), Variable(name=found))),)),
                ),
            ) if name == same and terms.get(found) == said:
                yield said, guards
            case If(
                branches=(
                    Branch(condition=Call(function="search", arguments=(Attribute(key=key), Variable())), body=inner),
                ),
                otherwise=(),
            ):
                yield from _reported(inner, terms, guards | {key})
            case _:
                raise _Otherwise
