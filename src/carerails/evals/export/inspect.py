"""A log of Inspect AI (UK AI Security Institute), which its viewer opens: a sample a row, a scorer a metric."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from carerails.evals.export.columns import columns
from carerails.evals.rows import Row
from carerails.evals.runs import RunFolder, Summary

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample, EvalScore


def write(folder: RunFolder, summary: Summary, out: Path, suffix: str) -> None:
    """Write the log: `.json` sample by sample, `.eval` by Inspect, which wants all samples in memory.

    Raises:
        ImportError: inspect_ai is not installed.
    """
    from inspect_ai.log import write_eval_log

    columns(folder, summary)  # all rows are sound
    log = _head(summary)
    samples = (_sample(row, log.eval.model) for row in folder.rows())
    if suffix == ".json":
        _stream(log, samples, out)
    else:
        write_eval_log(log.model_copy(update={"samples": list(samples)}), str(out), format="eval")


def _stream(log: EvalLog, samples: Iterator[EvalSample], out: Path) -> None:
    """One JSON object, whose last key are the samples."""
    head = log.model_dump_json(exclude={"samples", "location", "etag"}, exclude_none=True)
    with out.open("w", encoding="utf-8", newline="\n") as file:
        file.write(head.removesuffix("}") + ', "samples": [')
        for number, sample in enumerate(samples):
            file.write((",\n" if number else "\n") + sample.model_dump_json(exclude_none=True))
        file.write("\n]}\n")


def _head(summary: Summary) -> EvalLog:
    """The run as a log without samples. Failed checks make its status `error`."""
    from inspect_ai.log import EvalConfig, EvalDataset, EvalError, EvalLog, EvalResults, EvalSpec, EvalStats

    run = summary.run
    slices = ", ".join(piece.name for piece in run.slices)
    spec = EvalSpec(
        created=run.started,
        task="carerails",
        task_display_name=f"carerails: {slices}",
        dataset=EvalDataset(name=slices, samples=sum(piece.cases for piece in run.slices), shuffled=False),
        model=f"carerails/{run.engine.name}" + ("+gate" if run.gated else ""),
        config=EvalConfig(epochs=run.repeat),
        packages={"carerails": run.carerails, **run.packages},
        metadata=json.loads(run.model_dump_json(by_alias=True)),
    )
    error = None
    if summary.failed:
        error = EvalError(message=f"{summary.failed} checks failed", traceback="", traceback_ansi="")
    return EvalLog(
        status="error" if error else "success",
        eval=spec,
        results=EvalResults(
            total_samples=summary.rows,
            completed_samples=summary.rows - summary.failed,
            scores=list(_scores(summary)),
        ),
        stats=EvalStats(started_at=run.started, completed_at=run.started),
        error=error,
    )


def _scores(summary: Summary) -> Iterator[EvalScore]:
    """The figures of the summary: a scorer a metric, and of each slice as a whole a value."""
    from inspect_ai.log import EvalMetric, EvalScore

    found: dict[str, dict[str, EvalMetric]] = {}
    for score in summary.scores:
        if score.by != "all":
            continue
        for metric, rate in score.rates.items():
            if rate.value is not None:
                known = rate.model_dump(exclude={"value"})
                value = EvalMetric(name=score.slice, value=rate.value, metadata=known)
                found.setdefault(metric, {})[score.slice] = value
        known = score.cost.model_dump(exclude={"mean"})
        found.setdefault("cost", {})[score.slice] = EvalMetric(name=score.slice, value=score.cost.mean, metadata=known)
    for metric, values in found.items():
        yield EvalScore(name=metric, scorer=metric, metrics=values)


def _sample(row: Row, model: str) -> EvalSample:
    from inspect_ai.log import EvalError, EvalSample
    from inspect_ai.model import ChatMessageUser, ModelOutput
    from inspect_ai.scorer import Score

    output = ModelOutput.from_content(model=model, content=row.say())
    why = f"{row.rule} ({row.place})" if row.rule else None
    values: dict[str, Any] = {
        metric: hits if of == 1 else hits / of if of else None for metric, (hits, of) in row.metrics.items()
    }
    if row.cost is not None:
        values["cost"] = row.cost
    error = None
    if row.failed:
        failure: Any = row.record.get("failure") or {}
        said = " ".join(str(failure[key]) for key in ("seam", "kind") if key in failure)
        error = EvalError(message=f"the check failed: {said}", traceback="", traceback_ansi="")
    seconds = None if row.latency_us is None else row.latency_us / 1_000_000
    return EvalSample(
        id=f"{row.slice}/{row.id}",
        epoch=row.repeat + 1,
        input=row.text,
        target=row.gold,
        messages=[ChatMessageUser(content=row.text), output.message],
        output=output,
        scores={
            metric: Score(value=value, answer=row.say(), explanation=why)
            for metric, value in values.items()
            if value is not None
        },
        metadata=row.model_dump(exclude={"text", "metrics", "record"}, exclude_none=True)
        | {"matched_terms": list(row.record.get("matched_terms") or ())},
        error=error,
        total_time=seconds,
        working_time=seconds,
    )
