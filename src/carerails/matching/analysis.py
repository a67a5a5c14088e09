"""What is known of regexes before any text is seen, as plain data, so that it can be kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from carerails.matching.literals import EDGE, cost, fewest, required_clauses
from carerails.matching.pieces import Piece, pieces
from carerails.matching.sentences import beheaded, is_local, mark_literal
from carerails.matching.tree import Node, Text, Unsupported, lengths, parse, to_re2

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
    """One alternative, or a piece of a long one: where it stands in its regex, and what its matches need.

    `number` counts the alternatives of its regex, and `order` the pieces of all of them. `longest` is the length of its
    longest match in characters, None without a bound; a match of a `local` one lies within one part of a text
    (`sentences`), but for up to so many characters `before` it. `clauses` are numbers of sets of literals, of each of
    which every match has one; the first is the rarest. There may be none. `checks` are numbers of further sets. `text`
    is what it matches if that is one text; `re2` is the arm in RE2's syntax, empty where RE2 does not read it alike.
    """

    regex: int
    number: int
    order: int
    piece: Piece
    longest: int | None
    local: bool
    before: int
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


class Facts(NamedTuple):
    """Of one arm alone, wherever it stands: as in `Arm`, with the sets themselves. `clauses` have marks."""

    longest: int | None
    local: bool
    before: int
    clauses: Sequence[Sequence[str]]
    checks: Sequence[Check]
    text: str | None
    re2: str


def analyse(regexes: Sequence[str]) -> Analysis:
    """Cut regexes into arms and find what each needs.

    Raises:
        re.error: a regex that can be read in part does not compile.
    """
    return joined(regexes, facts_of)


def facts_of(source: str) -> Facts | None:
    """What one arm needs, which may take a second; None: a regex with it leaves the subset.

    Raises:
        re.error: as `analyse`.
    """
    try:
        node = parse(source)
        shortest, longest = lengths(node)
        local, before, inner = is_local(node), 0, node
        if not local:
            before, inner = beheaded(node)
            local = before > 0
    except Unsupported:
        return None
    if not shortest:  # a match may be empty
        return None
    needed = [clause for clause in required_clauses(inner) if clause]
    kept = needed[:1] + [clause for clause in needed[1:] if cost(clause) < _COMMON]
    common = [_check(clause) for clause in needed[1:] if cost(clause) >= _COMMON]
    text = node.text if isinstance(node, Text) else None
    return Facts(
        longest,
        local,
        before,
        [[mark_literal(literal) for literal in sorted(clause)] for clause in kept],
        [check for check in common if check],
        text,
        "" if text else _re2(node),
    )


def joined(regexes: Sequence[str], facts: Callable[[str], Facts | None]) -> Analysis:
    """The analysis of regexes from that of their arms, with what arms share told once."""
    outside: list[int] = []
    literals: dict[str, int] = {}
    clauses: dict[tuple[str, ...], int] = {}
    checks: dict[Check, int] = {}
    found: list[Arm] = []
    for number, regex in enumerate(regexes):
        parts = _of_arms(regex, facts)
        if parts is None:
            outside.append(number)
            continue
        for order, (arm, piece, fact) in enumerate(parts):
            longest, local, before, needed, asked, text, re2 = fact
            numbers = [clauses.setdefault(tuple(clause), len(clauses)) for clause in needed]
            also = [checks.setdefault(check, len(checks)) for check in asked]
            found.append(Arm(number, arm, order, piece, longest, local, before, numbers, also, text, re2))
    members = [[literals.setdefault(literal, len(literals)) for literal in clause] for clause in clauses]
    return Analysis(outside, list(literals), members, list(checks), found)


def _of_arms(regex: str, facts: Callable[[str], Facts | None]) -> list[tuple[int, Piece, Facts]] | None:
    """Number of the arm, place and facts of each piece; None as soon as one leaves the subset."""
    found: list[tuple[int, Piece, Facts]] = []
    for number, several in enumerate(pieces(regex)):
        for piece in several:
            fact = facts(piece.source(regex))
            if fact is None:
                return None
            found.append((number, piece, fact))
    return found


def _check(clause: Iterable[str]) -> Check | None:
    """Of each literal the longest word that it has from edge to edge, else all of it; None if those are too many.

    What ordinary messages have most often comes first: it is looked for in this order.
    """
    words: set[str] = set()
    pieces: set[str] = set()
    for literal in map(mark_literal, clause):
        whole = [word for word in literal.split(EDGE)[1:-1] if word[:1].isalnum()]
        if whole:
            words.add(max(whole, key=len))
        else:
            pieces.add(literal)
    few = sorted(fewest(pieces), key=lambda piece: (-cost(frozenset({piece})), piece))
    return Check(tuple(sorted(words)), tuple(few)) if len(few) <= _MOST_PIECES else None


def _re2(node: Node) -> str:
    try:
        return to_re2(node)
    except Unsupported:
        return ""
