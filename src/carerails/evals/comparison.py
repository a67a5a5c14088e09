"""A comparison: several engines on the same slices, their scores, verdicts and disagreements."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from carerails import __version__
from carerails.contracts import Frozen, Locale
from carerails.evals.cases import Slice
from carerails.evals.rows import SCHEMA, Row
from carerails.evals.runs import EngineRun
from carerails.evals.tally import Score, Tallies, Verdict, judge


class Disagreement(Frozen):
    """A case on which engines decide differently."""

    slice: str
    id: str
    locale: Locale
    gold: str
    text: str
    decisions: Mapping[str, str]
    rules: Mapping[str, str]


@dataclass(frozen=True)
class Comparison:
    """Everything that the report shows and summary.json holds."""

    engines: tuple[EngineRun, ...]
    slices: tuple[Slice, ...]
    gated: bool
    scores: tuple[Score, ...]
    verdicts: tuple[Verdict, ...]
    disagreements: tuple[Disagreement, ...]
    failed: int
    complete: bool = True
    #: Engines that cannot run, and why.
    left_out: Mapping[str, str] = field(default_factory=dict[str, str])
    #: Decisions that each engine made in an earlier run, with the latencies of then.
    kept: Mapping[str, int] = field(default_factory=dict[str, int])

    def summary(self) -> dict[str, Any]:
        """What summary.json holds: no texts, only figures."""
        return {
            "schema": SCHEMA,
            "carerails": __version__,
            "python": platform.python_version(),
            "gated": self.gated,
            "complete": self.complete,
            "engines": [engine.model_dump() for engine in self.engines],
            "left_out": dict(self.left_out),
            "kept": dict(self.kept),
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
            engine.name: [s.latency_us.p50 for s in self.scores if s.engine == engine.name and s.by == "all"]
            for engine in self.engines
        }
        typical = {name: sorted(v for v in values if v)[len(values) // 2] for name, values in medians.items() if values}
        if len(typical) < 2:
            return []
        quickest = min(typical, key=lambda name: typical[name])
        return [(name, quickest, typical[name] / typical[quickest]) for name in typical if name != quickest]


@dataclass
class Comparing:
    """Takes rows as they come, engine after engine, and keeps of each only what a comparison needs."""

    engines: Sequence[EngineRun]
    slices: Sequence[Slice]
    gated: bool
    _tallies: dict[str, Tallies] = field(default_factory=dict[str, Tallies])
    _said: dict[tuple[str, str], dict[str, tuple[str, str | None]]] = field(
        default_factory=dict[tuple[str, str], dict[str, tuple[str, str | None]]]
    )
    _apart: dict[tuple[str, str], Row] = field(default_factory=dict[tuple[str, str], Row])

    def add(self, row: Row) -> None:
        """Count a row, and see whether the engines before it said the same."""
        attacked = frozenset(piece.name for piece in self.slices if piece.spec.derive)
        self._tallies.setdefault(row.engine, Tallies(attacked)).add(row)
        key = (row.slice, row.id)
        said = self._said.setdefault(key, {})
        if any(word != row.say() for word, _ in said.values()):
            self._apart[key] = row
        said[row.engine] = (row.say(), row.rule)

    def end(
        self, complete: bool, left_out: Mapping[str, str] | None = None, kept: Mapping[str, int] | None = None
    ) -> Comparison:
        """Score everything and apply the slices' rules."""
        scores = [score for name, tallies in self._tallies.items() for score in tallies.scores(name)]
        verdicts = [
            verdict
            for engine in self.engines
            for piece in self.slices
            if (found := [score for score in scores if (score.engine, score.slice) == (engine.name, piece.name)])
            for verdict in judge(piece.spec.rule, found)
        ]
        return Comparison(
            engines=tuple(engine for engine in self.engines if engine.name not in (left_out or {})),
            slices=tuple(self.slices),
            gated=self.gated,
            scores=tuple(scores),
            verdicts=tuple(verdicts),
            disagreements=tuple(self._disagreement(row) for row in self._apart.values()),
            failed=sum(tallies.failed for tallies in self._tallies.values()),
            complete=complete,
            left_out=left_out or {},
            kept=kept or {},
        )

    def _disagreement(self, row: Row) -> Disagreement:
        said = self._said[row.slice, row.id]
        return Disagreement(
            slice=row.slice,
            id=row.id,
            locale=row.locale,
            gold=row.gold or "-",
            text=row.text,
            decisions={engine: word for engine, (word, _) in said.items()},
            rules={engine: rule or "" for engine, (_, rule) in said.items()},
        )
