"""What is wrong with templates: texts that are missing, in English for everybody, or with numbers of their own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from carerails.colang.diagnostics import nearest
from carerails.colang.rules import SLUGS, Template
from carerails.colang.tree import Assign, Attribute, Await, Compare, Flow, If, Return, Text, Variable, walk
from carerails.contracts import LOCALES
from carerails.errors import CarerailsError
from carerails.lint.noting import Notes
from carerails.policy import Policy

RENDER = "render template"
#: What a country has, as templates show it.
NUMBERS = ("emergency", "crisis")
#: A number to dial, alone or in groups; years, doses and counts of days have a word behind them.
_DIALLED = re.compile(r"(?<![\w,.])(?:\d[ -]?){2,13}\d(?!\s*(?:%|mg|ml|mcg|anos|años|years|h\b|horas|hours|min))")


def check_templates(policy: Policy, notes: Notes) -> None:
    """Every slug has a text, in every locale."""
    for slug in SLUGS:
        if slug not in policy.templates:
            place = next(iter(policy.templates.values()), None)
            notes.add("missing-template", place.file if place else "templates", 1, 1, [slug])
    for template in policy.templates.values():
        said = {locale: _text(policy, template, locale) for locale in LOCALES}
        for locale in LOCALES[1:]:
            if said[locale] and said[locale] == said[LOCALES[0]]:
                notes.add("missing-locale", template.file, template.line, 1, [template.slug, locale], [locale])


def check_template_flows(flows: Iterable[Flow], notes: Notes) -> None:
    """The numbers that they show, as they are written."""
    for flow in flows:
        meta = dict(flow.meta or ())
        if meta.get("kind") != "template":
            continue
        for node in walk(flow.body):
            if isinstance(node, Attribute) and node.variable == "numbers" and node.key not in NUMBERS:
                mend = [nearest(node.key, NUMBERS)]
                notes.add("unknown-number", flow.file, node.line, node.column, [meta["slug"], node.key], mend)
        for node in _said(flow):
            if dialled := _DIALLED.search(node.value):
                notes.add("fixed-number", flow.file, node.line, node.column, [dialled.group(), meta["slug"]])


def _said(flow: Flow) -> Iterator[Text]:
    """The strings of its answers."""
    for node in walk(flow.body):
        if isinstance(node, (Assign, Return)):
            yield from (part for part in walk(node.value) if isinstance(part, Text))


def check_rendering(flows: Mapping[str, Flow], templates: Mapping[str, Template], notes: Notes) -> None:
    """`render template`, which NeMo's runtime asks, knows every template."""
    flow = flows.get(RENDER)
    if flow is None:
        return
    rendered = dict(_rendered(flow))
    for slug, template in templates.items():
        if rendered.get(slug) != template.flow:
            notes.add("not-rendered", flow.file, flow.line, 1, [slug])


def _rendered(flow: Flow) -> Iterator[tuple[str, str]]:
    """Slug and flow of each branch."""
    for node in walk(flow.body):
        if isinstance(node, If):
            for branch in node.branches:
                slug = _asked(branch.condition)
                for statement in branch.body:
                    if slug and isinstance(statement, Await):
                        yield slug, statement.flow


def _asked(condition: object) -> str | None:
    """SLUG of `$slug == "SLUG"`."""
    match condition:
        case Compare(operators=("==",), operands=(Variable(name="slug"), Text(value=slug))):
            return slug
        case _:
            return None


def _text(policy: Policy, template: Template, locale: str) -> str:
    try:
        return policy.render(template.slug, locale, dict.fromkeys(NUMBERS, "0"))
    except CarerailsError:
        return ""  # it shows what no country has, which is said at its line
