"""What may be written at the cursor: flows, slugs, categories, meta keys and their values, locales, variables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from carerails.colang.parser import MAIN
from carerails.colang.rules import IN_SCOPE, META, PREFIX, REFUSALS, SLUGS
from carerails.contracts import LOCALES
from carerails.lsp.pack import Pack, Read

What = Literal["flow", "slug", "category", "key", "value", "variable", "keyword"]
_META_VALUE = re.compile(r'@meta\(.*?\b(\w+)\s*=\s*"([^"]*)$')
_META_KEY = re.compile(r"@meta\((?:[^\"]|\"[^\"]*\")*?(\w*)$")
_KIND = re.compile(r'kind\s*=\s*"([\w-]+)"')
_STATEMENTS = ("if", "elif", "else", "return")
_TOP = ("flow", "@meta")


class Offer(NamedTuple):
    """One completion. `start` is the column, from 1, of what it replaces up to the cursor."""

    label: str
    what: What
    start: int
    insert: str = ""
    detail: str = ""


def offers(pack: Pack, read: Read, line: int, column: int) -> list[Offer]:
    """What fits there, unfiltered by what is typed already: editors do that, and rank it too."""
    written = read.lines.line(line)[: column - 1]
    for pattern, make in _IN_EXAMPLES if read.is_examples else _IN_FLOWS:
        if match := pattern.search(written):
            return list(make(_Place(pack, read, line, match)))
    return []


class _Place(NamedTuple):
    pack: Pack
    read: Read
    line: int
    match: re.Match[str]

    @property
    def start(self) -> int:
        return self.match.start(self.match.lastindex or 0) + 1


def _meta_values(at: _Place) -> Iterator[Offer]:
    key = at.match[1]
    kind = _KIND.search(at.read.lines.line(at.line))
    if key == "kind":
        words: tuple[str, ...] = tuple(META)
    elif key == "severity":
        words = tuple(PREFIX)
    elif key == "slug":
        words = SLUGS if kind and kind[1] == "template" else REFUSALS
    else:
        words = tuple(sorted(_categories(at.pack, key)))
    yield from (Offer(word, "slug" if key == "slug" else "value", at.start) for word in words)


def _meta_keys(at: _Place) -> Iterator[Offer]:
    line = at.read.lines.line(at.line)
    kind = _KIND.search(line)
    keys = META.get(kind[1], {}) if kind else {key: rule for keys in META.values() for key, rule in keys.items()}
    for key in ("kind", *keys):
        if not re.search(rf"\b{key}\s*=", line):
            whole = key != "kind" and keys[key].whole
            yield Offer(key, "key", at.start, f"{key}=$1" if whole else f'{key}="$1"')


def _flows(at: _Place) -> Iterator[Offer]:
    for flow in at.pack.flows().values():
        if flow.name != MAIN:
            arguments = [f"${{{number}:\\${name}}}" for number, name in enumerate(flow.parameters, 1)]
            shown = " ".join(f"${name}" for name in flow.parameters)
            yield Offer(flow.name, "flow", at.start, " ".join([flow.name, *arguments]), f"{shown}  {flow.file}".strip())


def _slugs(at: _Place) -> Iterator[Offer]:
    yield from (Offer(slug, "slug", at.start) for slug in SLUGS)


def _locales(at: _Place) -> Iterator[Offer]:
    yield from (Offer(locale, "value", at.start) for locale in LOCALES)


def _example_categories(at: _Place) -> Iterator[Offer]:
    names = {*_categories(at.pack, "category"), *_categories(at.pack, "reason"), IN_SCOPE}
    yield from (Offer(name.replace("-", " "), "category", at.start) for name in sorted(names))


def _variables(at: _Place) -> Iterator[Offer]:
    above = [flow.line for flow in at.read.flows if flow.line <= at.line]
    scope = max(above, default=0)
    names = {mark.name for mark in at.read.marks if mark.kind == "variable" and scope in (0, mark.scope)}
    yield from (Offer(name, "variable", at.start, name.replace("$", "\\$")) for name in sorted(names))


def _said(at: _Place) -> Iterator[Offer]:
    for opening in ("user said", "or user said"):
        yield Offer(opening, "keyword", at.start, f'{opening} "$1"')


def _words(*words: str) -> Callable[[_Place], Iterator[Offer]]:
    return lambda at: (Offer(word, "keyword", at.start, word.replace("$", "\\$")) for word in words)


def _nothing(_: _Place) -> Iterator[Offer]:
    return iter(())


def _categories(pack: Pack, key: str) -> set[str]:
    metas = [dict(flow.meta or ()) for flow in pack.flows().values()]
    return {str(meta[key]) for meta in metas if key in meta}


_Contexts = tuple[tuple[re.Pattern[str], Callable[[_Place], Iterator[Offer]]], ...]
#: Where the cursor may be, and what fits there; the first that applies. The last group is what is replaced.
_IN_FLOWS: _Contexts = (
    (re.compile(r"^\s*#"), _nothing),
    (_META_VALUE, _meta_values),
    (_META_KEY, _meta_keys),
    (re.compile(r'\$slug\s*==\s*"([\w-]*)$'), _slugs),
    (re.compile(r'\$locale\s*==\s*"([\w-]*)$'), _locales),
    (re.compile(r'^(?:[^"]|"(?:\\.|[^"\\])*")*"(?:\\.|[^"\\])*$'), _nothing),  # inside a string
    (re.compile(r"\bawait ([a-z0-9_ ]*)$"), _flows),
    (re.compile(r"(\$\w*)$"), _variables),
    (re.compile(r"^\s+(\w*)$"), _words(*_STATEMENTS)),
    (re.compile(r"^(@?\w*)$"), _words(*_TOP)),
)
_IN_EXAMPLES: _Contexts = (
    (re.compile(r"^flow examples of ([a-z0-9 -]*)$"), _example_categories),
    (re.compile(r"^\s*#\s*([\w-]*)$"), _locales),
    (re.compile(r"^\s+([a-z ]*)$"), _said),
    (re.compile(r"^(\w[\w ]*)?$"), _words("flow examples of")),
)
