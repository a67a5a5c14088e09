"""`carerails calibrate`: operating points from labelled data, as a deployment profile and a picture."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from carerails.calibration.figure import draw
from carerails.calibration.plan import Chosen, Opinion, Plan, plan
from carerails.calibration.points import Scored
from carerails.calibration.profile import lines_of, points_of, with_points, write_profile
from carerails.calibration.scoring import Heard, hear, rows_of
from carerails.cli.console import note, progress
from carerails.cli.options import ENGINE_FAILURE, NOT_COMPARABLE, PASS
from carerails.cli.runs import load_pieces
from carerails.config import load_settings
from carerails.contracts import JUDGED
from carerails.engine import open_engine
from carerails.errors import UsageError, unknown
from carerails.evals.cases import Slice
from carerails.judges import open_judge


@dataclass(frozen=True)
class Asked:
    """What the command line says."""

    data: list[Path]
    out: Path
    target: float
    most_alarms: float | None
    judge: str
    only: list[str]
    profile: str
    engine: str
    rails: Path | None
    allow_failures: bool
    as_json: bool


def run(asked: Asked) -> int:
    """Calibrate, print, write; 3 where the data cannot support the target, and then nothing is written."""
    if asked.out.suffix not in (".yml", ".yaml"):
        raise UsageError(f"{asked.out} is no profile", "name a .yml file")
    if not asked.data:
        raise UsageError("no data to calibrate on", "--data FILE.jsonl, labelled as for `carerails compare`")
    wanted = [_opinion(name) for name in asked.only]
    pieces = load_pieces([], asked.data)
    heard, names = asyncio.run(_hear(asked, pieces))
    failed = sum(each.failed for each in heard)
    if failed:
        note(f"{failed} of {len(heard)} cases failed in rules or judge, and tell nothing")
        if not asked.allow_failures:
            return ENGINE_FAILURE
    _tell_unlabelled(heard)
    made = plan(_wanted(rows_of(heard, names), wanted), asked.target, asked.most_alarms)
    if asked.as_json:
        json.dump(_summary(asked, made, heard), sys.stdout, ensure_ascii=False, indent=1)
        sys.stdout.write("\n")
    for line in lines_of(made.pooled + made.local):
        note(line)
    for lacking in made.lacking:
        note(str(lacking))
    if made.lacking:
        note(f"the data do not support the target: {asked.out} is not written")
        return NOT_COMPARABLE
    _write(asked, pieces, made)
    return PASS


async def _hear(asked: Asked, pieces: list[Slice]) -> tuple[list[Heard], frozenset[str]]:
    settings = load_settings(profile=asked.profile)
    engine = open_engine(asked.engine, asked.rails, settings)
    judge = open_judge(asked.judge, engine.policy, settings)
    async with engine:
        await judge.start()
        try:
            total = sum(len(piece.cases) for piece in pieces)
            cases = progress((case for piece in pieces for case in piece.cases), "judging", total)
            return [each async for each in hear(cases, engine, judge)], judge.opinions
        finally:
            await judge.close()


def _opinion(name: str) -> tuple[str, str]:
    """`NAME` or `NAME:OUTCOME`."""
    opinion, _, outcome = name.partition(":")
    if opinion not in JUDGED:
        raise unknown("opinion", opinion, JUDGED)
    if outcome and outcome not in JUDGED[opinion]:
        raise unknown("outcome", outcome, JUDGED[opinion])
    return opinion, outcome


def _wanted(rows: dict[Opinion, list[Scored]], wanted: list[tuple[str, str]]) -> dict[Opinion, list[Scored]]:
    """Those that are asked for; else all that the data have a row for where it is so."""
    if wanted:
        return {one: found for one, found in rows.items() if {(one.name, ""), (one.name, one.outcome)} & set(wanted)}
    told = {one: found for one, found in rows.items() if any(row.positive for row in found)}
    if not told:
        raise UsageError(
            "no row says that anything is so",
            "label rows with expected, severity and slug: docs/calibration.md",
        )
    if untold := [str(one) for one in rows if one not in told]:
        note(f"no row where it is so, and the point stays as it is: {', '.join(untold)}")
    return told


def _tell_unlabelled(heard: list[Heard]) -> None:
    unsaid = sum(each.case.expected == "escalate" and each.case.severity is None for each in heard)
    if unsaid:
        note(f"{unsaid} rows to escalate say no severity, so nobody knows by which opinion: they are left out")


def _summary(asked: Asked, made: Plan, heard: list[Heard]) -> dict[str, Any]:
    return {
        "judge": asked.judge,
        "target_recall": asked.target,
        "max_false_alarms": asked.most_alarms,
        "cases": len(heard),
        "failed": sum(each.failed for each in heard),
        "points": [_record(one) for one in made.pooled + made.local],
        "lacking": [{"opinion": str(one.opinion), "why": one.why, "more_rows": one.more} for one in made.lacking],
    }


def _record(one: Chosen) -> dict[str, Any]:
    return {
        "opinion": one.opinion.name,
        "outcome": one.opinion.outcome,
        "locale": one.locale,
        "point": one.point,
        "shared": one.shared,
        "seen": one.seen.model_dump(),
        "held_out": one.held_out.model_dump(),
    }


def _write(asked: Asked, pieces: list[Slice], made: Plan) -> None:
    settings = load_settings(profile=asked.profile)
    chosen = made.pooled + made.local
    limit = "" if asked.most_alarms is None else f", false alarms at most {asked.most_alarms:g} by their upper limit"
    goal = f"Recall at least {asked.target:g} by its lower limit{limit}."
    heading = [
        f"Profile {asked.profile!r}, with operating points of judge {asked.judge!r} that `carerails calibrate` chose.",
        goal,
        *(f"data: {piece.name}, {len(piece.cases)} rows, {piece.digest}" for piece in pieces),
        "Rates are cross-validated, rules and judge together, with 95 % limits.",
        *lines_of(chosen),
    ]
    write_profile(asked.out, with_points(settings.profile, asked.judge, points_of(made)), heading)
    picture = asked.out.with_suffix(".svg")
    try:
        picture.write_text(draw(f"Operating points of judge {asked.judge}", goal, chosen), encoding="utf-8")
    except OSError as error:
        raise UsageError(error.strerror or "cannot be written", "check the path", str(picture)) from None
    note(f"wrote {asked.out} and {picture}")
