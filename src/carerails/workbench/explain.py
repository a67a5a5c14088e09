"""From a text to its decision, step by step: what each rule saw in it, which won, and what would change that."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass

from carerails.colang.rules import CHECK, Rule
from carerails.contracts import RANK, Message, RuleHit, Span, Turn, TurnDecision
from carerails.engine import FailSafeEngine
from carerails.lint.flows import reported
from carerails.policy import Policy
from carerails.text import Prepared, normalise, prepare

#: What may stand in place of words that are taken out: no pattern matches across it.
_GAP = " \n "


@dataclass(frozen=True, slots=True)
class Seen:
    """A pattern that stands in the text: its place in the rails, what it matches, and where in the user's own words."""

    file: str
    line: int
    pattern: str
    text: str
    span: Span | None


@dataclass(frozen=True, slots=True)
class Asked:
    """A rule whose words are in the text.

    Attributes:
        terms: what it found; none where it did not hit.
        seen: its patterns that stand in the text. Without terms: the rule explained them away, or needs more of them.
    """

    rule: str
    outcome: str
    priority: int
    file: str
    line: int
    terms: tuple[str, ...]
    seen: tuple[Seen, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """Another outcome, and what it would take."""

    what: str
    decision: str
    rule: str | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """All of it.

    Attributes:
        views: the normalised copies that rules read.
        skipped: number of rules that were not asked, since none of their words is there.
        asked: the others, in the order of checks.
        order: those that hit, the one that decides first: by outcome, then priority, then the order of checks.
        changes: what would have to be otherwise for another outcome.
    """

    views: tuple[str, ...]
    skipped: int
    asked: tuple[Asked, ...]
    order: tuple[str, ...]
    changes: tuple[Change, ...]


async def explain(turn: Turn, engine: FailSafeEngine, *, longest: int) -> Explanation:
    """Explain the decision on a turn of one message.

    Args:
        turn: what is said.
        engine: decides; the rules are those of its policy.
        longest: characters of a turn that are scanned.
    """
    policy = engine.policy
    prepared = prepare(turn, max_chars=longest)
    hits = {hit.rule: hit for hit in policy.check(prepared.text)} if prepared.text else {}
    rules = _in_order(policy)
    asked = tuple(_asked(rules, hits, policy, prepared))
    order = tuple(sorted(hits, key=lambda name: _precedence(policy.rules[name])))
    return Explanation(
        views=tuple(view.text for message in turn.messages for view in normalise(str(message.content))),
        skipped=len(rules) - len(asked),
        asked=asked,
        order=order,
        changes=tuple([change async for change in _changes(turn, order, asked, policy, engine)]),
    )


def said(decision: TurnDecision) -> str:
    """A decision in one word or three."""
    parts = (decision.decision, decision.severity, decision.slug if decision.severity is None else None)
    return " / ".join(part for part in parts if part)


def _in_order(policy: Policy) -> list[Rule]:
    """The rules in the order of checks; the others behind."""
    check = next((flow for flow in policy.flows if flow.name == CHECK), None)
    place = {name: number for number, name in enumerate(reported(check.body))} if check else {}
    return sorted(policy.rules.values(), key=lambda rule: place.get(rule.name, len(place)))


def _precedence(rule: Rule) -> tuple[int, int]:
    return RANK[rule.meta.outcome], -rule.meta.priority


def _asked(rules: Iterable[Rule], hits: dict[str, RuleHit], policy: Policy, prepared: Prepared) -> Iterable[Asked]:
    scan = policy.scan(prepared.text)
    candidates = set(scan.candidates)
    for rule in rules:
        regexes = [regex for regex in policy.regexes(rule.name) if not regex.partial]
        if rule.name not in hits and candidates.isdisjoint(regex.number for regex in regexes):
            continue
        seen: dict[tuple[int, int], Seen] = {}
        for regex in regexes:
            for start, end, number in scan.spans(regex.number):
                arm = regex.arms[number]
                text = prepared.text[start:end]
                one = Seen(arm.file, arm.line, arm.regex, text, prepared.locate(start, end))
                seen.setdefault((start, end), one)
        terms = hits[rule.name].terms if rule.name in hits else ()
        found = tuple(seen[place] for place in sorted(seen))
        # Of a rule that hit, only what it reports: the rest are words that it looked for besides.
        shown = tuple(one for one in found if one.text in terms) if terms else found
        meta = rule.meta
        yield Asked(rule.name, meta.outcome, meta.priority, rule.file, rule.line, terms, shown)


async def _changes(
    turn: Turn, order: Sequence[str], asked: Sequence[Asked], policy: Policy, engine: FailSafeEngine
) -> AsyncIterator[Change]:
    """Without the words of one rule more each time; where none hit, what a hit of a rule that was asked would do."""
    gone: list[Span] = []
    by_name = {one.rule: one for one in asked}
    for number, name in enumerate(order):
        gone += [one.span for one in by_name[name].seen if one.span]
        decision = await engine.check(_without(turn, gone))
        first = decision.evidence[0].rule if decision.evidence else None
        words = ", ".join(f"{one.text!r}" for one in by_name[name].seen) or "the words of " + name
        yield Change(f"without {words}" if not number else f"and without {words}", said(decision), first)
        if decision.decision == "allow":
            return
    if not order:
        for one in asked:
            meta = policy.rules[one.rule].meta
            outcome = f"refuse / {meta.slug}" if meta.slug else one.outcome
            yield Change(f"if `{one.rule}` hit", outcome, one.rule)


def _without(turn: Turn, spans: Iterable[Span]) -> Turn:
    """The turn with a gap in place of the spans."""
    messages: list[Message] = []
    for number, message in enumerate(turn.messages):
        text = str(message.content)
        for span in sorted((span for span in spans if span.message == number), key=lambda s: s.start, reverse=True):
            text = text[: span.start] + _GAP + text[span.end :]
        messages.append(message.model_copy(update={"content": text}))
    return turn.model_copy(update={"messages": tuple(messages)})
