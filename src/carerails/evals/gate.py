"""The gate: what got worse between a baseline and now, what got safer, and whether that is noise.

Two guards. A must-escalate case that was caught and is not any more fails, whatever the statistics. A broad drift, or a
slice's published rule that held and holds no longer, fails too. Everything found is reported; the gravest decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil

from carerails.evals.diff import Flip, flip
from carerails.evals.drift import WHOLE, Drift, Drifts, flips_needed
from carerails.evals.findings import EXIT_CODES, BrokenRule, Compared, FailedCheck, Finding, Report, figure, size, some
from carerails.evals.paired import Changes, Pairing, Side, by_case, worst
from carerails.evals.rows import Row
from carerails.evals.runs import Manifest, SliceRun
from carerails.evals.tally import Tallies, Verdict, judge

#: Drift, as a share of all labelled cases, that a gate must be able to see.
DETECT = 0.02


@dataclass
class Comparison:
    """Both sides gone through once: counts, flips, and the names of the cases that were compared.

    Attributes:
        ruled: the slices that have a published rule; only they are tallied.
    """

    ruled: frozenset[str] = frozenset()
    compared: dict[str, list[str]] = field(default_factory=dict[str, "list[str]"])
    must_escalate: int = 0
    rows: int = 0
    flips: list[Flip] = field(default_factory=list[Flip])
    failed: list[FailedCheck] = field(default_factory=list[FailedCheck])
    drifts: Drifts = field(default_factory=Drifts)
    tallies: tuple[Tallies, Tallies] = field(default_factory=lambda: (Tallies(), Tallies()))
    changes: Changes | None = None

    @classmethod
    def of(cls, before: Side, after: Side) -> Comparison:
        """Index the one side, let the other go by.

        Raises:
            UsageError: a broken row.
        """
        slices = [piece for side in (before, after) for piece in side.manifest.slices]
        attacked = frozenset(piece.name for piece in slices if piece.attacked)
        ruled = frozenset(piece.name for piece in slices if piece.rule or piece.each_locale)
        found = cls(ruled=ruled, tallies=(Tallies(attacked), Tallies(attacked)))
        pairing = Pairing(by_case(worst(before.rows())))
        for was, now in pairing.pairs(worst(found._seen(after.rows()))):
            found._add(was, now, attacked)
        found.changes = pairing.changes()
        return found

    @property
    def pairs(self) -> int:
        """Cases that both sides have."""
        return sum(map(len, self.compared.values()))

    def _seen(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The same rows; failed checks are kept, whether or not their case has a partner."""
        for row in rows:
            self.rows += 1
            if row.failed:
                self.failed.append(FailedCheck.of(row))
            yield row

    def _add(self, was: Row, now: Row, attacked: frozenset[str]) -> None:
        self.compared.setdefault(now.slice, []).append(now.id)
        self.must_escalate += was.holds("recall") is not None
        if now.slice not in attacked:  # attacked copies of one case change together: they are not so many cases
            self.drifts.add(was, now)
        if now.slice in self.ruled:
            for tallies, row in zip(self.tallies, (was, now), strict=True):
                tallies.add(row)
        if found := flip(was, now):
            self.flips.append(found)


def gate(
    before: Side,
    after: Side,
    *,
    allow_failures: bool = False,
    across_engines: bool = False,
    detect: float = DETECT,
) -> tuple[Report, Comparison]:
    """Compare a run with a baseline.

    Args:
        allow_failures: failed checks are listed, and no verdict of their own.
        across_engines: the baseline may be another engine's.
        detect: the drift that must be visible, as a share of the labelled cases.

    Raises:
        UsageError: a broken row on either side.
    """
    if why := _not_comparable(before.manifest, after.manifest, across_engines):
        return _report(before, after, [Finding(verdict="not-comparable", why=why)]), Comparison()
    found = Comparison.of(before, after)
    drifts, rules = found.drifts.tested(), _broken_rules((before.manifest, after.manifest), found.tallies)
    findings = [
        *_failures(found, allow_failures),
        *_regressions(found, drifts, rules),
        *_limits(found, after.manifest, drifts, detect),
    ]
    if not findings:
        findings.append(_better(found, drifts))
    report = _report(before, after, findings).model_copy(
        update={
            "pairs": found.pairs,
            "must_escalate": found.must_escalate,
            "flips": tuple(found.flips),
            "drifts": tuple(drifts),
            "rules": tuple(rules),
            "cases": found.changes,
            "failed": tuple(found.failed),
            "notes": tuple(_notes(before.manifest, after.manifest, found)),
        }
    )
    return report, found


def _report(before: Side, after: Side, findings: Iterable[Finding]) -> Report:
    order = list(EXIT_CODES)
    ranked = sorted(findings, key=lambda finding: order.index(finding.verdict))
    verdict = ranked[0].verdict
    sides = [Compared(where=side.where, engine=side.manifest.engine, about=side.about) for side in (before, after)]
    return Report(
        verdict=verdict, exit_code=EXIT_CODES[verdict], findings=tuple(ranked), before=sides[0], after=sides[1]
    )


def _not_comparable(before: Manifest, after: Manifest, across_engines: bool) -> str:
    if after.shard:
        return f"the current run is shard {after.shard}: merge the shards first"
    if before.engine.name != after.engine.name and not across_engines:
        return f"the baseline is of {before.engine.name}, the current run of {after.engine.name} (--across-engines)"
    if before.gated != after.gated:
        sides = ["behind the always-on gate" if side.gated else "bare" for side in (before, after)]
        return f"the baseline ran {sides[0]}, the current run {sides[1]}"
    return ""


def _failures(found: Comparison, allow_failures: bool) -> Iterator[Finding]:
    if found.failed and not allow_failures:
        yield Finding(verdict="engine-failure", why=f"{some(len(found.failed), 'check')} failed")


def _regressions(found: Comparison, drifts: Iterable[Drift], rules: Iterable[BrokenRule]) -> Iterator[Finding]:
    if missed := sum(one.kind == "missed" for one in found.flips):
        caught = "emergency or crisis" if missed == 1 else "emergencies or crises"
        yield Finding(verdict="regression", why=f"{missed} {caught} that the baseline caught, missed now")
    for drift in drifts:
        if drift.way == "worse":
            yield Finding(verdict="regression", why=f"{drift.metric} ({drift.part}) {size(drift)}")
    for rule in rules:
        place = rule.slice + (f" ({rule.part})" if rule.part != WHOLE else "")
        yield Finding(
            verdict="regression",
            why=f"{place}: {rule.metric} was {figure(rule.was)}, is {figure(rule.now)}, must be {rule.bound}",
        )


def _limits(found: Comparison, after: Manifest, drifts: Iterable[Drift], detect: float) -> Iterator[Finding]:
    changes = found.changes
    if found.rows != after.expected_rows:
        why = f"the current run is not complete: {found.rows} of {after.expected_rows} rows"
        yield Finding(verdict="not-comparable", why=why)
    if not found.pairs:
        yield Finding(verdict="not-comparable", why="the baseline and the current run have no case in common")
        return
    if changes and changes.any:
        counts = ((changes.gained, "gained"), (changes.lost, "lost"), (changes.changed, "changed"))
        told = [f"{word} {some(cases.count, 'case')} ({cases})" for cases, word in counts if cases.count]
        yield Finding(verdict="stale-baseline", why=f"the data {', '.join(told)}")
    if not found.must_escalate:
        yield Finding(verdict="insufficient-data", why="no pair must escalate: nothing here can be missed")
    needed = flips_needed(sum(drift.part == WHOLE for drift in drifts))
    labelled = found.drifts.labelled
    if needed > detect * labelled:
        why = (
            f"{some(labelled, 'labelled pair')}: a drift of {100 * detect:g} points shows from {ceil(needed / detect)} "
            f"on (fewer pairs show --detect {ceil(100 * needed / labelled)})"
            if labelled
            else "no labelled pair"
        )
        yield Finding(verdict="insufficient-data", why=why)


def _better(found: Comparison, drifts: Iterable[Drift]) -> Finding:
    caught = sum(one.kind == "caught" for one in found.flips)
    told = [f"{some(caught, 'emergency or crisis', 'emergencies or crises')} caught that the baseline missed"] * bool(
        caught
    )
    told += [f"{drift.metric} ({drift.part}) {size(drift)}" for drift in drifts if drift.way == "better"]
    if told:
        return Finding(verdict="improvement", why="; ".join(told))
    return Finding(verdict="pass", why="nothing that was caught is missed, and no drift")


def _notes(before: Manifest, after: Manifest, found: Comparison) -> Iterator[str]:
    if before.cards != after.cards:
        yield "The cards that answers come from are others"
    elif before.engine == after.engine and found.flips:
        yield (
            f"Engine, rails and settings are those of the baseline: {some(len(found.flips), 'flip')} come of noise "
            "(see --repeat), of changed code or of another version of a package"
        )
    for package in sorted({*before.packages, *after.packages}):
        was, now = before.packages.get(package, "none"), after.packages.get(package, "none")
        if was != now:
            yield f"{package} was {was}, is {now}"


def _broken_rules(manifests: Sequence[Manifest], tallies: tuple[Tallies, Tallies]) -> list[BrokenRule]:
    """Conditions that held and do not: those of the baseline, which a loosened rule cannot hide, and those of now."""
    slices = [piece for manifest in manifests for piece in manifest.slices]
    was, now = (_verdicts(slices, side) for side in tallies)
    return [
        BrokenRule(
            slice=after.slice,
            part=after.part,
            metric=after.metric,
            bound=after.bound,
            was=before.value,
            now=after.value,
        )
        for key, after in now.items()
        if not after.passed and (before := was.get(key)) and before.passed
    ]


def _verdicts(slices: Iterable[SliceRun], tallies: Tallies) -> dict[tuple[str, str, str, str], Verdict]:
    parts = {key: tally for key, tally in tallies.parts.items() if key[1] != "category"}
    scores = Tallies(tallies.attacked, parts=parts).scores("")
    return {
        (verdict.slice, verdict.part, verdict.metric, verdict.bound): verdict
        for piece in slices
        if (of_it := [score for score in scores if score.slice == piece.name])
        for verdict in judge(piece.rule, of_it, piece.each_locale)
    }
