"""`carerails eval agent`: the whole agent on its slices, on one engine or several."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from carerails.cli.console import note, progress
from carerails.cli.options import ENGINE_FAILURE, PASS, REGRESSION
from carerails.engines import describe, installed, load_engine
from carerails.errors import UsageError
from carerails.evals.agent_cases import AGENT_SLICES, load_agent_slice
from carerails.evals.agent_runner import run_agent
from carerails.evals.agent_scoring import AgentResult, judge, score
from carerails.evals.stats import percentile
from carerails.evals.tally import Verdict
from carerails.evals.terminal import percent


def agent(
    engines: list[str],
    slices: list[str],
    out: Path | None,
    rails: Path | None,
    semantic: bool | None,
    allow_failures: bool,
    as_json: bool,
) -> int:
    """Play, score, print; the exit code says whether a seam failed or a slice's rule does not hold."""
    names = _available(engines)
    pieces = [load_agent_slice(name) for name in dict.fromkeys(slices or AGENT_SLICES)]
    total = sum(len(piece.cases) for piece in pieces)
    results = [result for name in names for result in progress(run_agent(name, pieces, rails, semantic), name, total)]
    verdicts = [
        verdict
        for name in names
        for piece in pieces
        for verdict in judge(piece, name, [r for r in results if (r.engine, r.slice) == (name, piece.name)])
    ]
    apart = list(_apart(results))
    if out:
        _write(out, results)
    if as_json:
        json.dump(_summary(results, verdicts, len(apart)), sys.stdout, ensure_ascii=False, indent=1)
        sys.stdout.write("\n")
    else:
        sys.stdout.write("\n".join(_lines(results, verdicts, apart)) + "\n")
    failed = sum(result.failed for result in results)
    if failed and not allow_failures:
        note(f"{failed} cases had a seam that failed")
        return ENGINE_FAILURE
    broken = sum(not verdict.passed for verdict in verdicts)
    if broken or apart:
        note(f"{broken} conditions do not hold; {len(apart)} cases differ between engines")
        return REGRESSION
    return PASS


def _available(engines: list[str]) -> list[str]:
    for name in engines:
        load_engine(name)  # a wrong name is said at once
    return [name for name in dict.fromkeys(engines or installed()) if engines or describe(name).usual]


def _parts(results: Sequence[AgentResult]) -> Iterator[tuple[tuple[str, str, str], list[AgentResult]]]:
    """Engine, slice, and all of it or one locale."""
    for engine, piece in dict.fromkeys((result.engine, result.slice) for result in results):
        chosen = [result for result in results if (result.engine, result.slice) == (engine, piece)]
        yield (engine, piece, "all"), chosen
        for locale in sorted({result.case.locale for result in chosen}):
            yield (engine, piece, locale), [result for result in chosen if result.case.locale == locale]


def _apart(results: Sequence[AgentResult]) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """Cases whose replies differ in kind between engines."""
    kinds: dict[str, dict[str, list[str]]] = {}
    for result in results:
        case = f"{result.slice}/{result.case.id}"
        kinds.setdefault(case, {})[result.engine] = [kind or "error" for kind in result.kinds]
    for case, by_engine in kinds.items():
        if len({tuple(said) for said in by_engine.values()}) > 1:
            yield case, by_engine


def _lines(
    results: Sequence[AgentResult], verdicts: Sequence[Verdict], apart: Sequence[tuple[str, dict[str, list[str]]]]
) -> Iterator[str]:
    yield "Rates in per cent [95 % interval]"
    for (engine, piece, part), chosen in _parts(results):
        times = [said.latency_us / 1000 for result in chosen for said in result.said]
        rates = "  ".join(f"{metric} {percent(value)}" for metric, value in score(chosen).items())
        yield f"{engine}  {piece}  {part}  {len(chosen)} cases  {rates}  p50 {percentile(times, 0.5):.1f} ms"
    for verdict in verdicts:
        if not verdict.passed:
            yield f"FAIL  {verdict.say()}"
    if all(verdict.passed for verdict in verdicts):
        yield f"PASS  all {len(verdicts)} conditions of the slices hold"
    for case, by_engine in apart:
        yield f"DIFFER  {case}  " + "; ".join(f"{name}: {', '.join(kinds)}" for name, kinds in by_engine.items())


def _summary(results: Sequence[AgentResult], verdicts: Sequence[Verdict], apart: int) -> dict[str, Any]:
    """Figures, no texts."""
    return {
        "schema": 1,
        "scores": [
            {"engine": engine, "slice": piece, "part": part, "cases": len(chosen)}
            | {"rates": {metric: value.model_dump() for metric, value in score(chosen).items()}}
            for (engine, piece, part), chosen in _parts(results)
        ],
        "verdicts": [verdict.model_dump() for verdict in verdicts],
        "differ": apart,
        "failed": sum(result.failed for result in results),
    }


def _write(out: Path, results: Sequence[AgentResult]) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
        with (out / "agent.jsonl").open("w", encoding="utf-8", newline="\n") as file:
            for result in results:
                row = {"engine": result.engine, "slice": result.slice, "id": result.case.id, "text": result.case.said()}
                said = [each.model_dump() for each in result.said]
                file.write(json.dumps(row | {"right": result.rights, "said": said}, ensure_ascii=False) + "\n")
    except OSError as error:
        raise UsageError(error.strerror or "cannot be written", "choose another --out", str(out)) from None
    note(f"results: {out / 'agent.jsonl'}")
