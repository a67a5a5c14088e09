"""What rules and judge make of labelled cases: the rows that operating points are chosen on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from carerails.calibration.labels import truth
from carerails.calibration.plan import Opinion
from carerails.calibration.points import CAUGHT, Scored
from carerails.contracts import JUDGED, RANK, GuardrailEngine, Outcome, SemanticJudge
from carerails.evals.cases import Case
from carerails.text import prepare

#: Cases that a judge which waits for others is asked about at once.
AT_ONCE = 8
#: What the rules decide without a judge being asked: of either the other is caught too, as in every score.
UNASKED: tuple[Outcome, ...] = ("emergency", "crisis")


@dataclass(frozen=True, slots=True)
class Heard:
    """What came of one case.

    Attributes:
        decided: by the rules alone.
        scores: of the judge, by opinion; empty where it was not asked.
        failed: rules or judge failed: the case tells nothing.
    """

    case: Case
    decided: Outcome = "allow"
    scores: Mapping[str, float] = field(default_factory=dict[str, float])
    failed: bool = False


async def hear(cases: Iterable[Case], engine: GuardrailEngine, judge: SemanticJudge) -> AsyncIterator[Heard]:
    """Ask rules and judge about each case, in their order; both are started.

    Args:
        cases: with gold labels.
        engine: the rules, without a judge.
        judge: asked as deployed, which is not where the rules see an emergency or a crisis.
    """
    for chunk in _chunks(cases, AT_ONCE):
        for heard in await asyncio.gather(*(_hear(case, engine, judge) for case in chunk)):
            yield heard


async def _hear(case: Case, engine: GuardrailEngine, judge: SemanticJudge) -> Heard:
    turn = case.turn()
    decision = await engine.check(turn)
    if decision.failed:
        return Heard(case, failed=True)
    if decision.outcome in UNASKED:
        return Heard(case, decision.outcome)
    try:
        opinions = await judge.judge(turn, prepare(turn).text)
    except Exception:
        return Heard(case, failed=True)
    return Heard(case, decision.outcome, {opinion.name: opinion.score for opinion in opinions})


def _chunks(cases: Iterable[Case], size: int) -> Iterator[list[Case]]:
    rest = iter(cases)
    while chunk := list(islice(rest, size)):
        yield chunk


def rows_of(heard: Iterable[Heard], names: frozenset[str]) -> dict[Opinion, list[Scored]]:
    """By opinion and outcome, the cases whose label says something of it.

    What the rules have decided so, or more severely, is `CAUGHT`: the judge's score is beside the point.

    Args:
        heard: cases; failed ones are left out.
        names: of all opinions that the judge gives.
    """
    rows = {Opinion(name, outcome): list[Scored]() for name in JUDGED if name in names for outcome in JUDGED[name]}
    for each in heard:
        if each.failed:
            continue
        for opinion, found in rows.items():
            so = truth(each.case, opinion.name, opinion.outcome, names)
            if so is not None:
                caught = each.decided in UNASKED or RANK[each.decided] <= RANK[opinion.outcome]
                score = CAUGHT if caught else each.scores[opinion.name]
                found.append(Scored(score, so, each.case.locale, each.case.group or each.case.id))
    return rows
