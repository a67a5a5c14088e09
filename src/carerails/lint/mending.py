"""Mends that are mechanical: for a finding, the edits that put it right; and files with edits made."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping

from carerails.lint.finding import Edit, Finding

_MEANT = re.compile(r"did you mean `([^`]*)`\?")
_NAMED = re.compile(r"`\$?([^`]+)`")
_RAW = re.compile(r"[A-Za-z]+(?=\")")
_ADDS = re.compile(r"(\$\w+)\s*([+-])=\s*")


def fix_of(code: str, line: int, column: int, message: str, mend: str, text: str) -> tuple[Edit, ...]:
    """Edits that mend a finding; none where a person has to decide.

    Args:
        code: of the finding.
        line: where it is.
        column: where on the line, from 1.
        message: of the finding.
        mend: of the finding.
        text: the line.
    """
    if code in _BY_CODE:
        return _BY_CODE[code](line, column, text)
    meant = _MEANT.fullmatch(mend)
    said = _NAMED.search(message)
    if meant and said:
        at = text.find(said[1], column - 1)
        if at >= 0 and text.find(said[1], at + 1) < 0:
            return (_on(line, at + 1, len(said[1]), meant[1]),)
    return ()


def _on(line: int, column: int, length: int, text: str) -> Edit:
    return Edit(line, column, line, column + length, text)


def _doubled(line: int, column: int, text: str) -> tuple[Edit, ...]:
    return (_on(line, column, 1, text[column - 1] * 2),)


def _gone(line: int, column: int, text: str) -> tuple[Edit, ...]:
    return (_on(line, column, len(text[column - 1 :].split(maxsplit=1)[0]), ""),) if text[column - 1 :] else ()


def _tab(line: int, column: int, text: str) -> tuple[Edit, ...]:
    leading = len(text) - len(text.lstrip())
    tabs = [at for at, char in enumerate(text) if char == "\t"]
    return tuple(_on(line, at + 1, 1, "  " if at < leading else " ") for at in tabs)


def _else_if(line: int, column: int, text: str) -> tuple[Edit, ...]:
    return (_on(line, column, len("else if"), "elif"),) if text.startswith("else if", column - 1) else ()


def _raw(line: int, column: int, text: str) -> tuple[Edit, ...]:
    prefix = _RAW.match(text, column - 1)
    return (_on(line, column, len(prefix[0]), ""),) if prefix else ()


def _augmented(line: int, column: int, text: str) -> tuple[Edit, ...]:
    adds = _ADDS.search(text)
    return (_on(line, adds.start() + 1, len(adds[0]), f"{adds[1]} = {adds[1]} {adds[2]} "),) if adds else ()


def _quotes(line: int, column: int, text: str) -> tuple[Edit, ...]:
    close = text.find("'", column)
    inside = text[column:close]
    if close < 0 or '"' in inside or "\\" in inside:
        return ()
    return (_on(line, column, 1, '"'), _on(line, close + 1, 1, '"'))


def _constant(line: int, column: int, text: str) -> tuple[Edit, ...]:
    word = re.match(r"\w+", text[column - 1 :])
    right = {"true": "True", "false": "False", "null": "None", "none": "None"}
    return (_on(line, column, len(word[0]), right[word[0]]),) if word and word[0] in right else ()


def _comment(line: int, column: int, text: str) -> tuple[Edit, ...]:
    if text[: column - 1].strip():
        return (Edit(line, len(text[: column - 1].rstrip()) + 1, line, len(text) + 1, ""),)
    return (Edit(line, 1, line + 1, 1, ""),)


def _in_strings(change: Callable[[str], str]) -> Callable[[int, int, str], tuple[Edit, ...]]:
    """Each character of the line's strings that the change changes, but behind a backslash (`\\W` is no capital)."""

    def fix(line: int, column: int, text: str) -> tuple[Edit, ...]:
        edits: list[Edit] = []
        for string in re.finditer(r'"(?:\\.|[^"\\])*"', text):
            for at in range(string.start(), string.end()):
                new = change(text[at])
                if new != text[at] and text[at - 1] != "\\":
                    edits.append(_on(line, at + 1, 1, new))
        return tuple(edits)

    return fix


def _plain(char: str) -> str:
    if char.isascii():
        return char
    folded = unicodedata.normalize("NFKD", char).encode("ascii", "ignore").decode().lower()
    return folded or {"’": "'", "‘": "'", "–": "-", "—": "-"}.get(char, char)


_BY_CODE: Mapping[str, Callable[[int, int, str], tuple[Edit, ...]]] = {
    "single-backslash": _doubled,
    "single-brace": _doubled,
    "colon": _gone,
    "tab": _tab,
    "else-if": _else_if,
    "raw-string": _raw,
    "augmented": _augmented,
    "quotes": _quotes,
    "constant": _constant,
    "capital": _in_strings(str.lower),
    "accent": _in_strings(_plain),
    "unused-suppression": _comment,
}
_TAKES_OUT = frozenset(["unused-variable"])
#: Codes that `--fix` can mend, besides misspelt names.
FIXABLE = frozenset([*_BY_CODE, *_TAKES_OUT])


def mended(text: str, fixes: Iterable[tuple[Edit, ...]]) -> tuple[str, int]:
    """The text with fixes made, and how many were: of two that overlap the first one is, the other the next time."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    taken: list[tuple[int, int, str]] = []
    count = 0
    for fix in fixes:
        spans = [(_at(starts, e.line, e.column), _at(starts, e.end_line, e.end_column), e.text) for e in fix]
        if all(span in taken for span in spans):
            continue
        if any(start < other_end and other < end for start, end, _ in spans for other, other_end, _ in taken):
            continue
        taken += [span for span in spans if span not in taken]
        count += 1
    for start, end, new in sorted(taken, reverse=True):
        text = text[:start] + new + text[end:]
    return text, count


def _at(starts: list[int], line: int, column: int) -> int:
    return min(starts[min(line - 1, len(starts) - 1)] + column - 1, starts[-1] - 1)


def by_file(found: Iterable[Finding]) -> dict[str, list[tuple[Edit, ...]]]:
    """The fixes of each file. Nothing is taken out of a file that has another error: a misspelt name is no dead one."""
    found = list(found)
    wrong = {one.file for one in found if one.severity == "error" and one.code not in _TAKES_OUT}
    fixes: dict[str, list[tuple[Edit, ...]]] = {}
    for one in found:
        if one.fix and not (one.code in _TAKES_OUT and one.file in wrong):
            fixes.setdefault(one.file, []).append(one.fix)
    return fixes
