"""A comparison: results of several engines on the same slices, their scores, verdicts and disagreements."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from carerails import __version__
from carerails.contracts import Frozen
from carerails.evals.cases import Case, Slice
from carerails.evals.scoring import Result, Score, Verdict, judge, parts, score


class EngineRun(Frozen):
    """One engine as it was compared."""

    name: str
    version: str
    fingerprint: str


class Disagreement(Frozen):
    """A case on which engines decide differently."""

    slice: str
    case: Case
    decisions: Mapping[str, str]
    rules: Mapping[str, str]


class Comparison(Frozen):
    """Everything that the report shows and summary.json holds."""

    engines: tuple[EngineRun, ...]
    slices: tuple[Slice, ...]
    gated: bool
    scores: tuple[Score, ...]
    verdicts: tuple[Verdict, ...]
    disagreements: tuple[Disagreement, ...]
    failed: int
    complete: bool = True

    def summary(self) -> dict[str, Any]:
        """What summary.json holds: no texts, only figures."""
        return {
            "schema": 1,
            "carerails": __version__,
            "python": platform.python_version(),
            "gated": self.gated,
            "complete": self.complete,
            "engines": [engine.model_dump() for engine in self.engines],
            "slices": {
                piece.name: {"about": piece.spec.about, "cases": len(piece.cases), "skipped": piece.skipped}
                for piece in self.slices
            },
            "scores": [entry.model_dump() for entry in self.scores],
            "verdicts": [verdict.model_dump() for verdict in self.verdicts],
            "disagreements": len(self.disagreements),
            "failed": self.failed,
        }

    def latency_ratio(self) -> list[tuple[str, str, float]]:
        """Median latency of every engine over that of the quickest, on all cases of all slices."""
        medians = {
            engine.name: [s.latency_us.p50 for s in self.scores if s.engine == engine.name and s.part == "all"]
            for engine in self.engines
        }
        typical = {name: sorted(v for v in values if v)[len(values) // 2] for name, values in medians.items() if values}
        if len(typical) < 2:
            return []
        quickest = min(typical, key=lambda name: typical[name])
        return [(name, quickest, typical[name] / typical[quickest]) for name in typical if name != quickest]


def compare(
    engines: Sequence[EngineRun], slices: Sequence[Slice], results: Iterable[Result], gated: bool, complete: bool
) -> Comparison:
    """Score all results, apply the slices' rules and find where engines differ."""
    by_engine: dict[str, dict[str, list[Result]]] = {engine.name: {} for engine in engines}
    for result in results:
        by_engine[result.engine].setdefault(result.slice, []).append(result)
    scores: list[Score] = []
    verdicts: list[Verdict] = []
    for engine in engines:
        for piece in slices:
            found = by_engine[engine.name].get(piece.name)
            if not found:
                continue
            scored = [score(engine.name, piece.name, part, chosen) for part, chosen in parts(piece, found)]
            scores += scored
            verdicts += judge(piece, scored)
    return Comparison(
        engines=tuple(engines),
        slices=tuple(slices),
        gated=gated,
        scores=tuple(scores),
        verdicts=tuple(verdicts),
        disagreements=tuple(_disagreements(slices, by_engine)),
        failed=sum(r.failed for slices_ in by_engine.values() for rs in slices_.values() for r in rs),
        complete=complete,
    )


def _disagreements(
    slices: Sequence[Slice], by_engine: Mapping[str, Mapping[str, Sequence[Result]]]
) -> Iterable[Disagreement]:
    for piece in slices:
        rows: dict[str, dict[str, Result]] = {}
        for engine, found in by_engine.items():
            for result in found.get(piece.name, ()):
                rows.setdefault(result.case.id, {})[engine] = result
        for answers in rows.values():
            if len({(r.outcome, r.slug, r.failed) for r in answers.values()}) > 1:
                yield Disagreement(
                    slice=piece.name,
                    case=next(iter(answers.values())).case,
                    decisions={engine: say(result) for engine, result in answers.items()},
                    rules={engine: str(r.record["rule"] or "") for engine, r in answers.items()},
                )


def say(result: Result) -> str:
    """A decision in a few words."""
    word = "FAILED" if result.failed else result.outcome
    return f"{word} {result.slug}" if result.slug else word
