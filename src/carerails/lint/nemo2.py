"""Any configuration in Colang 2.x: what NeMo Guardrails loads without a word, and then never answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from carerails.colang.diagnostics import nearest
from carerails.colang.tokens import Line, Token, lines
from carerails.lint.nemo_library import actions_in, library, meant, snake
from carerails.lint.noting import Notes
from carerails.lint.project import Project

_FUNCTIONS = (
    "len flow action regex search find_all uid pretty_str escape is_int is_float is_bool is_str is_regex type less_than"
    " equal_less_than greater_than equal_greater_than not_equal_to list flows_info rand randint int float str"
)
#: Functions of an expression.
FUNCTIONS = frozenset(_FUNCTIONS.split())
_STARTS = frozenset(["await", "start", "activate"])
_WAITS = frozenset(["match", "await", "when", "break", "return", "abort", "user", "bot", "wait"])
_SEARCHES = frozenset(["regex", "search", "find_all"])
_CONSTANTS = {"true": "True", "false": "False", "null": "None", "none": "None"}
_BACKSPACE = re.compile(r"(?<!\\)(?:\\\\)*(\\b)")
_COUNT = re.compile(r"(?<!\{)\{(?:\d+(?:,\d*)?|,\d+|[a-z_]\w*)\}(?!\})")
_DOLLAR = re.compile(r"(?<![{\\\w(\[., ])\$[a-z_]\w*|(?<= )\$[a-z_]\w*")
_INSIDE = re.compile(r"\{[^{}]*\}")
_NAME = re.compile(r"[a-z_][a-z0-9_ ]*")


class Definition(NamedTuple):
    """A flow: where it is, whether it overrides another, its lines."""

    file: str
    line: int
    override: bool
    body: tuple[Line, ...]


@dataclass(frozen=True)
class _Call:
    """A flow or action that a statement names."""

    name: str
    token: Token
    word: str


def check_nemo2(project: Project, notes: Notes) -> None:
    """Everything about the `.co` files."""
    read = {name: tuple(lines(text)) for name, text in project.colang.items()}
    flows = _flows(read, notes)
    known = library()
    actions = set(known.actions) if known else None
    if actions is not None:
        for path in project.python:
            actions |= actions_in(path.read_text(encoding="utf-8", errors="replace"))
    for name, found in read.items():
        for number, line in enumerate(found):
            if line.is_comment:
                continue
            _unreadable(name, line, notes)
            _strings(name, line, notes)
            _expressions(name, line, notes)
            if line.tokens[0].text == "import" and known:
                _import(project, name, line, known.modules, notes)
            if line.tokens[0].text == "while":
                _loop(name, line, found[number + 1 :], notes)
            for call in _calls(line):
                if call.name[:1].isupper():
                    if call.name.endswith("Action") and actions is not None and snake(call.name) not in actions:
                        place = (name, call.token.line, call.token.column)
                        notes.add("undefined-action", *place, [call.name], [meant(snake(call.name), actions)])
                elif known and call.name and call.name not in flows and call.name not in known.flows:
                    place = (name, call.token.line, call.token.column)
                    notes.add("undefined-flow", *place, [call.name], [meant(call.name, flows.keys() | known.flows)])
            _together(name, line, flows, notes)
    for name, flow in flows.items():
        _recursion(name, flow, notes)


def _flows(read: dict[str, tuple[Line, ...]], notes: Notes) -> dict[str, Definition]:
    flows: dict[str, Definition] = {}
    for file, found in read.items():
        override = False
        for number, line in enumerate(found):
            if line.is_comment or line.indent:
                continue
            first = line.tokens[0]
            if first.text == "@":
                override |= any(token.text == "override" for token in line.tokens)
                continue
            if first.text == "flow":
                name = _header(file, line, notes)
                if name in flows and not override and not flows[name].override:
                    other = flows[name]
                    place = f"{other.file}:{other.line}"
                    notes.add("duplicate-flow", file, first.line, first.column, [name, place])
                if name:
                    flows[name] = Definition(file, first.line, override, tuple(_block(line, found[number + 1 :])))
            override = False
    return flows


def _header(file: str, line: Line, notes: Notes) -> str:
    words: list[str] = []
    for token in line.tokens[1:-1]:
        if token.kind == "variable" or token.text in ("->", "(") or token.kind == "string":
            break
        if token.kind == "name" and token.text in ("and", "or", "as"):
            notes.add("flow-name", file, token.line, token.column, [token.text])
        elif token.kind == "name" and (token.text != token.text.lower() or token.text.endswith("Action")):
            notes.add("looks-like-action", file, token.line, token.column, [token.text])
        elif token.kind not in ("name", "number"):
            notes.add("flow-name", file, token.line, token.column, [token.text])
        words.append(token.text)
    return " ".join(words)


def _block(head: Line, after: Sequence[Line]) -> Iterator[Line]:
    """The lines that are indented below a line."""
    for line in after:
        if line.indent <= head.indent and not line.is_comment:
            return
        yield line


def _unreadable(file: str, line: Line, notes: Notes) -> None:
    for token in line.tokens:
        if token.kind == "tab":
            notes.add("tab", file, token.line, token.column)
        elif token.kind in ("unclosed-string", "unclosed-bracket"):
            blanks = [token.text] if token.kind == "unclosed-bracket" else []
            notes.add(token.kind, file, token.line, token.column, blanks)


def _strings(file: str, line: Line, notes: Notes) -> None:
    for number, token in enumerate(line.tokens):
        if token.kind != "string":
            continue
        if backspace := _BACKSPACE.search(token.text):
            at = token.column + backspace.start(1)
            notes.add("single-backslash", file, token.line, at, ["\\b"], ["\\b"])
        if count := _COUNT.search(token.text):
            notes.add(
                "single-brace", file, token.line, token.column + count.start(), [count[0]], ["{" + count[0] + "}"]
            )
        elif dollar := _DOLLAR.search(_INSIDE.sub(lambda inside: " " * len(inside[0]), token.text)):
            at = token.column + dollar.start()
            notes.add("dollar-in-string", file, token.line, at, [dollar[0], f"var_{dollar[0][1:]}"])
        before = [other.text for other in line.tokens[max(0, number - 2) : number]]
        if len(before) == 2 and before[1] == "(" and before[0] in _SEARCHES:
            _regex(file, token, before[0], notes)


def _regex(file: str, token: Token, function: str, notes: Notes) -> None:
    pattern = token.text[1:-1].replace("\\\\", "\\").replace("{{", "{").replace("}}", "}")
    try:
        groups = re.compile(pattern).groups
    except (re.error, OverflowError) as error:
        notes.add("bad-regex", file, token.line, token.column, [error])
        return
    if groups and function == "find_all":
        notes.add("capture-group", file, token.line, token.column)


def _expressions(file: str, line: Line, notes: Notes) -> None:
    tokens = line.tokens
    for token, after in pairwise(tokens):
        place = (file, token.line, token.column)
        if token.kind == "operator" and token.text in ("+=", "-="):
            notes.add("augmented", *place, [token.text])
        elif token.kind != "name":
            continue
        elif token.text in _CONSTANTS and after.text not in ("=", "(") and _is_value(tokens, token):
            notes.add("constant", *place, [token.text], [_CONSTANTS[token.text]])
        elif after.text == "(" and token.text.islower() and token.text not in FUNCTIONS and _is_value(tokens, token):
            notes.add("function", *place, [token.text], [nearest(token.text, FUNCTIONS)])


def _is_value(tokens: Sequence[Token], token: Token) -> bool:
    """Whether it stands where a value is expected: behind an operator, a bracket, `if`, `return` and the like."""
    number = tokens.index(token)
    if not number:
        return False
    before = tokens[number - 1]
    return before.text in ("=", "==", "!=", "(", "[", ",", ":", "+", "-", "<", ">", "<=", ">=") or before.text in (
        "if",
        "elif",
        "while",
        "return",
        "not",
        "in",
    )


def _calls(line: Line) -> Iterator[_Call]:
    """What `await`, `start` and `activate` name."""
    tokens = line.tokens
    start = next((n for n, token in enumerate(tokens) if token.kind == "name" and token.text in _STARTS), None)
    if start is None or (start and tokens[start - 1].text != "="):
        return
    words: list[Token] = []
    reading = True
    for token, after in zip(tokens[start + 1 :], [*tokens[start + 2 :], tokens[-1]], strict=False):
        if token.text in ("and", "or", "end") or token.kind == "end" or token.text == "as":
            if words:
                yield _Call(" ".join(word.text for word in words), words[0], tokens[start].text)
            words, reading = [], token.text != "as"
        elif reading and token.kind in ("name", "number") and after.text not in ("=", "."):
            words.append(token)
        else:
            reading = False


def _import(project: Project, file: str, line: Line, modules: frozenset[str], notes: Notes) -> None:
    said = line.tokens[1]
    name = said.text.strip('"') if said.kind == "string" else "".join(token.text for token in line.tokens[1:-1])
    path = name.replace(".", "/")
    inside = any(other in (name, f"{path}.co") or other.startswith(f"{path.rstrip('/')}/") for other in project.colang)
    if name not in modules and not inside:
        notes.add("unknown-import", file, said.line, said.column, [name], [meant(name, modules)])


def _loop(file: str, line: Line, after: Sequence[Line], notes: Notes) -> None:
    words = {token.text for inner in _block(line, after) for token in inner.tokens}
    if not words & _WAITS and any(token.text == "True" for token in line.tokens):
        notes.add("endless-loop", file, line.number, line.tokens[0].column)


def _together(file: str, line: Line, flows: dict[str, Definition], notes: Notes) -> None:
    """`await a and b`, where both end at once."""
    joint = next((token for token in line.tokens if token.kind == "name" and token.text == "and"), None)
    calls = [call for call in _calls(line) if call.word == "await"]
    if joint and len(calls) > 1 and all(call.name in flows and _is_immediate(flows[call.name]) for call in calls):
        notes.add("waits-for-ever", file, joint.line, joint.column)


def _is_immediate(flow: Definition) -> bool:
    return not any(token.text in _WAITS - {"return", "abort", "break"} for line in flow.body for token in line.tokens)


def _recursion(name: str, flow: Definition, notes: Notes) -> None:
    """A flow that awaits itself before it has waited for anything."""
    for line in flow.body:
        for call in _calls(line):
            if call.name == name:
                notes.add("recursion", flow.file, call.token.line, call.token.column, [name, f"{name} -> {name}"])
                return
        if any(token.text in ("match", "when", "user") for token in line.tokens):
            return
