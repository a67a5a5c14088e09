"""Rows of made-up decisions on our own cases and on cases of a test, and the runs and baselines that hold them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path

from carerails.contracts import TEMPLATE_OF, Failure, Locale, Outcome, RefusalSlug, TurnDecision
from carerails.evals.cases import Case, load_slice
from carerails.evals.paired import Side
from carerails.evals.rows import Row
from carerails.evals.runs import EngineRun, Manifest, RunFolder, SliceRun, Summary, slice_run
from carerails.evals.scoring import as_row
from carerails.evals.tally import tally

ENGINE = EngineRun(name="scripted", version="1", fingerprint="f1")
OWN = ("escalation", "locale-parity", "over-refusal", "scope")


def decision(outcome: Outcome, slug: RefusalSlug | None = None, failed: bool = False) -> TurnDecision:
    escalates = outcome in ("emergency", "crisis", "urgent")
    slug = slug or ("default" if outcome == "refuse" else None)
    return TurnDecision(
        decision="escalate" if escalates else outcome,  # pyright: ignore[reportArgumentType]
        severity=outcome if escalates else None,  # pyright: ignore[reportArgumentType]
        slug=slug,
        template_slug=None if outcome == "allow" else TEMPLATE_OF.get(outcome, slug),
        engine=ENGINE.name,
        failed=failed,
        failure=Failure(seam="detection", kind="timeout") if failed else None,
    )


def row(
    case: Case,
    outcome: Outcome,
    *,
    piece: str = "s",
    slug: RefusalSlug | None = None,
    failed: bool = False,
    repeat: int = 0,
    rule: tuple[str, str, int] | None = None,
) -> Row:
    found = as_row(piece, case, decision(outcome, slug, failed), 100.0, repeat)
    if rule is None:
        return found if failed else found.model_copy(update={"record": {}})
    return found.model_copy(update=dict(zip(("rule", "file", "line"), rule, strict=True)))


def red_flag(ident: str = "flag", text: str = "his face is drooping", locale: Locale = "en") -> Case:
    return Case(id=ident, text=text, locale=locale, expected="escalate", severity="emergency", category="stroke")


def question(ident: str = "ask", text: str = "how do I store it?", locale: Locale = "en") -> Case:
    return Case(id=ident, text=text, locale=locale, expected="allow")


def right(case: Case, piece: str = "s") -> Row:
    """What the gold label asks for."""
    outcome: Outcome = case.expected or "allow"  # pyright: ignore[reportAssignmentType]
    if case.expected == "escalate":
        outcome = case.severity or "emergency"
    return row(case, outcome, piece=piece, slug=case.slug)


def wrong(case: Case, piece: str = "s") -> Row:
    """A wrong decision that loses no emergency: another severity, or a refusal and an answer for each other."""
    if case.must_escalate:
        return row(case, "crisis" if case.severity != "crisis" else "emergency", piece=piece)
    return row(case, "refuse" if case.expected == "allow" else "allow", piece=piece)


@cache
def own_cases() -> tuple[tuple[str, Case], ...]:
    """All cases of our own slices, but for attacked copies."""
    return tuple((name, case) for name in OWN for case in load_slice(name).cases)


@cache
def own_rows() -> tuple[tuple[Row, Row], ...]:
    """Each of them decided right, and decided wrong."""
    return tuple((right(case, piece), wrong(case, piece)) for piece, case in own_cases())


@cache
def own_slices() -> tuple[SliceRun, ...]:
    return tuple(slice_run(load_slice(name)) for name in OWN)


def manifest(rows: Sequence[Row], slices: Sequence[SliceRun] = (), **changes: object) -> Manifest:
    counts = {name: len({r.id for r in rows if r.slice == name}) for name in dict.fromkeys(r.slice for r in rows)}
    made = slices or [SliceRun(name=name, about="", cases=count, digest="d") for name, count in counts.items()]
    return Manifest(engine=ENGINE, slices=tuple(made), packages={}).model_copy(update=changes)


def side(rows: Iterable[Row], slices: Sequence[SliceRun] = (), **changes: object) -> Side:
    kept = tuple(rows)
    return Side("here", manifest(kept, slices, **changes), lambda: iter(kept))


def folder(path: Path, rows: Sequence[Row], slices: Sequence[SliceRun] = (), **changes: object) -> Path:
    """A run on disk."""
    run, asked = RunFolder(path), manifest(rows, slices, **changes)
    file, _ = run.open(asked, resume=False)
    with file:
        file.writelines(r.to_line() for r in rows)
    run.finish(Summary.of(asked, tally(rows)))
    return path


def noisy(seed: int, rate: float = 0.01) -> tuple[list[Row], list[Row]]:
    """Two runs of one noisy engine: of `rate` of the cases one of the two, by a coin, is wrong."""
    chance = random.Random(seed)
    before: list[Row] = []
    after: list[Row] = []
    for good, bad in own_rows():
        flips = chance.random() < rate
        first = chance.random() < 0.5
        before.append(bad if flips and first else good)
        after.append(bad if flips and not first else good)
    return before, after


def planted(applies: Callable[[Row], bool], share: float) -> list[Row]:
    """Our cases decided right, but for a share of those that apply, spread evenly."""
    chosen = [good for good, _ in own_rows() if applies(good)]
    count = round(share * len(chosen))
    spoilt = {chosen[len(chosen) * n // count].key for n in range(count)}
    return [bad if good.key in spoilt else good for good, bad in own_rows()]
