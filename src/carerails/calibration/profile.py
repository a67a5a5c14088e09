"""The deployment profile that a calibration writes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import yaml

from carerails.calibration.plan import Chosen, Opinion, Plan
from carerails.config import Profile, load_yaml
from carerails.contracts import LOCALES, Locale
from carerails.errors import UsageError

#: A point that no judge reaches but with certainty: of locales where the rules alone reach the target, beside others.
NEVER = 1.0
Point = float | dict[Locale, float]


def points_of(plan: Plan) -> dict[Opinion, Point]:
    """A point for each opinion: one for all locales, or by locale where a locale's own rows support another one.

    Where the rules alone reach the target there is none to write, and the profile's own stays.
    """
    local: dict[Opinion, dict[Locale, float]] = defaultdict(dict)
    for one in plan.local:
        if one.locale and one.point is not None and not one.shared:
            local[one.opinion][one.locale] = one.point
    found: dict[Opinion, Point] = {}
    for one in plan.pooled:
        own = local[one.opinion]
        if one.point is None and not own:
            continue
        rest = NEVER if one.point is None else one.point
        by_locale: dict[Locale, float] = {locale: own.get(locale, rest) for locale in LOCALES}
        found[one.opinion] = rest if set(by_locale.values()) == {rest} else by_locale
    return found


def with_points(profile: Profile, judge: str, points: Mapping[Opinion, Point]) -> Profile:
    """The profile with these points of a judge; its other points stay as they are."""
    written: dict[str, Any] = profile.model_dump(mode="json")
    of_judge = written["judge"]["points"].setdefault(judge, {})
    for opinion, point in points.items():
        of_judge.setdefault(opinion.name, {})[opinion.outcome] = point
    return Profile.model_validate(written)


def write_profile(path: Path, profile: Profile, heading: Sequence[str]) -> None:
    """Write a profile that `load_settings` reads, with comment lines above it.

    Raises:
        UsageError: it cannot be written.
    """
    dump = cast("Callable[..., str]", yaml.safe_dump)  # pyright: ignore[reportUnknownMemberType]
    body = dump(profile.model_dump(mode="json"), sort_keys=False, allow_unicode=True, width=120)
    text = "".join(f"# {line}\n" for line in heading) + body
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(error.strerror or "cannot be written", "check the path", str(path)) from None
    load_yaml(path, Profile)


def lines_of(chosen: Sequence[Chosen]) -> list[str]:
    """What a person reads of operating points, a line each, in columns."""
    head = ("opinion", "locale", "point", "rows", "recall", "false alarms", "precision")
    table = [head, *(_cells(one) for one in chosen)]
    widths = [max(len(row[column]) for row in table) for column in range(len(head))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table]


def _cells(one: Chosen) -> tuple[str, ...]:
    held = one.held_out
    return (
        str(one.opinion),
        one.locale or "all",
        ("rules alone" if one.point is None else f"{one.point:.4f}") + (" (shared)" if one.shared else ""),
        f"{held.recall.of} + {held.false_alarms.of}",
        *(
            "-" if rate.value is None else f"{rate.value:.3f} ({rate.low:.3f}-{rate.high:.3f})"
            for rate in (held.recall, held.false_alarms, held.precision)
        ),
    )
