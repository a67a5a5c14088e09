"""What is wrong with templates: texts that are missing, in English for everybody, or with numbers of their own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from carerails.colang.diagnostics import nearest
from carerails.colang.rules import SLUGS, Template
from carerails.colang.tree import Assign, Attribute, Await, Compare, Flow, If, Index, Node, Return, Text, Variable, walk
from carerails.contracts import LOCALES
from carerails.errors import CarerailsError
from carerails.lint.language import reads_like
from carerails.lint.noting import Notes
from carerails.policy import Policy

RENDER = "render template"
#: What a country has, as templates show it.
NUMBERS = ("emergency", "crisis")
#: Numbers as nobody would write them, to find them again.
_SHOWN: Mapping[str, str] = dict(zip(NUMBERS, ("90909", "80808"), strict=True))
#: Words that lack a space between them or have two, a number beside a letter, a full stop without a space.
_GLUED = re.compile(
    r"[^\W\d](?:90909|80808)|(?:90909|80808)[^\W\d]|\w{2}[.!?;,][A-ZÁÉÍÓÚÂÊÔÃÕ¿¡]\w"
    r"|\S +[.,;!?](?!\S)|(?<=\S)  +(?=\S)"
)
_PLACEHOLDER = re.compile(
    r"\[[^\]\d]{2,40}\]|<[^<>\d]{2,40}>|%[sd]|\bX{3,}\b|\b(?:TODO|TBD|FIXME)\b|lorem ipsum|\{\{?\w+\}?\}"
)
#: A number to dial, alone or in groups; years, doses and counts of days have a word behind them.
_DIALLED = re.compile(r"(?<![\w,.])(?:\d[ -]?){2,13}\d(?!\s*(?:%|mg|ml|mcg|anos|años|years|h\b|horas|hours|min))")


def check_templates(policy: Policy, notes: Notes) -> None:
    """Every slug has a text, in every locale."""
    for slug in SLUGS:
        if slug not in policy.templates:
            place = next(iter(policy.templates.values()), None)
            notes.add("missing-template", place.file if place else "templates", 1, 1, [slug])
    for template in policy.templates.values():
        said = {locale: text for locale in LOCALES if (text := _text(policy, template, locale)) is not None}
        for locale, text in said.items():
            if locale != LOCALES[0] and text and text == said.get(LOCALES[0]):
                notes.add("missing-locale", template.file, template.line, 1, [template.slug, locale], [locale])
            elif other := reads_like(text, locale):
                notes.add("wrong-locale", template.file, template.line, 1, [other, f"the template for {locale}"])
            if not text.strip():
                notes.add("empty-template", template.file, template.line, 1, [template.slug, locale])
            for glued in _GLUED.finditer(text):
                notes.add("glued", template.file, template.line, 1, [glued.group(), template.slug])
        _even(template, said, notes)


def _even(template: Template, said: Mapping[str, str], notes: Notes) -> None:
    """A number that one locale is told is told to all."""
    for number, shown in _SHOWN.items():
        telling = [locale for locale, text in said.items() if shown in text]
        for locale in said.keys() - set(telling) if telling else ():
            what = [template.slug, number, telling[0], locale]
            notes.add("uneven-numbers", template.file, template.line, 1, what)


def check_template_flows(flows: Iterable[Flow], notes: Notes) -> None:
    """The numbers that they show, as they are written."""
    for flow in flows:
        meta = dict(flow.meta or ())
        if meta.get("kind") != "template":
            continue
        for node in walk(flow.body):
            key = _number(node)
            if key is not None and key not in NUMBERS:
                notes.add(
                    "unknown-number", flow.file, node.line, node.column, [meta["slug"], key], [nearest(key, NUMBERS)]
                )
        for node in _said(flow):
            for placeholder in _PLACEHOLDER.finditer(node.value):
                notes.add("placeholder", flow.file, node.line, node.column, [placeholder.group()])
            if dialled := _DIALLED.search(node.value):
                notes.add("fixed-number", flow.file, node.line, node.column, [dialled.group(), meta["slug"]])


def _number(node: Node) -> str | None:
    """KEY of `$numbers.KEY` and `$numbers["KEY"]`."""
    match node:
        case Attribute(variable="numbers", key=key) | Index(base=Variable(name="numbers"), index=Text(value=key)):
            return key
        case _:
            return None


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


def _text(policy: Policy, template: Template, locale: str) -> str | None:
    """What it says; None where it shows what no country has, which is said at its line."""
    try:
        return policy.render(template.slug, locale, _SHOWN)
    except CarerailsError:
        return None
