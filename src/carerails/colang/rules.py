"""What flows mean: rules and templates, by their `@meta`. A misspelt key or value is an error, never a rule less."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, get_args

from carerails.colang.diagnostics import Report, nearest
from carerails.colang.folding import Pattern
from carerails.colang.tree import Flow
from carerails.contracts import EscalationTemplate, Outcome, RefusalSlug, RestingTemplate, RuleKind

CHECK = "check turn"
GUARDS = "guards"
#: The flow that decides when somebody outside the rails is asked, and the actions that it may await.
MEANING = "check meaning"
SECOND_OPINION = "SecondOpinionAction"
ACTIONS = (SECOND_OPINION,)
#: Stands under every reply; it is neither an escalation's text nor a refusal's.
FOOTER = "footer"
RULE_KINDS: tuple[str, ...] = get_args(RuleKind)
#: The kinds that decide turns; the others look at what goes into the model's context, and at what comes out of it.
TURN_KINDS = ("red-flag", "scope")
ESCALATIONS: tuple[str, ...] = get_args(EscalationTemplate)
REFUSALS: tuple[str, ...] = get_args(RefusalSlug)
SLUGS: tuple[str, ...] = (*ESCALATIONS, *REFUSALS, FOOTER)
#: Templates that rails may do without: the fallback stands in for them.
OPTIONAL_SLUGS: tuple[str, ...] = get_args(RestingTemplate)
#: The category of examples that no rule may hit.
IN_SCOPE = "in-scope"
#: How a red flag's flow is called, by its severity.
PREFIX = {"emergency": "red flag", "crisis": "red flag", "urgent": "urgent", "check-in": "check in"}


class Key(NamedTuple):
    """What a meta key may say: one of `words`, any kebab-case word, or (`whole`) a number from 0 to 100."""

    words: tuple[str, ...] = ()
    whole: bool = False


#: The keys of each kind, all needed.
META: dict[str, dict[str, Key]] = {
    "red-flag": {"category": Key(), "severity": Key(tuple(PREFIX)), "priority": Key(whole=True)},
    "scope": {"reason": Key(), "slug": Key(REFUSALS), "priority": Key(whole=True)},
    "screening": {"category": Key()},
    "output": {"category": Key()},
    "judged-red-flag": {"category": Key(), "severity": Key(tuple(PREFIX)), "priority": Key(whole=True)},
    "judged-scope": {"reason": Key(), "slug": Key(REFUSALS), "priority": Key(whole=True)},
    "judged-output": {"category": Key()},
    "template": {"slug": Key((*SLUGS, *OPTIONAL_SLUGS))},
}
#: Kinds whose rules take a judge's opinions in place of a text, and what else they are.
JUDGED_KINDS: dict[str, RuleKind] = {
    "judged-red-flag": "red-flag",
    "judged-scope": "scope",
    "judged-output": "output",
}
PARAMETERS = {
    "red-flag": ("text",),
    "scope": ("text",),
    "screening": ("text",),
    "output": ("text",),
    "judged-red-flag": ("opinions",),
    "judged-scope": ("opinions",),
    "judged-output": ("opinions",),
    "template": ("locale", "numbers"),
}
#: The slug of a kind whose rules name none: what goes into the context may carry instructions, which an input rule
#: calls meta; what comes out is replaced by the fallback.
_SLUGS: dict[str, RefusalSlug] = {"screening": "out-of-scope-meta", "output": "default"}


@dataclass(frozen=True, slots=True)
class RuleMeta:
    """What a hit of the rule means. `slug` is the refusal's; a red flag has none."""

    kind: RuleKind
    category: str
    outcome: Outcome
    slug: RefusalSlug | None
    priority: int


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the policy, and where it stands. `patterns` are the arms of all its regexes, in order."""

    name: str
    meta: RuleMeta
    file: str
    line: int
    doc: str
    patterns: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True)
class Template:
    """A text of the policy, and where it stands."""

    slug: str
    flow: str
    file: str
    line: int


def rules_of(
    flows: Iterable[Flow],
    patterns: Mapping[str, tuple[Pattern, ...]],
    report: Report,
    kinds: Collection[str] = RULE_KINDS,
) -> dict[str, Rule]:
    """The rules of some kinds among the flows, by name."""
    rules: dict[str, Rule] = {}
    for flow in flows:
        meta = _meta(flow, report, *kinds)
        if meta is None:
            continue
        kind = JUDGED_KINDS.get(str(meta["kind"]), str(meta["kind"]))
        flag = kind == "red-flag"
        prefix = PREFIX[str(meta["severity"])] if flag else kind
        if not flow.name.startswith(f"{prefix} "):
            report.add("rule-name", flow.file, flow.line, flow.column, [flow.name], [_label(meta), prefix])
        rules[flow.name] = Rule(
            flow.name,
            RuleMeta(
                kind=kind,  # pyright: ignore[reportArgumentType]
                category=str(meta["reason"] if "reason" in meta else meta["category"]),
                outcome=str(meta["severity"]) if flag else "refuse",  # pyright: ignore[reportArgumentType]
                slug=None if flag else str(meta.get("slug") or _SLUGS[kind]),  # pyright: ignore[reportArgumentType]
                priority=int(meta.get("priority") or 0),
            ),
            flow.file,
            flow.line,
            flow.doc,
            patterns.get(flow.name, ()),
        )
    return rules


def templates_of(flows: Iterable[Flow], report: Report) -> dict[str, Template]:
    """The templates among the flows, by slug."""
    templates: dict[str, Template] = {}
    for flow in flows:
        meta = _meta(flow, report, "template")
        if meta is None:
            continue
        slug = str(meta["slug"])
        if slug in templates:
            first = templates[slug]
            place = f"{first.file}:{first.line}"
            report.add("duplicate-template", flow.file, flow.line, flow.column, [slug, place])
        elif not flow.name.startswith("template "):
            report.add("rule-name", flow.file, flow.line, flow.column, [flow.name], ["template", "template"])
        templates.setdefault(slug, Template(slug, flow.name, flow.file, flow.line))
    return templates


def categories(rules: Mapping[str, Rule]) -> dict[str, str]:
    """What examples may be of, in words joined by hyphens, and the category it stands for.

    A category, a rule by its whole name or without its first words, or what is in scope.
    """
    names = {IN_SCOPE: IN_SCOPE}
    for rule in rules.values():
        for name in (rule.name, rule.name.removeprefix("red flag "), rule.name.removeprefix("scope ")):
            names.setdefault(kebab(name), rule.meta.category)
    return names | {rule.meta.category: rule.meta.category for rule in rules.values()}


def kebab(words: str) -> str:
    """`chest pain` as `chest-pain`."""
    return words.replace(" ", "-")


def check_meta(flow: Flow, report: Report) -> bool:
    """Whether the flow's meta says something that exists, in full; a flow without meta is only a helper."""
    if flow.meta is None:
        return True
    before = len(report.found)
    meta = dict(flow.meta)

    def wrong(code: str, what: Iterable[object], mend: Iterable[object] = ()) -> None:
        report.add(code, flow.file, flow.line, flow.column, what, mend)

    kind = meta.get("kind")
    if not isinstance(kind, str) or kind not in META:
        wrong("meta-value", [f"meta kind {kind!r}"], [nearest(str(kind), META)])
        return False
    keys = META[kind]
    for key in meta.keys() - keys.keys() - {"kind"}:
        wrong("meta-key", [key], [nearest(key, keys)])
    for key, rule in keys.items():
        value = meta.get(key)
        if value is None:
            wrong("meta-missing", [key], [kind, ", ".join(keys)])
        elif rule.whole:
            if type(value) is not int or not 0 <= value <= 100:
                wrong("meta-value", [f"{key} {value!r}"], ["a whole number from 0 to 100"])
        elif rule.words and value not in rule.words:
            wrong("meta-value", [f"{key} {value!r}"], [nearest(str(value), rule.words)])
        elif not str(value).replace("-", "a").isalnum() or str(value) != str(value).lower():
            wrong("meta-value", [f"{key} {value!r}"], ["lower-case words joined by hyphens"])
    if flow.parameters != PARAMETERS[kind]:
        shown = [" ".join(f"${name}" for name in names) or "nothing" for names in (flow.parameters, PARAMETERS[kind])]
        wrong("signature", [flow.name, shown[0]], [kind, shown[1]])
    return len(report.found) == before


def _meta(flow: Flow, report: Report, *kinds: str) -> dict[str, str | int | None] | None:
    """The flow's meta if it is of one of the kinds and in order; what is not in order is in the report."""
    if flow.meta is None or dict(flow.meta).get("kind") not in kinds:
        return None
    return dict(flow.meta) if check_meta(flow, Report()) else None


def _label(meta: Mapping[str, object]) -> str:
    return f"rule of severity {meta['severity']}" if "severity" in meta else f"rule of {meta['kind']}"
