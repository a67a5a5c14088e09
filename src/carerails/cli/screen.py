"""`carerails screen`: units of text in, what becomes of each out, in input order; and why, of a turn that was kept."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from carerails.cli.console import note, progress
from carerails.cli.lines import Numbered, keep_apart, numbered, opened
from carerails.cli.options import ENGINE_FAILURE, PASS, REGRESSION, USAGE
from carerails.config import load_settings
from carerails.contracts import LOCALES, Locale, Unit, UnitReport
from carerails.errors import UsageError, unknown
from carerails.records import read_object, write_error

if TYPE_CHECKING:
    from carerails.screening.screener import Screener

#: Keys of an input line; others are ignored.
_TEXTS = ("text", "source", "title", "id")


def run(
    question: str,
    source: str,
    target: str,
    locale: str,
    profile: str,
    store: str,
    turn: str,
    allow_failures: bool,
) -> int:
    """Screen all lines as one context; the exit code says whether every line was read and every unit judged."""
    from carerails.text import detect_locale

    keep_apart(source, target)
    if locale and locale not in LOCALES:
        raise unknown("locale", locale, LOCALES)
    if bool(store) != bool(turn):
        raise UsageError("--store and --turn go together", "give both, or none")
    screener = _screener(profile)
    with ExitStack() as stack:
        lines = list(numbered(opened(stack, source, "r")))
        read = [_read(line) for line in lines]
        units = _numbered_units([unit for unit in read if isinstance(unit, _Line)])
        spoken = cast("Locale", locale) or detect_locale(question)
        reports = asyncio.run(screener.judge(question, spoken, units))
        if store:
            asyncio.run(_keep(store, turn, reports, screener.model_name))
        out = opened(stack, target, "w")
        judged = iter(reports)
        for each in read:
            record = _record(each.ident, next(judged)) if isinstance(each, _Line) else each
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
    unread = len(read) - len(units)
    failed = sum(report.fate == "failed" for report in reports)
    if unread:
        note(f"{unread} lines could not be read; each has an error line in its place")
        return USAGE
    if failed:
        note(f"{failed} units could not be judged; they are not in the context")
        return PASS if allow_failures else ENGINE_FAILURE
    return PASS


def explain(turn: str, store: str, as_json: bool) -> int:
    """Print what became of every unit and claim of a turn, or of all turns of a thread."""
    thread, _, number = turn.rpartition("/")
    if not (thread and number.isdigit()):
        thread, number = turn, ""
    if "://" not in store and not Path(store).is_file():
        raise UsageError("no such file", "give the store of the agent or of `carerails screen`", store)
    kept = asyncio.run(_kept(store, thread, int(number) if number else None))
    if not kept:
        raise UsageError("nothing was screened on that turn", "a turn is THREAD/NUMBER, as in the store", turn)
    rows = [{"turn": each.turn, **each.report.model_dump(), "model": each.model, "text": each.text} for each in kept]
    if as_json:
        json.dump(rows, sys.stdout, ensure_ascii=False, indent=1)
        sys.stdout.write("\n")
    else:
        sys.stdout.writelines(f"{_line(row)}\n" for row in rows)
    return PASS


def evaluate(slices: list[str], profile: str, out: Path | None, allow_failures: bool, as_json: bool) -> int:
    """Play, score, print; the exit code says whether a check failed or a slice's rule does not hold."""
    from carerails.evals.screening import SCREENING_SLICES, judge, load_screening_slice, outcomes, score
    from carerails.evals.terminal import percent

    screener = _screener(profile)
    verdicts: list[Any] = []
    scores: list[dict[str, Any]] = []
    rows: list[dict[str, Any]] = []
    for name in dict.fromkeys(slices or SCREENING_SLICES):
        spec, cases = load_screening_slice(name)
        found = list(progress(outcomes(screener, cases), name, len(cases)))
        verdicts += judge(name, spec, screener.model_name, found)
        rows += [{"slice": name, **each.model_dump(exclude={"note"})} for each in found]
        for part in ("all", *LOCALES):
            chosen = [each for each in found if part in ("all", each.locale)]
            scores.append({"slice": name, "part": part, "cases": len(chosen), "rates": score(chosen)})
    if out:
        out.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    failed = sum(row["fate"] == "failed" for row in rows)
    broken = [verdict for verdict in verdicts if not verdict.passed]
    if as_json:
        shown = [each | {"rates": {k: v.model_dump() for k, v in each["rates"].items()}} for each in scores]
        told = {"schema": 1, "scores": shown, "verdicts": [each.model_dump() for each in verdicts], "failed": failed}
        json.dump(told, sys.stdout, ensure_ascii=False, indent=1)
        sys.stdout.write("\n")
    else:
        sys.stdout.write("Rates in per cent [95 % interval]\n")
        for each in scores:
            rates = "  ".join(f"{metric} {percent(value)}" for metric, value in each["rates"].items())
            sys.stdout.write(f"{each['slice']}  {each['part']}  {each['cases']} cases  {rates}\n")
        sys.stdout.writelines(f"FAIL  {verdict.say()}\n" for verdict in broken)
        if not broken:
            sys.stdout.write(f"PASS  all {len(verdicts)} conditions of the slices hold\n")
    if failed and not allow_failures:
        note(f"{failed} cases could not be judged")
        return ENGINE_FAILURE
    return REGRESSION if broken else PASS


class _Line:
    """One input line: a unit that has no number yet."""

    def __init__(self, ident: str, text: str, source: str, title: str) -> None:
        self.ident, self.text, self.source, self.title = ident, text, source, title


def _screener(profile: str) -> Screener:
    """The screener of a profile, also where the profile switches screening off: here somebody asks for it."""
    from carerails.screening.opening import open_screener

    settings = load_settings(profile=profile).profile.screening
    return open_screener(settings.model_copy(update={"enabled": True}))


def _read(numbered_line: Numbered) -> _Line | dict[str, Any]:
    """The unit of a line, or the error that stands in its place."""
    number, line = numbered_line
    try:
        fields = read_object(line)
    except UsageError as error:
        return write_error(number, error)
    if not isinstance(fields.get("text"), str):
        return write_error(number, UsageError("no text", 'write {"id": ..., "text": ...}'))
    wrong = next((key for key in _TEXTS[1:3] if not isinstance(fields.get(key, ""), str)), None)
    if wrong:
        return write_error(number, UsageError(f"{wrong} is not a text", f'write {{"{wrong}": "..."}}'))
    ident = str(fields.get("id", number))
    return _Line(ident, fields["text"], fields.get("source", ident), fields.get("title", ""))


def _numbered_units(lines: Sequence[_Line]) -> list[Unit]:
    """A line without a source is a source of its own: it leans on no neighbour."""
    return [
        Unit(key=f"u{at}", text=line.text, source=line.source, place=line.ident, about=line.title)
        for at, line in enumerate(lines, 1)
    ]


def _record(ident: str, report: UnitReport) -> dict[str, Any]:
    """One fate as a flat record, in the order in which people read it."""
    record: dict[str, Any] = {
        "id": ident,
        "fate": report.fate,
        "rank": report.rank,
        "relevance": report.relevance,
        "contradiction": report.contradiction,
        "instructions": report.instructions,
        "evidence": list(report.evidence),
        "tokens": report.tokens,
    }
    return record | ({"failure": report.failure} if report.failure else {})


async def _keep(store: str, turn: str, reports: Sequence[UnitReport], model: str) -> None:
    from carerails.graph.screened import ScreenedTurns
    from carerails.graph.store import open_store

    kept = open_store(store)
    await kept.open()
    try:
        await ScreenedTurns(kept).put(turn, 1, reports, model)
    finally:
        await kept.close()


async def _kept(store: str, thread: str, number: int | None) -> Sequence[Any]:
    from carerails.graph.screened import ScreenedTurns
    from carerails.graph.store import open_store

    kept = open_store(store)
    await kept.open()
    try:
        return await ScreenedTurns(kept).of(thread, number)
    finally:
        await kept.close()


def _line(row: dict[str, Any]) -> str:
    """One unit or claim for a person."""
    if "verdict" in row:
        said = row["verdict"] or row["failure"]
        sure = "" if row["confidence"] is None else f" ({row['confidence']:.2f})"
        what = f"claim {row['key']} [{', '.join(row['cards'])}]  {row['fate']}: {said}{sure}"
    else:
        levels = "  ".join(
            f"{name} {row[name]:.2f}"
            for name in ("relevance", "contradiction", "instructions")
            if row[name] is not None
        )
        rank = f" as {row['rank']}" if row["rank"] else ""
        what = f"unit {row['key']} {row['source']}#{row['place']}  {row['fate']}{rank}: {row['failure'] or levels}"
    because = f"  because {', '.join(row['evidence'])}" if row["evidence"] else ""
    return f"turn {row['turn']}  {what}{because}  {row['text'] or row['digest'][:12]}  {row['model']}"
