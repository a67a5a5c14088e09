"""What an editor shows about a name or a string under the cursor, as Markdown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from carerails.colang import Flow, Report, Scans, compile_flows, pure_flows
from carerails.colang.compiler import CompiledFlow
from carerails.colang.folding import Pattern
from carerails.colang.rules import CHECK
from carerails.colang.tree import Text
from carerails.config import load_settings
from carerails.contracts import LOCALES
from carerails.errors import CarerailsError
from carerails.evals.edits import Rails, emptied
from carerails.lsp.hits import Slices, Tried
from carerails.lsp.pack import Pack, Read
from carerails.lsp.symbols import Mark
from carerails.matching import Matcher
from carerails.text import as_read

#: Most patterns, cases and characters of a pattern that are shown.
PATTERNS, CASES, LENGTH = 3, 4, 400


def about_name(pack: Pack, name: str, mark: Mark) -> str:
    """What a name stands for; empty where that is not known."""
    if mark.kind == "variable":
        return ""
    if mark.kind == "flow":
        flow = pack.flows().get(mark.name)
        return _about_flow(pack, flow) if flow else ""
    symbol = pack.symbol(name, mark)
    return _about_slug(pack, symbol.name) if symbol.kind == "slug" else _about_category(pack, symbol.name)


def about_string(pack: Pack, read: Read, line: int, column: int, slices: Slices) -> str:
    """The patterns that a string is part of, and what they hit. Takes a second or two the first time."""
    node = text_at(read.flows, line, column)
    if node is None:
        return ""
    arms = arms_of(pack, read, node)
    if not arms:
        return ""
    shown = [_about_pattern(arm.regex, slices) for arm in arms[:PATTERNS]]
    if len(arms) > PATTERNS:
        shown.append(f"and {len(arms) - PATTERNS} more patterns on this line")
    return "\n\n---\n\n".join(shown)


def about_example(read: Read, line: int) -> str:
    """What rules see of an example."""
    example = next((example for example in read.examples if example.line == line), None)
    if example is None:
        return ""
    return f"Example of **{example.category}**, {example.locale or 'without a locale'}\n\n" + _code(
        as_read(example.text), "text"
    )


def text_at(flows: Iterable[Flow], line: int, column: int) -> Text | None:
    """The string under a cursor, decoded."""
    before = [flow for flow in flows if flow.line <= line]
    if not before:
        return None
    found = [node for node in _texts(before[-1].body) if node.line == line and node.column <= column]
    return max(found, key=lambda node: node.column, default=None)


def arms_of(pack: Pack, read: Read, node: Text) -> list[Pattern]:
    """The patterns that a string stands in: those of its line of which it is a part, or that are a part of it."""
    pure = pure_flows((flow for file in pack.files() for flow in file.flows), Report())
    here = _with_callers(pack, read)
    found: dict[str, Pattern] = {}
    for other in here:
        for flow in _compiled(other, pure).values():
            for regex in flow.regexes:
                for arm in regex.arms:
                    if (arm.file, arm.line) == (read.name, node.line) and _belong(arm.regex, node.value):
                        found.setdefault(arm.regex, arm)
        if found:
            break
    return list(found.values())


def _compiled(read: Read, pure: dict[str, Flow]) -> dict[str, CompiledFlow]:
    """The flows of a file compiled, with those that they call. Rules of other files are left without their bodies."""
    own = {flow.name for flow in read.flows}
    thin = {name: emptied(flow) if name not in own and flow.meta else flow for name, flow in pure.items()}
    rails = Rails({}, {"": tuple(thin.values())})
    wanted = {name for flow in own if flow in thin for name in rails.reach(flow)} - {CHECK}
    return compile_flows({name: flow for name, flow in thin.items() if name in wanted}, Report())[0]


def _with_callers(pack: Pack, read: Read) -> Iterator[Read]:
    """A file, then the files that call flows of it: a vocabulary's strings become patterns there."""
    yield read
    own = {flow.name for flow in read.flows}
    for other in pack.files():
        if other.name != read.name and any(mark.kind == "flow" and mark.name in own for mark in other.marks):
            yield other


def _belong(arm: str, text: str) -> bool:
    return bool(text) and (text in arm or arm in text)


def _about_pattern(regex: str, slices: Slices) -> str:
    shown = regex if len(regex) <= LENGTH else regex[: LENGTH - 1] + "…"
    parts = [_code(shown, "regex")]
    copy = _normalised_pattern(regex)
    if copy != regex:
        parts.append(f"Rules see a copy in lower case without accents, so this cannot match. Write:\n\n{_code(copy)}")
    try:
        parts.append(_about_hits(slices.tried(regex)))
    except re.error as error:
        parts.append(f"Not a regular expression: {error}")
    return "\n\n".join(parts)


def _about_hits(tried: Tried) -> str:
    total = sum(tried.asked.values())
    by_locale = ", ".join(f"{locale} {tried.count(locale)} of {tried.asked[locale]}" for locale in LOCALES)
    lines = [f"Hits **{len(tried.hits)}** of {total:,} cases: {by_locale}"]
    lines += [f"- `{hit.place}`: {_inline(hit.term)}" for hit in tried.hits[:CASES]]
    if len(tried.hits) > CASES:
        lines.append(f"- and {len(tried.hits) - CASES} more")
    return "\n".join(lines)


def _normalised_pattern(regex: str) -> str:
    """The pattern with its letters as the normalised copy has them; what means something in a regex stays."""
    return re.sub(r"\\.|\(\?.|[^\W\d_]", lambda found: found[0] if len(found[0]) > 1 else _folded(found[0]), regex)


def _folded(letter: str) -> str:
    return letter if letter.isascii() and letter.islower() else as_read(letter) or letter


def _about_flow(pack: Pack, flow: Flow) -> str:
    head = " ".join([f"flow {flow.name}", *(f"${name}" for name in flow.parameters)])
    if flow.results:
        head += " -> " + ", ".join(f"${name}" for name in flow.results)
    parts = [_code(head, "colang")]
    meta = dict(flow.meta or ())
    if meta:
        parts.append(" · ".join(f"{key} **{value}**" for key, value in meta.items()))
    if flow.doc:
        parts.append("\n".join(line.strip() for line in flow.doc.splitlines()))
    if "category" in meta or "reason" in meta:
        parts.append(_about_examples(pack, str(meta.get("category") or meta.get("reason"))))
    parts.append(f"`{flow.file}:{flow.line}`")
    return "\n\n".join(parts)


def _about_category(pack: Pack, category: str) -> str:
    rules = [
        flow
        for flow in pack.flows().values()
        if category in (dict(flow.meta or ()).get(k) for k in ("category", "reason"))
    ]
    lines = [f"Category **{category}**"]
    for flow in rules:
        meta = dict(flow.meta or ())
        said = meta.get("severity") or meta.get("slug")
        lines.append(f"- {flow.name}: {said}, priority {meta.get('priority')} (`{flow.file}:{flow.line}`)")
    return "\n".join(lines) + "\n\n" + _about_examples(pack, category)


def _about_examples(pack: Pack, category: str) -> str:
    counts = Counter(example.locale for example in pack.examples_of(category))
    return "Examples: " + ", ".join(f"{locale} {counts[locale]}" for locale in LOCALES)


def _about_slug(pack: Pack, slug: str) -> str:
    parts = [f"Template **{slug}**"]
    parts += [f"*{locale}*  \n{text}" for locale, text in template_texts(pack, slug).items()]
    return "\n\n".join(parts)


def template_texts(pack: Pack, slug: str) -> dict[str, str]:
    """What a template says in each locale, with the numbers of its default country; or why it cannot."""
    flows = pack.flows()
    flow = next(
        (flow for flow in flows.values() if dict(flow.meta or ()).get("slug") == slug and _is_template(flow)), None
    )
    if flow is None:
        return {}
    compiled, regexes = compile_flows({flow.name: flow}, Report())
    found: dict[str, str] = {}
    try:
        settings = load_settings()
        for locale in LOCALES:
            numbers = settings.numbers.of(locale, settings.country(locale, None))
            found[locale] = str(compiled[flow.name](Scans(Matcher(regexes)), (locale, numbers)))
    except CarerailsError as error:
        found.setdefault("not rendered", str(error))
    except (KeyError, TypeError, ValueError) as error:
        found.setdefault("not rendered", type(error).__name__)
    return found


def _is_template(flow: Flow) -> bool:
    return dict(flow.meta or ()).get("kind") == "template"


def _texts(node: Any) -> Iterator[Text]:
    if isinstance(node, Text):
        yield node
    elif isinstance(node, tuple):
        for item in node:  # pyright: ignore[reportUnknownVariableType]
            yield from _texts(item)
    elif is_dataclass(node):
        for field in fields(node):
            yield from _texts(getattr(node, field.name))


def _code(text: str, language: str = "") -> str:
    return f"```{language}\n{text}\n```"


def _inline(text: str) -> str:
    return "`" + text.replace("`", "'") + "`"
