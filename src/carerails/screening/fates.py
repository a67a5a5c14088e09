"""What becomes of each unit, by the deployment's settings. Pure: answers in, fates out; nothing is dropped silently."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from carerails.contracts import FailureKind, Fate, NoulAnswer, ScoreAnswer, Unit, UnitReport
from carerails.screening.questions import name
from carerails.screening.requests import Outcome
from carerails.screening.settings import ScreeningSettings


@dataclass(frozen=True, slots=True)
class Judged:
    """A unit with what is known of it; `failure` is the first thing that is not."""

    unit: Unit
    tokens: int
    relevance: float | None
    contradiction: float | None
    instructions: float | None
    evidence: tuple[str, ...]
    failure: FailureKind | None


def judged(unit: Unit, outcomes: Mapping[str, Outcome], tokens: Callable[[str], int]) -> Judged:
    """Put the outcomes of one unit's questions together."""
    relevance = outcomes.get(name(unit.key, "relevance"), "missing")
    contradiction = outcomes.get(name(unit.key, "contradiction"), "missing")
    instructions = outcomes.get(name(unit.key, "instructions"), "missing")
    failures: list[FailureKind] = [each for each in (instructions, contradiction, relevance) if isinstance(each, str)]
    answers = [each for each in (instructions, contradiction) if isinstance(each, NoulAnswer)]
    return Judged(
        unit=unit,
        tokens=tokens(unit.text),
        relevance=relevance.score if isinstance(relevance, ScoreAnswer) else None,
        contradiction=contradiction.noul if isinstance(contradiction, NoulAnswer) else None,
        instructions=instructions.noul if isinstance(instructions, NoulAnswer) else None,
        evidence=tuple(dict.fromkeys(word for answer in answers for word in answer.evidence)),
        failure=failures[0] if failures else None,
    )


def decided(units: Sequence[Judged], settings: ScreeningSettings) -> tuple[UnitReport, ...]:
    """The fate of every unit, in the order of the input, each with its place in the context.

    First what may not go in: carriers, then what could not be judged, then what is beside the point. Then the budget:
    the most relevant units first. The context is ordered by sources, the one with the most relevant unit first; within
    a source, and among equals, the given order stays, for sentences lean on one another.
    """
    fates: list[Fate] = [_fate(unit, settings) for unit in units]
    if settings.whole_source:
        spoilt = {unit.unit.source for unit, fate in zip(units, fates, strict=True) if fate == "carrier"}
        fates = ["carrier" if unit.unit.source in spoilt else fate for unit, fate in zip(units, fates, strict=True)]
    left = settings.budget_tokens
    inside: list[int] = []
    for at in sorted(_in(fates), key=lambda at: (-_level(units[at]), at)):
        if units[at].tokens <= left:
            left -= units[at].tokens
            inside.append(at)
        else:
            fates[at] = "over-budget"
    best: dict[str, int] = {}
    first: dict[str, int] = {}
    for at in sorted(inside):
        source = units[at].unit.source
        best[source] = max(best.get(source, 0), _level(units[at]))
        first.setdefault(source, at)
    placed = sorted(inside, key=lambda at: (-best[units[at].unit.source], first[units[at].unit.source], at))
    ranks = {at: rank for rank, at in enumerate(placed, 1)}
    return tuple(_report(unit, fate, ranks.get(at)) for at, (unit, fate) in enumerate(zip(units, fates, strict=True)))


def digest_of(text: str) -> str:
    """The hash by which a unit is found again in its source."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _fate(unit: Judged, settings: ScreeningSettings) -> Fate:
    if unit.instructions is not None and unit.instructions >= settings.discard_at:
        return "carrier"
    if unit.failure or unit.relevance is None or unit.contradiction is None:
        return "failed"
    if unit.relevance < settings.min_relevance:
        return "off-topic"
    return "marked" if unit.contradiction >= settings.mark_at else "kept"


def _in(fates: Sequence[Fate]) -> list[int]:
    return [at for at, fate in enumerate(fates) if fate in ("kept", "marked")]


def _level(unit: Judged) -> int:
    """The nearest level: what is less than one apart is alike."""
    return round(unit.relevance or 0.0)


def _report(unit: Judged, fate: Fate, rank: int | None) -> UnitReport:
    return UnitReport(
        key=unit.unit.key,
        source=unit.unit.source,
        place=unit.unit.place,
        digest=digest_of(unit.unit.text),
        fate=fate,
        tokens=unit.tokens,
        relevance=unit.relevance,
        contradiction=unit.contradiction,
        instructions=unit.instructions,
        failure=(unit.failure or "missing") if fate == "failed" else None,
        evidence=unit.evidence,
        rank=rank,
    )
