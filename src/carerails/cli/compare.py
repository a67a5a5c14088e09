"""`carerails compare`: engines side by side on our slices and on the user's own data."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from carerails.cli import ENGINE_FAILURE, INTERRUPTED, PASS, REGRESSION
from carerails.cli.console import note, progress
from carerails.engine import open_engine
from carerails.engines import describe, installed
from carerails.errors import UsageError, unknown
from carerails.evals.cases import Slice, load_data, load_slice, slice_names
from carerails.evals.comparison import Comparison, EngineRun, compare
from carerails.evals.runner import run_engine
from carerails.evals.scoring import Result


def run(
    engines: list[str],
    slices: list[str],
    data: list[Path],
    gated: bool,
    out: Path | None,
    rails: Path | None,
    allow_failures: bool,
    as_json: bool,
) -> int:
    """Compare, print, write the report; the exit code says whether checks failed or a slice's rule does not hold."""
    runs = _engines(engines, rails)
    pieces = _pieces(slices, data)
    results: list[Result] = []
    complete = True
    with ExitStack() as stack:
        rows = stack.enter_context(_results_file(out)) if out else None
        try:
            for result in _run_all(runs, pieces, rails, gated):
                results.append(result)
                if rows:
                    rows.write(json.dumps(_row(result), ensure_ascii=False) + "\n")
        except KeyboardInterrupt:
            complete = False
            note("interrupted: what was decided so far is reported, and marked incomplete")
    comparison = compare(runs, pieces, results, gated, complete)
    _show(comparison, out, as_json)
    return _exit_code(comparison, allow_failures)


def _pieces(slices: list[str], data: list[Path]) -> list[Slice]:
    """The slices asked for; with data of one's own and no slice named, the data alone."""
    names = slices or ([] if data else slice_names())
    pieces = [load_slice(name) for name in names] + [load_data(path) for path in data]
    for piece in pieces:
        if [other.name for other in pieces].count(piece.name) > 1:
            raise UsageError(f"two slices are called {piece.name!r}", "rename one of the files")
        if piece.skipped:
            note(f"{piece.name}: {piece.skipped} rows of other locales skipped")
    return pieces


def _engines(names: list[str], rails: Path | None) -> list[EngineRun]:
    known = installed()
    for name in names:
        if name not in known:
            raise unknown("engine", name, known)
    chosen: list[EngineRun] = []
    for name in dict.fromkeys(names or known):
        info = describe(name)
        if info.available:
            engine = open_engine(name, rails, floor=False)
            chosen.append(EngineRun(name=name, version=engine.version, fingerprint=engine.fingerprint))
        elif names:
            raise UsageError(f"engine {name!r} cannot run here: {info.why_not}", "see `carerails engines`")
        else:
            note(f"engine {name} left out: {info.why_not}")
    return chosen


def _run_all(runs: Sequence[EngineRun], pieces: Sequence[Slice], rails: Path | None, gated: bool) -> Iterator[Result]:
    total = sum(len(piece.cases) for piece in pieces)
    for engine in runs:
        yield from progress(run_engine(engine.name, pieces, rails, gated), engine.name, total)


def _results_file(out: Path):
    try:
        out.mkdir(parents=True, exist_ok=True)
        return (out / "results.jsonl").open("w", encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(error.strerror or "cannot be written", "choose another --out", str(out)) from None


def _row(result: Result) -> dict[str, object]:
    case = result.case
    gold = case.model_dump(include={"expected", "severity", "slug", "category", "not_expected", "group"})
    return {
        "slice": result.slice,
        **result.record,
        "text": case.said(),
        "gold": {key: value for key, value in gold.items() if value},
        "right": result.right,
    }


def _show(comparison: Comparison, out: Path | None, as_json: bool) -> None:
    from carerails.evals import terminal

    if as_json:
        json.dump(comparison.summary(), sys.stdout, ensure_ascii=False, indent=1)
        sys.stdout.write("\n")
    else:
        terminal.show(comparison)
    if out:
        from carerails.evals import report

        (out / "summary.json").write_text(
            json.dumps(comparison.summary(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
        )
        (out / "report.html").write_text(report.render(comparison), encoding="utf-8")
        note(f"report: {out / 'report.html'}  results: {out / 'results.jsonl'}  summary: {out / 'summary.json'}")


def _exit_code(comparison: Comparison, allow_failures: bool) -> int:
    if not comparison.complete:
        return INTERRUPTED
    if comparison.failed and not allow_failures:
        note(f"{comparison.failed} checks failed")
        return ENGINE_FAILURE
    broken = [verdict for verdict in comparison.verdicts if not verdict.passed]
    if broken:
        note(f"{len(broken)} conditions of our slices do not hold")
    return REGRESSION if broken else PASS
