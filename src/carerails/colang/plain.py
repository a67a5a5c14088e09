"""Which rules are no more than one regex: all that an engine of patterns can express."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, cast

from carerails.colang.code import Code
from carerails.colang.program import LinkedFlow

#: What a rule does beyond that, by the operation that says so.
REASONS: dict[str, str] = {
    "search": "it needs several patterns together",
    "method": "it masks words before it searches",
    "compare": "it counts or compares",
}


class Plain(NamedTuple):
    """Either the regex, for Python's `re`, or why there is not just one."""

    regex: str | None
    why: str = ""


def plain(flow: LinkedFlow, regexes: tuple[str, ...]) -> Plain:
    """What a rule comes down to."""
    match flow.code:
        case ["steps", [["return", ["find_all_in", 1, int(number)]], _]]:
            return Plain(regexes[number])
        case _:
            done = set(_words(flow.code))
            return Plain(
                None, "; ".join(why for word, why in REASONS.items() if word in done) or "it has several steps"
            )


def _words(code: Code) -> Iterator[str]:
    """The operations in a piece of code, searches under one name."""
    for part in code:
        if isinstance(part, str):
            yield {"search_in": "search", "chain": "compare"}.get(part, part)
        elif isinstance(part, (list, tuple)):
            yield from _words(cast("Code", part))
