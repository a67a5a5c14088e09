"""`carerails screen`: units of text in, what becomes of each out, in input order; and why, of a turn that was kept."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from carerails.cli.console import note, progress
from carerails.cli.lines import Numbered, concluded, keep_apart, numbered, opened
from carerails.cli.options import ENGINE_FAILURE, PASS, REGRESSION
from carerails.config import load_settings
from carerails.contracts import LOCALES, Locale, Unit, UnitReport
from carerails.errors import UsageError, unknown
from carerails.records import read_object, refuse_near_misses, write_error
from carerails.screening.units import of_result

if TYPE_CHECKING:
    from carerails.screening.screener import Screener

#: Keys of an input line that hold text, and all that mean something; others are ignored.
_TEXTS = ("text", "source", "title")
_KEYS = (*_TEXTS, "result", "id")
_FORM = 'write {"id": ..., "text": ...}, or {"id": ..., "result": ...} with what a tool gave'


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
        given = [each for each in read if isinstance(each, _Line)]
        units = _numbered_units(given)
        spoken = cast("Locale", locale) or detect_locale(question)
        reports = asyncio.run(_judged(screener, question, spoken, units))
        if store:
            asyncio.run(_keep(store, turn, reports, screener.model_name))
        out = opened(stack, target, "w")
        judged = iter(reports)
        for each in read:
            records = _records(each, judged) if isinstance(each, _Line) else [each]
            out.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    if not question.strip():
        note("no --question: relevance and contradictions were judged against nothing")
    unread = len(read) - len(given)
    failed = sum(report.fate == "failed" for report in reports)
    failures = "units could not be judged; they are not in the context"
    return concluded(len(read), unread, failed, failures, allow_failures=allow_failures)


def explain(turn: str, store: str, as_json: bool) -> int:
    """Print what became of every unit and claim of a turn, or of all turns of a thread."""
    thread, number = _named(turn)
    if "://" not in store and not Path(store).is_file():
        raise UsageError("no such file", "give the store of the agent or of `carerails screen`", store)
    kept = asyncio.run(_kept(store, thread, number))
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
        try:
            out.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
        except OSError as error:
            raise UsageError(error.strerror or "cannot be written", "choose another --out", str(out)) from None
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


@dataclass(frozen=True, slots=True)
class _Line:
    """One input line: units that have no number yet, of one text or of the fields of a result."""

    ident: str
    source: str
    units: Sequence[Unit]
    fields: bool = False


def _screener(profile: str) -> Screener:
    """The screener of a profile, also where the profile switches screening off: here somebody asks for it."""
    from carerails.screening.opening import open_screener

    settings = load_settings(profile=profile).profile.screening
    return open_screener(settings.model_copy(update={"enabled": True}))


def _read(numbered_line: Numbered) -> _Line | dict[str, Any]:
    """The units of a line, or the error that stands in its place."""
    number, line = numbered_line
    try:
        return _line_of(read_object(line), str(number))
    except UsageError as error:
        return write_error(number, error)


def _line_of(fields: dict[str, Any], number: str) -> _Line:
    """A text, or the result of a tool, whose fields are units by their paths.

    Raises:
        UsageError: what is wrong and how to mend it; never holds the line's text.
    """
    refuse_near_misses(fields, _KEYS)
    if ("text" in fields) == ("result" in fields):
        raise UsageError("no text" if "text" not in fields else "both text and result", _FORM)
    wrong = next((key for key in _TEXTS if not isinstance(fields.get(key, ""), str)), None)
    if wrong:
        raise UsageError(f"{wrong} is not a text", f'write {{"{wrong}": "..."}}')
    if not isinstance(fields.get("id", ""), (str, int)) or isinstance(fields.get("id"), bool):
        raise UsageError("id is neither a text nor a number", 'write {"id": "..."}, or leave it out')
    ident = str(fields.get("id", number))
    source, title = fields.get("source", ident), fields.get("title", "")
    if "text" in fields:
        return _Line(ident, source, [Unit(key="u1", text=fields["text"], source=source, place=ident, about=title)])
    try:
        return _Line(ident, source, of_result(fields["result"], source, title), fields=True)
    except ValueError as error:
        raise UsageError(f"the result is {error}", "give the part of it that matters") from None


def _numbered_units(lines: Sequence[_Line]) -> list[Unit]:
    """All of them, numbered through. A line without a source is a source of its own: it leans on no neighbour."""
    units = (unit for line in lines for unit in line.units)
    return [unit.model_copy(update={"key": f"u{at}"}) for at, unit in enumerate(units, 1)]


async def _judged(screener: Screener, question: str, locale: Locale, units: Sequence[Unit]) -> Sequence[UnitReport]:
    async with screener:
        return await screener.judge(question, locale, units)


def _records(line: _Line, judged: Iterator[UnitReport]) -> list[dict[str, Any]]:
    """One record a unit; a result that has nothing to read has one that says so."""
    return [_record(line, unit, next(judged)) for unit in line.units] or [{"id": line.ident, "units": 0}]


def _record(line: _Line, unit: Unit, report: UnitReport) -> dict[str, Any]:
    """One fate as a flat record, in the order in which people read it."""
    record: dict[str, Any] = {
        "id": line.ident,
        **({"place": unit.place} if line.fields else {}),
        "fate": report.fate,
        "rank": report.rank,
        "relevance": report.relevance,
        "contradiction": report.contradiction,
        "instructions": report.instructions,
        "evidence": list(report.evidence),
        "tokens": report.tokens,
    }
    return record | ({"failure": report.failure} if report.failure else {})


def _named(turn: str) -> tuple[str, int | None]:
    """Thread and number of `THREAD/NUMBER`; of any other name no number."""
    thread, _, number = turn.rpartition("/")
    return (thread, int(number)) if thread and number.isdecimal() else (turn, None)


async def _keep(store: str, turn: str, reports: Sequence[UnitReport], model: str) -> None:
    from carerails.graph.screened import ScreenedTurns
    from carerails.graph.store import open_store

    thread, number = _named(turn)
    kept = open_store(store)
    await kept.open()
    try:
        await ScreenedTurns(kept).put(thread, 1 if number is None else number, reports, model)
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
