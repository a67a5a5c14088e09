"""What is known of regexes before any text is seen, as plain data, so that it can be kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from carerails.matching.literals import EDGE, cost, fewest, required_clauses
from carerails.matching.sentences import is_local, mark_literal
from carerails.matching.tree import Node, Text, Unsupported, arms_at, lengths, parse, to_re2

#: A further required set that is more common than this, as a share of ordinary messages, is not looked for in every
#: text, but only where its arm is about to be run.
_COMMON = 0.3
#: Of so many literals at most, besides whole words.
_MOST_PIECES = 64


class Check(NamedTuple):
    """A required set: of each match, some part has one of the whole words or one of the pieces, which have marks."""

    words: Sequence[str]
    pieces: Sequence[str]


class Arm(NamedTuple):
    """One alternative: where it stands in its regex, and what its matches need.

    `order` counts the arms of its regex. `longest` is the length of its longest match in characters, None without a
    bound; a match of a `local` one lies within one part of a text (`sentences`). `clauses` are numbers of sets of
    literals, of each of which every match has one; the first is the rarest. There may be none. `checks` are numbers of
    further sets. `text` is what it
    matches if that is one text; `re2` is the arm in RE2's syntax, empty where RE2 does not read it alike.
    """

    regex: int
    order: int
    start: int
    end: int
    longest: int | None
    local: bool
    clauses: Sequence[int]
    checks: Sequence[int]
    text: str | None
    re2: str


class Analysis(NamedTuple):
    """Of some regexes. `outside`: those that leave the subset; `arms`: of the others; `literals`: with marks."""

    outside: Sequence[int]
    literals: Sequence[str]
    clauses: Sequence[Sequence[int]]
    checks: Sequence[Check]
    arms: Sequence[Arm]


def analyse(regexes: Sequence[str]) -> Analysis:
    """Cut regexes into arms and find what each needs.

    Raises:
        re.error: a regex that can be read in part does not compile.
    """
    outside: list[int] = []
    literals: dict[str, int] = {}
    clauses: dict[frozenset[str], int] = {}
    checks: dict[Check, int] = {}
    found: list[Arm] = []
    for number, regex in enumerate(regexes):
        try:
            parts = [(start, start + len(source), parse(source)) for start, source in arms_at(regex)]
            spans = [lengths(node) for _, _, node in parts]
            if not all(shortest for shortest, _ in spans):
                raise Unsupported("a match may be empty")
        except Unsupported:
            outside.append(number)
            continue
        for index, ((start, end, node), (_, longest)) in enumerate(zip(parts, spans, strict=True)):
            needed = [clause for clause in required_clauses(node) if clause]
            kept = needed[:1] + [clause for clause in needed[1:] if cost(clause) < _COMMON]
            common = [_check(clause) for clause in needed[1:] if cost(clause) >= _COMMON]
            asked = [checks.setdefault(check, len(checks)) for check in common if check]
            numbers = [clauses.setdefault(clause, len(clauses)) for clause in kept]
            text = node.text if isinstance(node, Text) else None
            found.append(
                Arm(
                    number, index, start, end, longest, is_local(node), numbers, asked, text, "" if text else _re2(node)
                )
            )
    members = [
        [literals.setdefault(mark_literal(literal), len(literals)) for literal in sorted(clause)] for clause in clauses
    ]
    return Analysis(outside, list(literals), members, list(checks), found)


def _check(clause: Iterable[str]) -> Check | None:
    """Of each literal the longest word that it has from edge to edge, else all of it; None if those are too many."""
    words: set[str] = set()
    pieces: set[str] = set()
    for literal in map(mark_literal, clause):
        whole = [word for word in literal.split(EDGE)[1:-1] if word[:1].isalnum()]
        if whole:
            words.add(max(whole, key=len))
        else:
            pieces.add(literal)
    few = sorted(fewest(pieces))
    return Check(tuple(sorted(words)), tuple(few)) if len(few) <= _MOST_PIECES else None


def _re2(node: Node) -> str:
    try:
        return to_re2(node)
    except Unsupported:
        return ""
