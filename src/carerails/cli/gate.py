"""`carerails eval gate`, `eval accept` and `eval diff`: what changed between a baseline and now, and whether it may."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from carerails.cli.console import note
from carerails.cli.options import PASS
from carerails.cli.runs import Asked, execute
from carerails.errors import UsageError
from carerails.evals.agent_cases import AGENT_SLICES
from carerails.evals.baseline import Baseline, accept, load_baseline, open_side
from carerails.evals.cases import judged_slice_names, slice_names
from carerails.evals.diff import GRADES, Diff, Flip, diff
from carerails.evals.drift import WHOLE
from carerails.evals.findings import BrokenRule, Report, figure, size
from carerails.evals.gate import Comparison, gate
from carerails.evals.paired import Side
from carerails.evals.reply_cases import REPLY_SLICES
from carerails.evals.runs import RunFolder
from carerails.evals.safe import quoted, visible
from carerails.resources import data_dir

#: Of each kind, as many are printed; JSON, JUnit and the job summary have more.
SHOWN = 20


@dataclass(frozen=True)
class Gate:
    """What to compare, and where to write it, as the command line says it."""

    baseline: Path
    current: Path | None = None
    rails: Path | None = None
    data: list[Path] = field(default_factory=list[Path])
    workers: int = 1
    out: Path | None = None
    cache: Path | None = None
    junit: Path | None = None
    github: bool = False
    detect: float = 2.0
    across_engines: bool = False
    allow_failures: bool = False
    as_json: bool = False
    judge: str | None = None


def run_gate(asked: Gate) -> int:
    """Compare, print, write what CI reads; the verdict is the exit code."""
    baseline = load_baseline(asked.baseline)
    with TemporaryDirectory(prefix="carerails-gate-") as scratch:
        after = _current(asked, baseline, Path(scratch))
        report, compared = gate(
            baseline.side(),
            after,
            allow_failures=asked.allow_failures,
            across_engines=asked.across_engines,
            detect=asked.detect / 100,
        )
    _tell(asked, report, compared)
    return report.exit_code


def run_accept(run: Path, baseline: Path, reason: str, give_up: int) -> int:
    """Write the baseline, and say what it replaces."""
    header, changed = accept(run, baseline, reason, give_up)
    engine = header.run.engine
    if not changed:
        sys.stdout.write(f"{baseline} holds this run already: nothing to do\n")
        return PASS
    sys.stdout.write(f"{baseline}: {header.run.expected_rows:,} rows of {engine.name} {engine.version}\n")
    if old := header.replaces:
        sys.stdout.write(f"replaces {old.digest[:12]}, accepted {old.accepted[:10]}, fingerprint {old.fingerprint}\n")
    for case in header.lost:
        sys.stdout.write(
            f"GIVEN UP  {visible(f'{case.slice}/{case.id}')}  {case.locale}  {case.was} -> {case.now or 'gone'}\n"
        )
    return PASS


def run_diff(before: Path, after: Path, as_json: bool) -> int:
    """Print every flip."""
    found = diff(open_side(before), open_side(after))
    if as_json:
        _json(found.model_dump(mode="json"))
    else:
        sys.stdout.writelines(f"{line}\n" for line in _diff_lines(found))
    return PASS


def _current(asked: Gate, baseline: Baseline, scratch: Path) -> Side:
    """The run to judge: the one that is named, or one that is made now, as the baseline's was."""
    if asked.current:
        return open_side(asked.current)
    manifest = baseline.header.run
    own = {path.stem for path in asked.data}
    names = [piece.name for piece in manifest.slices if piece.name not in own]
    for name in names:
        if name not in (*slice_names(), *judged_slice_names(), *AGENT_SLICES, *REPLY_SLICES):
            raise UsageError(
                f"the baseline has a slice {name!r} that is not ours", f"--data names its file, {name}.jsonl"
            )
    folder = RunFolder(asked.out or scratch / "run")
    execute(
        Asked(
            engine=manifest.engine.name,
            slices=names,
            data=asked.data,
            rails=asked.rails,
            gated=manifest.gated,
            workers=asked.workers,
            repeat=manifest.repeat,
            cache=asked.cache,
            judge=asked.judge,
        ),
        folder,
    )
    return Side(str(asked.out or "run now"), folder.manifest(), folder.rows)


def _tell(asked: Gate, report: Report, compared: Comparison) -> None:
    from carerails.evals import github, junit

    if asked.junit:
        junit.write(report, compared.compared, asked.junit)
    if asked.as_json:
        _json(json.loads(report.model_dump_json(by_alias=True)))
    else:
        sys.stdout.writelines(f"{line}\n" for line in _lines(report))
    if asked.github:
        stream = sys.stderr if asked.as_json else sys.stdout  # the runner reads commands from both
        stream.writelines(f"{line}\n" for line in github.commands(report, lambda file: _place(asked.rails, file)))
        if path := os.environ.get("GITHUB_STEP_SUMMARY"):
            github.append_summary(report, Path(path))
    if asked.out:
        note(f"run: {asked.out}")


def _json(value: object) -> None:
    json.dump(value, sys.stdout, ensure_ascii=False, indent=1)
    sys.stdout.write("\n")


def _place(rails: Path | None, file: str) -> str:
    """A file of the rails as GitHub knows it: from the root of the checkout."""
    path = (rails or data_dir("rails")) / file
    root = Path(os.environ.get("GITHUB_WORKSPACE") or Path.cwd()).resolve()
    return path.resolve().relative_to(root).as_posix() if path.resolve().is_relative_to(root) else path.as_posix()


def _lines(report: Report) -> Iterator[str]:
    engine, counts = report.after.engine, report.graded()
    about = f" ({visible(report.before.about)})" if report.before.about else ""
    yield f"{report.verdict.upper()}  {engine.name} {engine.version} against {report.before.where}{about}"
    for finding in report.findings:
        yield f"  {finding.verdict}: {visible(finding.why)}"
    yield from (f"  note: {visible(text)}" for text in report.notes)
    if not report.pairs:
        return
    yield (
        f"{report.pairs:,} cases compared, {report.must_escalate:,} of them must escalate; decided otherwise: "
        + ", ".join(f"{count} {grade}" for grade, count in counts.items())
    )
    yield from _shown("MISSED", report.missed)
    yield from _drift_lines(report)
    yield from map(_rule_line, report.rules)
    for check in report.failed[:SHOWN]:
        yield f"FAILED  {visible(f'{check.slice}/{check.id}')}  {check.locale}  {check}"
    yield from _left(len(report.failed))
    yield from _shown("WORSE", [one for one in report.flips if one.grade == "worse" and one.kind != "missed"])
    yield from _shown("SAFER", [one for one in report.flips if one.grade == "safer"])


def _drift_lines(report: Report) -> Iterator[str]:
    shown = [drift for drift in report.drifts if drift.way or (drift.part == WHOLE and drift.worse + drift.better)]
    if shown:
        yield "DRIFT  now less before [95 % interval]"
    for drift in shown:
        yield (
            f"  {drift.metric:<18} {drift.part:<6}  {size(drift):<32}  {drift.worse} worse, {drift.better} better "
            f"of {drift.pairs:,}  p {drift.p:.2g}  {drift.way.upper()}"
        ).rstrip()


def _rule_line(rule: BrokenRule) -> str:
    part = f" ({rule.part})" if rule.part != WHOLE else ""
    return (
        f"RULE  {rule.slice}{part}: {rule.metric} was {figure(rule.was)}, is {figure(rule.now)}, must be {rule.bound}"
    )


def _shown(title: str, flips: Sequence[Flip], most: int = SHOWN) -> Iterator[str]:
    if flips:
        yield f"{title}  {len(flips)}"
    for one in flips[:most]:
        place = visible(f"{one.slice}/{one.id}")
        yield f"  {place}  {one.locale}  {one.category or '-'}  {one.kind}: {one.was} -> {one.now}"
        yield from [f"    {quoted(one.text)}"] * bool(one.text)
    yield from _left(len(flips), most)


def _left(count: int, most: int = SHOWN) -> Iterator[str]:
    if count > most:
        yield f"  and {count - most} more"


def _diff_lines(found: Diff) -> Iterator[str]:
    yield f"{found.before} -> {found.after}: {found.pairs:,} cases, {len(found.flips):,} decided otherwise"
    cases = found.cases
    for word, change in (("only before", cases.lost), ("only after", cases.gained), ("changed", cases.changed)):
        if change.count:
            yield f"{change.count:,} cases {word}: {visible(str(change))}"
    for by, parts in (("slice", found.count(_slice)), ("locale", found.count(_locale))):
        for part, counts in parts.items():
            yield f"  {by} {visible(part)}: " + ", ".join(f"{counts[grade]} {grade}" for grade in GRADES)
    for grade in GRADES:
        yield from _shown(grade.upper(), found.graded(grade), most=len(found.flips))


def _slice(one: Flip) -> str:
    return one.slice


def _locale(one: Flip) -> str:
    return one.locale
