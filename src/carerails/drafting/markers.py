"""`[cite:ID]` markers: where they are, and what only looks like one.

A marker is well formed when it is one pair of square brackets around `cite`, a colon and one id; capitals in `cite`
and white space around the parts do not matter. Whatever else tries to be one (`[cite x]`, `[cite:]`, `(cite: x)`,
`[cite:a, b]`, `【cite:x】`, `[cite:x` without its end) is malformed. It is kept as written, so that it can be reported.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_MARKER = re.compile(
    r"""
    \[ \s* cite \s* : \s* (?P<id> [a-z0-9] [a-z0-9_.-]* ) \s* \]
    # What tries to be a marker: in square brackets ...
    | [\[［【] \s* (?: cite (?![a-z]) | (?: citation | citaci[oó]n | citaç[aã]o | cita ) \s* [:：] )
      (?: [^\[［【\]］】\n]{0,80} [\]］】] | \s* [:：]? \s* [\w.-]* )
    # ... in other brackets (a Spanish `(cita: lunes)` is an appointment) or in none.
    | [({<]? \s* (?<! [a-z] ) (?: cite | citation ) \s* [:：] \s* [^\s\])}>]* [\])}>]?
    """,
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Marker:
    """One marker, or what tries to be one.

    Attributes:
        start, end: its place in the text, in code points.
        written: as it stands there.
        id: of the card; None where the marker is malformed.
    """

    start: int
    end: int
    written: str
    id: str | None


def markers(text: str) -> tuple[Marker, ...]:
    """All markers in order of the text, malformed ones too."""
    return tuple(Marker(m.start(), m.end(), m[0].strip(), m["id"]) for m in _MARKER.finditer(text))


def cited(text: str) -> tuple[str, ...]:
    """The ids that well-formed markers name, each once, in the order of their first marker."""
    return tuple(dict.fromkeys(marker.id for marker in markers(text) if marker.id is not None))


def mark(card: str) -> str:
    """The marker that cites a card."""
    return f"[cite:{card}]"
