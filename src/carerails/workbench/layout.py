"""One layout for Colang files: blank lines, indentation, spaces. What a file says never changes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from carerails.colang.diagnostics import CompileError, Report
from carerails.colang.examples import parse_examples
from carerails.colang.parser import parse
from carerails.colang.tokens import Line, Token, lines
from carerails.colang.tree import Source, shape
from carerails.policy import EXAMPLES

_STEP = "  "
#: Operators with a space on either side, wherever they stand; a minus may be a sign, and is left alone.
_SPACED = frozenset(["+", "*", "==", "!=", "<", ">", "<=", ">=", "->"])
_OPENS, _CLOSES = frozenset(["(", "[", "{", "."]), frozenset([")", "]", "}", ",", "."])


def formatted(name: str, text: str) -> str:
    """The text of a file in the one layout.

    Args:
        name: within the rails; examples are only tidied at the ends of lines.
        text: of the file.

    Raises:
        CompileError: the file cannot be parsed.
    """
    report = Report()
    before = _meaning(name, text, report)
    report.raise_if_any()
    plain = text.replace("\r\n", "\n")
    new = _tidy(plain.split("\n") if _is_examples(name) else list(_laid_out(plain)))
    after = _meaning(name, new, Report())
    if after != before:
        raise CompileError([])  # a fault of ours: what it says would change
    return new


def _meaning(name: str, text: str, report: Report) -> object:
    source = Source(name, text)
    if _is_examples(name):
        return [(one.text, one.locale, one.category) for one in parse_examples(source, report)]
    flows = parse(source, report).flows
    return [(flow.name, flow.meta, flow.doc.split(), flow.source.split(), shape(flow)) for flow in flows]


def _is_examples(name: str) -> bool:
    return Path(name).parts[0] == EXAMPLES


def _tidy(rows: list[str]) -> str:
    """Without spaces at the ends of lines, two blank lines in a row, or blank lines at either end."""
    kept: list[str] = []
    for row in rows:
        if row.strip() or (kept and kept[-1]):
            kept.append(row.rstrip())
    return "\n".join(kept).strip("\n") + "\n"


def _laid_out(text: str) -> Iterator[str]:
    """Line by line; the body of `main`, which is not ours to read, stays as it is."""
    rows = text.split("\n")
    levels: list[int] = [0]
    logical = {line.number: line for line in lines(text)}
    ends = {number: _last(line) for number, line in logical.items()}
    inside_main = False
    number = 1
    while number <= len(rows):
        line = logical.get(number)
        if line is None:
            yield rows[number - 1]
            number += 1
            continue
        first = rows[number - 1]
        if not line.indent and not line.is_comment:
            inside_main = first.startswith("flow main")
        last = ends[number]
        if inside_main and line.indent:
            yield from rows[number - 1 : last]
        else:
            yield from _statement(line, rows[number - 1 : last], levels)
        number = last + 1


def _last(line: Line) -> int:
    """The last physical line of a statement; a docstring's newlines count."""
    found = line.number
    for token in line.tokens[:-1]:
        found = max(found, token.line + token.text.count("\n"))
    return found


def _statement(line: Line, rows: list[str], levels: list[int]) -> Iterator[str]:
    """A statement at its level; its further lines move along with the first."""
    while levels[-1] > line.indent:
        levels.pop()
    if levels[-1] < line.indent:
        levels.append(line.indent)
    indent = _STEP * (len(levels) - 1)
    move = len(indent) - line.indent
    doc = any(token.kind == "doc" for token in line.tokens)
    for number, row in enumerate(rows, line.number):
        tokens = [token for token in line.tokens[:-1] if token.line == number]
        if doc or not tokens:
            yield indent + row.strip() if number == line.number else row
            continue
        own = indent if number == line.number else " " * max(0, tokens[0].column - 1 + move)
        yield own + _spaced(row, tokens, line)


def _spaced(row: str, tokens: list[Token], line: Line) -> str:
    """The tokens of a physical line with one layout between them; a comment behind them stays."""
    parts = [tokens[0].text]
    depth = _depth_before(line, tokens[0])
    for before, token in pairwise(tokens):
        depth += (before.text in "([{") - (before.text in ")]}") if before.kind == "operator" else 0
        end = before.column - 1 + len(before.text)
        parts.append(_gap(before, token, row[end : token.column - 1], depth, line) + token.text)
    rest = row[tokens[-1].column - 1 + len(tokens[-1].text) :].strip()
    return "".join(parts) + (f"  {rest}" if rest else "")


def _gap(before: Token, token: Token, as_is: str, depth: int, line: Line) -> str:
    signs = [one.text if one.kind == "operator" else "" for one in (before, token)]
    if signs[0] in _OPENS or signs[1] in _CLOSES:
        return ""
    if signs[0] == "," or not _SPACED.isdisjoint(signs):
        return " "
    if "=" in signs and not depth and line.tokens[1] in (before, token):  # an assignment, and no named argument
        return " "
    return " " if as_is else ""


def _depth_before(line: Line, token: Token) -> int:
    depth = 0
    for other in line.tokens:
        if other is token:
            break
        if other.kind == "operator":
            depth += (other.text in "([{") - (other.text in ")]}")
    return depth
