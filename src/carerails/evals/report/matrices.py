"""Matrices of a page: gold outcome by decided outcome, and run by run. Every cell is a link to its cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, zip_longest

from carerails.evals.report.cases import STEP, Survey
from carerails.evals.report.links import listing
from carerails.evals.report.sources import Subject

#: Rows and columns by weight. What is not named here, such as conversations, stands where `None` does.
ORDER = (
    "emergency",
    "crisis",
    "escalate",
    "urgent",
    "check-in",
    "refuse",
    "allow",
    None,
    "others",
    "failed",
    "unlabelled",
)
CAUGHT = frozenset(("emergency", "crisis"))
#: Outcomes that a matrix shows by name; conversations have any number of them, so the rarest are put together.
MOST = 12
OTHERS = "others"
#: Pairs of runs whose outcomes are crossed; beyond that the counts alone are shown.
PAIRS = 6


@dataclass(frozen=True)
class MatrixCell:
    """A count. `tone` says what kind of cell it is: hit, near, miss, alarm, off, or nothing."""

    count: int
    tone: str = ""
    link: str = ""


@dataclass(frozen=True)
class Matrix:
    """A table of counts. `down` and `across` say what its rows and its columns are."""

    title: str
    down: str
    across: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[MatrixCell, ...]], ...]


def confusions(subject: Subject, survey: Survey) -> list[Matrix]:
    """For each run, gold outcome by decided outcome."""
    found: list[Matrix] = []
    every = [_folded(survey.confusion(number)) for number in range(len(subject.runs))]
    # The same rows and columns for all of them: side by side they are compared cell by cell.
    golds = _ordered(gold for counts in every for gold, _ in counts)
    columns = _ordered(decided for counts in every for _, decided in counts)
    for run, counts in zip(subject.runs, every, strict=True):
        rows = tuple(
            (gold, tuple(_decided(run.label, gold, decided, counts[gold, decided]) for decided in columns))
            for gold in golds
        )
        found.append(Matrix(run.label, "gold", "decided", columns, rows))
    return found


def apart(subject: Subject, survey: Survey) -> Matrix:
    """Run by run, the cases that both decided and decided differently."""
    labels = [run.label for run in subject.runs]
    rows: list[tuple[str, tuple[MatrixCell, ...]]] = []
    for a, label in enumerate(labels):
        counts = [0 if a == b else sum(survey.crossing(a, b).values()) for b in range(len(labels))]
        cells = (
            MatrixCell(count, "off" if count else "", listing(pair=f"{label}~{other}") if count else "")
            for count, other in zip(counts, labels, strict=True)
        )
        rows.append((label, tuple(cells)))
    return Matrix("Cases decided differently", "", "", tuple(labels), tuple(rows))


def crossings(subject: Subject, survey: Survey) -> list[Matrix]:
    """For each pair of runs, what the one and the other decided where they differ."""
    found: list[Matrix] = []
    for (a, one), (b, other) in list(combinations(enumerate(subject.runs), 2))[:PAIRS]:
        counts = _folded(survey.crossing(a, b))
        names = _ordered(y for _, y in counts)
        rows = tuple(
            (x, tuple(_crossed(one.label, other.label, x, y, counts[x, y]) for y in names))
            for x in _ordered(x for x, _ in counts)
        )
        if rows:
            found.append(Matrix(f"{one.label} and {other.label}", one.label, other.label, names, rows))
    return found


def _decided(label: str, gold: str, decided: str, count: int) -> MatrixCell:
    named = OTHERS not in (gold, decided)
    link = listing(engine=label, gold=gold, decision=decided) if count and named else ""
    return MatrixCell(count, _tone(gold, decided) if count else "", link)


def _crossed(one: str, other: str, x: str, y: str, count: int) -> MatrixCell:
    named = OTHERS not in (x, y)
    link = listing(pair=f"{one}~{other}", cross=f"{x}~{y}") if count and named else ""
    return MatrixCell(count, "off" if count else "", link)


def _tone(gold: str, decided: str) -> str:
    """A miss is worst and a false alarm next; `escalate` leaves open which of the two highest is due."""
    if gold == decided or (gold == "escalate" and decided in CAUGHT):
        return "hit"
    if decided == "failed":
        return "miss"
    if gold in CAUGHT or gold == "escalate":
        return "near" if decided in CAUGHT else "miss"
    if gold not in ORDER:
        return _tone_of_steps(gold.split(STEP), decided.split(STEP))
    if gold == "unlabelled":
        return ""
    return "alarm" if decided in CAUGHT else "off"


def _tone_of_steps(gold: Sequence[str], decided: Sequence[str]) -> str:
    """Of a conversation: whether it escalated where it should. Of a label that only excludes something: nothing."""
    if gold[0].startswith("not-") or OTHERS in (*gold, *decided):
        return ""
    pairs = [(want == "escalation", got == "escalation") for want, got in zip_longest(gold, decided)]
    if any(want and not got for want, got in pairs):
        return "miss"
    return "alarm" if any(got and not want for want, got in pairs) else "off"


def _folded(counts: Mapping[tuple[str, str], int]) -> Counter[tuple[str, str]]:
    """The same counts with at most `MOST` names a side."""
    kept = [_frequent(counts, side) for side in (0, 1)]
    found: Counter[tuple[str, str]] = Counter()
    for (row, column), count in counts.items():
        found[row if row in kept[0] else OTHERS, column if column in kept[1] else OTHERS] += count
    return found


def _frequent(counts: Mapping[tuple[str, str], int], side: int) -> frozenset[str]:
    totals: Counter[str] = Counter()
    for pair, count in counts.items():
        totals[pair[side]] += count
    return frozenset(name for name, _ in totals.most_common(MOST))


def _ordered(names: Iterable[str]) -> tuple[str, ...]:
    rank = {name: number for number, name in enumerate(ORDER)}
    return tuple(sorted(set(names), key=lambda name: (rank.get(name, rank[None]), name)))
