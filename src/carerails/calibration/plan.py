"""From scored rows to operating points, all of them or the reasons why not."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from carerails.calibration.points import (
    CAUGHT,
    Measured,
    Scored,
    choose,
    fewest_hits,
    held_out,
    measure,
    perfect_rows,
)
from carerails.contracts import LOCALES, Locale, Outcome
from carerails.evals.stats import Rate, rate


class Opinion(NamedTuple):
    """What a point is of: a judge's opinion, and the outcome that it is to have."""

    name: str
    outcome: Outcome

    def __str__(self) -> str:
        return f"{self.name}:{self.outcome}"


@dataclass(frozen=True, slots=True)
class Chosen:
    """An operating point, on the rows that chose it.

    Attributes:
        opinion: what it is of.
        locale: None: of all locales together.
        point: None: the rules alone reach the target.
        seen: at the point, on the rows that chose it.
        held_out: cross-validated; of a shared point, the same as seen.
        rows: labelled scores.
        shared: the locale has no point of its own, and this is the one of all locales.
    """

    opinion: Opinion
    locale: Locale | None
    point: float | None
    seen: Measured
    held_out: Measured
    rows: Sequence[Scored]
    shared: bool = False

    @property
    def label(self) -> str:
        """As a person reads it."""
        return f"{self.opinion}, {self.locale or 'all locales'}"


@dataclass(frozen=True, slots=True)
class Lacking:
    """Why there is no point.

    Attributes:
        why: in words.
        more: how many more rows of that kind are needed, at the rates seen; None: no number of rows would do.
    """

    opinion: Opinion
    why: str
    more: int | None

    def __str__(self) -> str:
        return f"{self.opinion}: {self.why}"


class Plan(NamedTuple):
    """What the data give.

    Attributes:
        pooled: a point for each opinion, on all its rows.
        local: of each locale with rows where it is so: its own point, where its rows alone support the target and the
            bound, else what the shared one does there.
        lacking: opinions that have no point; where there is one, nothing should be written.
    """

    pooled: list[Chosen]
    local: list[Chosen]
    lacking: list[Lacking]


def plan(rows: Mapping[Opinion, Sequence[Scored]], target: float, most_alarms: float | None) -> Plan:
    """Choose a point for each opinion: at it the lower limit of recall reaches the target.

    Args:
        rows: by opinion.
        target: recall of rules and judge together.
        most_alarms: share of the negatives that may reach the point, by its upper limit; None: any.
    """
    made = Plan([], [], [])
    for opinion, all_rows in rows.items():
        chosen = _chosen(opinion, None, all_rows, target)
        lacking = _lacking(opinion, all_rows, chosen, target, most_alarms)
        if lacking or chosen is None:
            made.lacking.extend([lacking] if lacking else [])
            continue
        made.pooled.append(chosen)
        of_locale: dict[Locale, list[Scored]] = defaultdict(list)
        for row in all_rows:
            of_locale[row.locale].append(row)
        made.local.extend(
            _of_locale(chosen, locale, of_locale[locale], target, most_alarms)
            for locale in LOCALES
            if any(row.positive for row in of_locale[locale])
        )
    return made


def _of_locale(
    pooled: Chosen, locale: Locale, rows: Sequence[Scored], target: float, most_alarms: float | None
) -> Chosen:
    own = _chosen(pooled.opinion, locale, rows, target)
    if own and not _lacking(pooled.opinion, rows, own, target, most_alarms):
        return own
    seen = measure(rows, CAUGHT if pooled.point is None else pooled.point)
    return Chosen(pooled.opinion, locale, pooled.point, seen, seen, rows, shared=True)


def _chosen(opinion: Opinion, locale: Locale | None, rows: Sequence[Scored], target: float) -> Chosen | None:
    point = choose(rows, target)
    if point is None:
        return None
    return Chosen(
        opinion=opinion,
        locale=locale,
        point=None if point == CAUGHT else point,
        seen=measure(rows, point),
        held_out=held_out(rows, target),
        rows=rows,
    )


def _lacking(
    opinion: Opinion, rows: Sequence[Scored], chosen: Chosen | None, target: float, most_alarms: float | None
) -> Lacking | None:
    positives = sum(row.positive for row in rows)
    if chosen is None:
        more = perfect_rows(target) - positives
        why = f"{positives} rows where it is so cannot support a recall of {target:g}: at least {more} more are needed"
        return Lacking(opinion, why, more)
    if most_alarms is None:
        return None
    found = chosen.held_out.false_alarms
    if found.value is None or found.high is None:
        more = _quiet_rows(0.0, most_alarms)
        return Lacking(opinion, f"no row where it is not so: {more} are needed to bound false alarms", more)
    if found.high <= most_alarms:
        return None
    said = f"at a recall of {target:g} false alarms are {_of(found)}, more than {most_alarms:g}"
    if found.value < most_alarms:
        more = _quiet_rows(found.value, most_alarms) - found.of
        return Lacking(
            opinion, f"{said} by the upper limit: about {more} more rows where it is not so are needed", more
        )
    return _overlapping(opinion, rows, said, target, most_alarms)


def _overlapping(opinion: Opinion, rows: Sequence[Scored], said: str, target: float, most_alarms: float) -> Lacking:
    """The scores of both kinds overlap: more rows help only if recall itself, at a point that is quiet, is enough."""
    quiet = sorted((row.score for row in rows if not row.positive), reverse=True)
    allowed = math.floor(most_alarms * len(quiet))
    above = quiet[allowed] if allowed < len(quiet) else -1.0
    if above == CAUGHT:
        return Lacking(opinion, f"{said}: the rules alone raise more, and no number of rows mends it", None)
    positives = [row.score for row in rows if row.positive]
    best = sum(score > above for score in positives) / len(positives)
    if best > target:
        more = max(_rows_for(best, target) - len(positives), len(positives) // 10)
        return Lacking(opinion, f"{said}: about {more} more rows where it is so are needed", more)
    return Lacking(
        opinion, f"{said}, and with no more than that recall is {best:.3f}: no number of rows mends it", None
    )


def _rows_for(share: float, target: float) -> int:
    """How many rows, of which this share is caught, have a lower limit at the target, a standard error to spare."""
    of = perfect_rows(target)
    while (needed := fewest_hits(of, target)) is None or needed > of * share - math.sqrt(of * share * (1 - share)):
        of = math.ceil(of * 1.05)
    return of


def _quiet_rows(share: float, most: float) -> int:
    """How many rows, of which this share is an alarm, have an upper limit at the most."""
    of = perfect_rows(1 - most)
    while (rate(math.ceil(share * of), of).high or 1.0) > most:
        of = math.ceil(of * 1.05)
    return of


def _of(found: Rate) -> str:
    return f"{found.value:.3f} ({found.low:.3f}-{found.high:.3f})"
