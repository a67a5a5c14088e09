"""`carerails compare`: engines side by side on our slices and on the user's own data."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from carerails.cli.console import interrupted, note, progress
from carerails.cli.options import ENGINE_FAILURE, INTERRUPTED, PASS, REGRESSION
from carerails.cli.runs import engine_run, load_pieces
from carerails.engines import describe, installed
from carerails.errors import CarerailsError, UsageError, unknown
from carerails.evals.cases import Slice
from carerails.evals.comparison import Comparing, Comparison
from carerails.evals.rows import read_row
from carerails.evals.running import run as evaluate
from carerails.evals.runs import EngineRun
from carerails.evals.work import LONG, Done, Job


def run(
    engines: list[str],
    slices: list[str],
    data: list[Path],
    gated: bool,
    out: Path | None,
    rails: Path | None,
    allow_failures: bool,
    as_json: bool,
    workers: int = 1,
    judge: str | None = None,
    cache: Path | None = None,
) -> int:
    """Compare, print, write the report; the exit code says whether checks failed or a slice's rule does not hold.

    An engine that cannot run is left out, and the others are compared all the same; it is exit code 4 in the end.
    """
    names = _available(engines)
    errors: dict[str, CarerailsError] = {}
    runs = list(_runs(names, rails, judge, errors))
    pieces = load_pieces(slices, data, judge)
    comparing = Comparing(runs, pieces, gated)
    complete = True
    kept = Counter[str]()
    with ExitStack() as stack:
        lines = stack.enter_context(_results_file(out)) if out else None
        try:
            for done in _run_all(runs, pieces, rails, gated, workers, judge, errors, cache):
                rows = [read_row(line, "results") for line in done.lines]
                for row in rows:
                    comparing.add(row)
                if done.kept:
                    kept[rows[0].engine] += done.kept
                if lines:
                    lines.writelines(done.lines)
        except KeyboardInterrupt:
            complete = False
            interrupted("interrupted: what was decided so far is reported, and marked incomplete")
    if len(errors) == len(names):
        raise next(iter(errors.values()))  # of all of them: the rails are at fault, most likely
    comparison = comparing.end(complete, {name: str(error) for name, error in errors.items()}, kept)
    _show(comparison, out, as_json)
    for name, count in kept.items():
        note(
            f"{name}: {count:,} decisions and their latencies are from before (kept in {cache}; delete it for new ones)"
        )
    if workers > 1:
        note(f"{workers} processes shared this machine's cores: --workers 1 measures latencies that nothing disturbs")
    return _exit_code(comparison, allow_failures)


def _available(names: list[str]) -> list[str]:
    """The engines asked for, or all that can run the whole policy here."""
    if names:
        for name in names:
            if name.partition(":")[0] not in installed():
                raise unknown("engine", name, installed())
        return list(dict.fromkeys(names))
    chosen: list[str] = []
    for name in installed():
        info = describe(name)
        if info.usual:
            chosen.append(name)
        else:
            note(
                f"engine {name} left out: {info.why_not or 'it does not express the whole policy; --engines names it'}"
            )
    return chosen


def _runs(
    names: Sequence[str], rails: Path | None, judge: str | None, errors: dict[str, CarerailsError]
) -> Iterator[EngineRun]:
    for name in names:
        try:
            yield engine_run(name, rails, judge)
        except CarerailsError as error:
            _leave_out(name, error, errors)


def _leave_out(name: str, error: CarerailsError, errors: dict[str, CarerailsError]) -> None:
    note(f"engine {name} left out: {error}")
    errors[name] = error


def _run_all(
    runs: Sequence[EngineRun],
    pieces: Sequence[Slice],
    rails: Path | None,
    gated: bool,
    workers: int,
    judge: str | None,
    errors: dict[str, CarerailsError],
    cache: Path | None,
) -> Iterator[Done]:
    """One engine after the other, so that their latencies stay true. One that does not start is left out."""
    total = sum(len(piece.cases) for piece in pieces)
    for engine in runs:
        warm = total >= LONG
        job = Job(engine.name, rails, gated, cache=cache, judge=judge, warm=warm, timed=workers)
        items = progress(((piece.name, case) for piece in pieces for case in piece.cases), engine.name, total)
        began = False
        try:
            for done in evaluate(job, items, workers):
                began = True
                yield done
        except CarerailsError as error:
            if began:
                raise
            _leave_out(engine.name, error, errors)


def _results_file(out: Path):
    try:
        out.mkdir(parents=True, exist_ok=True)
        return (out / "results.jsonl").open("w", encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(error.strerror or "cannot be written", "choose another --out", str(out)) from None


def _show(comparison: Comparison, out: Path | None, as_json: bool) -> None:
    from carerails.evals import terminal

    if as_json:
        json.dump(comparison.summary(), sys.stdout, ensure_ascii=False, indent=1)
        sys.stdout.write("\n")
    else:
        terminal.show(comparison)
    if out:
        from carerails.evals.report import write_comparison

        (out / "summary.json").write_text(
            json.dumps(comparison.summary(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
        )
        write_comparison(comparison, out / "results.jsonl", out / "report.html")
        note(f"report: {out / 'report.html'}  results: {out / 'results.jsonl'}  summary: {out / 'summary.json'}")


def _exit_code(comparison: Comparison, allow_failures: bool) -> int:
    if not comparison.complete:
        return INTERRUPTED
    if comparison.failed and not allow_failures:
        note(f"{comparison.failed} checks failed")
        return ENGINE_FAILURE
    if comparison.left_out:
        note(f"not compared, for they cannot run: {', '.join(comparison.left_out)}")
        return ENGINE_FAILURE
    broken = [verdict for verdict in comparison.verdicts if not verdict.passed]
    if broken:
        note(f"{len(broken)} conditions of our slices do not hold")
    return REGRESSION if broken else PASS
