"""Lines of foreign Colang, of both versions: blocks by their indentation, and strings."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from carerails.importing.found import Line

#: A string on one line, in either quotes.
STRING = r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\''
_STRINGS = re.compile(STRING)
_COMMENT = re.compile(rf"((?:{STRING}|[^#\"'])*)(?:#.*)?")
_LONG = '"""'


def lines(text: str) -> Iterator[Line]:
    """The lines that say something: no comments, no docstrings."""
    inside = False
    for number, raw in enumerate(text.expandtabs(4).splitlines(), 1):
        stripped = raw.strip()
        if inside or stripped.startswith(_LONG):
            if (stripped.count(_LONG) % 2) == 1:
                inside = not inside
            continue
        said = _COMMENT.fullmatch(stripped)
        kept = said[1].rstrip() if said else stripped
        if kept:
            yield Line(len(raw) - len(raw.lstrip()), kept, number)


def blocks(all_lines: Sequence[Line]) -> Iterator[tuple[Line, tuple[Line, ...]]]:
    """Each line at the outermost level with the lines that are indented under it."""
    start = 0
    while start < len(all_lines):
        head = all_lines[start]
        end = start + 1
        while end < len(all_lines) and all_lines[end].indent > head.indent:
            end += 1
        yield head, tuple(all_lines[start + 1 : end])
        start = end


def strings(text: str) -> list[str]:
    """The strings in a line, decoded as far as they can be."""
    return [decoded(found) for found in _STRINGS.findall(text)]


def only_strings(text: str, words: str = "") -> bool:
    """Whether nothing stands there but strings (and these words, a regex)."""
    rest = _STRINGS.sub("", text)
    return not re.sub(words, "", rest).strip() if words else not rest.strip()


def decoded(literal: str) -> str:
    """What a quoted string says; one with escapes that Python does not know is taken as it stands."""
    try:
        value = ast.literal_eval(literal)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return literal[1:-1]
    return value if isinstance(value, str) else literal[1:-1]


def quotes(literal: str) -> str:
    """A raw pattern of Colang 2, where a doubled brace is a brace."""
    return decoded(literal).replace("{{", "{").replace("}}", "}")
