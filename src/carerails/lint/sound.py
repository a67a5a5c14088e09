"""Which flows can be judged though others are wrong: those that are not wrong themselves, and call none that is."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from carerails.colang.diagnostics import Diagnostic
from carerails.colang.rules import CHECK, GUARDS
from carerails.colang.tree import Flow, ListOf, Return, calls
from carerails.evals.edits import Rails, emptied


def sound(rails: Rails, wrong: Collection[str]) -> Rails:
    """The rails with nothing in the flows that are wrong, or that call such; a rule among them is none any more.

    The order of checks calls every rule, and is as good as before.
    """
    flows = tuple(replace(emptied(flow), meta=None) if name in wrong else flow for name, flow in rails.flows.items())
    if CHECK not in rails.flows:
        flows += (Flow(1, 1, CHECK, "main.co", ("text",), ("hits",), body=(Return(1, 1, ListOf(1, 1, ())),)),)
    return Rails(rails.texts, {"": flows})


def spoilt(rails: Rails, unread: Collection[str], found: Iterable[Diagnostic]) -> frozenset[str]:
    """Flows that are wrong or missing, and those that call them.

    Args:
        unread: files that could not be read in full.
        found: what else is wrong.
    """
    wrong = {flow.name for flow in rails.all if flow.file in unread}
    wrong |= set(_with(rails, found))
    if GUARDS in wrong or CHECK not in rails.flows:
        wrong.add(CHECK)
    if unread:  # a flow that nobody defines may be in there
        wrong |= {call.flow for flow in rails.all for call in calls(flow.body)} - rails.flows.keys()
    before = -1
    while before < len(wrong):
        before = len(wrong)
        wrong |= {
            name
            for name, flow in rails.flows.items()
            if name != CHECK and any(call.flow in wrong for call in calls(flow.body))
        }
    return frozenset(wrong)


def _with(rails: Rails, found: Iterable[Diagnostic]) -> Iterator[str]:
    """The flows that something was found in: each goes on to the next one of its file."""
    for one in found:
        flows = sorted((flow for flow in rails.all if flow.file == one.file), key=lambda flow: flow.line)
        at = bisect_right([flow.line for flow in flows], one.line)
        if at:
            yield flows[at - 1].name
