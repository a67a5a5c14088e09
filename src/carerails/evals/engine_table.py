"""All engines in one table, from measurements: on a terminal, and as docs/engines.md."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from carerails.evals.measuring import Measured
from carerails.evals.tally import Score

#: The model's name where the stub stands in for one; an engine that asks it has it in its version.
STUB = "stub"
#: What each engine is, and what it does when something goes wrong in it.
ABOUT: Mapping[str, tuple[str, str]] = {
    "native": ("the rails, compiled to Python", "a rule that fails raises; nothing else can"),
    "nemo": (
        "the rails, on NeMo's Colang 2.x runtime",
        "a flow that dies, a missing or second event, an action that raises",
    ),
    "nemo-config": ("anybody's NeMo configuration, mapped", "as `nemo`, and silence; killed when it blocks"),
    "iorails": (
        "NeMo's IORails, one pattern a rule; with an endpoint, its self check of the others",
        "a rail that fails, a block without a pattern of ours, neither yes nor no",
    ),
    "guardrails-ai": ("Guardrails AI, one validator a rule", "it raises, or contradicts its validators; in a process"),
    "llm-guard": (
        "LLM Guard, one Regex scanner a rule; with weights, its prompt injection scanner",
        "a scanner raises or gives no verdict; in a process",
    ),
    "prompt": (
        "a model, told every rule in one prompt",
        "no envelope, a kind that is not the rule's, no answer in time",
    ),
    "llm": ("a bare model, its prose read", "no answer in time, an error of the endpoint; misread prose is a miss"),
    "process": ("any command that speaks the protocol", "it crashes, hangs or writes garbage; it is restarted"),
}
#: Title, slice and metric, in reading order.
COLUMNS = (
    ("recall", "escalation", "recall"),
    ("false alarms", "escalation", "false_alarm"),
    ("refused", "scope", "refused"),
    ("over-refusal", "over-refusal", "over_refusal"),
)
SLICES = ("escalation", "scope", "over-refusal")
HEAD = (
    *("engine", "version", *(title for title, _, _ in COLUMNS), "right", "unsupported", "failed"),
    *("p50 ms", "p95 ms", "load s", "start s", "memory MB", "rules"),
)


class Table(NamedTuple):
    """What was measured, and why the others were not."""

    measured: Sequence[Measured]
    left_out: Mapping[str, str]


def measure_apart(
    name: str, slices: Sequence[str], env: Mapping[str, str], rails: Path | None = None
) -> Measured | str:
    """Measure in a process of its own; or why that cannot be."""
    command = [sys.executable, "-m", "carerails.evals.measuring", str(rails or ""), name, *slices]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, **env}, check=False
    )
    line = done.stdout.decode("utf-8", "replace").strip().rpartition("\n")[2]
    try:
        return Measured.model_validate_json(line)
    except ValidationError:
        import json

        try:
            return str(json.loads(line)["why"])
        except (ValueError, KeyError, TypeError):
            return f"its process ended with {done.returncode} and said nothing"


def label(one: Measured) -> str:
    """An engine's name, with a star where the stub stood in for a model."""
    return f"{one.engine} *" if STUB in one.version.split("+") else one.engine


def rows(table: Table) -> Iterable[tuple[str, ...]]:
    """The cells of one engine, in the order of HEAD."""
    for one in table.measured:
        scores = {score.slice: score for score in one.scores}
        times = [score.latency_us for score in one.scores]
        yield (
            label(one),
            one.version,
            *(_rate(scores.get(piece), metric) for _, piece, metric in COLUMNS),
            _share(one.scores, "right"),
            _share(one.scores, "unsupported"),
            str(sum(score.failed for score in one.scores)),
            _middle([time.p50 for time in times]),
            _middle([time.p95 for time in times]),
            f"{one.load_s:.1f}",
            f"{one.start_s:.1f}",
            f"{one.memory_mb:.0f}",
            f"{one.rules - len(one.unsupported)} of {one.rules}" if one.evidence else "-",
        )


def markdown(table: Table) -> str:
    """The page."""
    cells = [HEAD, *(("---",) * len(HEAD),), *rows(table)]
    lines = [" | ".join(row).join(("| ", " |")) for row in cells]
    about = [f"| {name} | {what} | {fails} |" for name, (what, fails) in ABOUT.items()]
    lacking = [
        f"- **{_escaped(label(one))}**: {_lacking(one)}" for one in table.measured if one.unsupported or one.lacks
    ]
    out = [f"- {name}: {why}" for name, why in table.left_out.items()]
    star = f"\n\\* {STAR}\n" if any(label(one) != one.engine for one in table.measured) else ""
    return PAGE.format(
        table="\n".join(lines),
        star=star,
        python=platform.python_version(),
        cores=os.cpu_count() or 1,
        load=os.getloadavg()[1] if hasattr(os, "getloadavg") else 0.0,
        slices=", ".join(dict.fromkeys(score.slice for one in table.measured for score in one.scores)),
        cases=max((sum(score.cases for score in one.scores) for one in table.measured), default=0),
        about="\n".join(about),
        lacking="\n".join(lacking) or "- Nothing.",
        out="\n".join(out) or "- All could.",
    )


STAR = (
    "A stub stands in for the model: it decides as the compiled rails do. These figures are of the plumbing, and say "
    "nothing about any model."
)
PAGE = """\
# Engines, measured

Written by `carerails engines table` (`make compare-all`), never by hand. Python {python}; slices {slices};
{cases} cases; rates in per cent; bare engines, without the always-on gate. Each was measured alone, one after the
other, in a fresh process: `load` is importing it, `start` is until its first check finds all loaded, `memory` is the
peak of that process and of those it starts, rails included. Latency is of one check at a time, after a warm-up: the
median of the slices' medians, and of their 95th percentiles. The machine has {cores} cores, and a load average of
{load:.1f} when this was written: above one a core, times are too long, and what stands is their order.

{table}
{star}
`right` is the share of labelled cases with the gold decision. `unsupported` is the share that asks for what the engine
cannot decide: these are never right, whatever it said. `rules` are those of the rails that it expresses; `-` where it
decides by something else.

## What each is, and how it fails

A failed check is never a pass, on any of them: [0001](decisions/0001-decision-table.md).

| engine | what decides | what counts as a failure in it |
|---|---|---|
{about}

## What they cannot express

{lacking}

## What could not run here

{out}
"""


def _escaped(text: str) -> str:
    return text.replace("*", "\\*")


def _lacking(one: Measured) -> str:
    reasons: dict[str, list[str]] = {}
    for rule, why in one.unsupported.items():
        reasons.setdefault(why, []).append(rule)
    said = [
        f"{len(names)} {'rule' if len(names) == 1 else 'rules'}: {why}"
        for why, names in sorted(reasons.items(), key=lambda item: -len(item[1]))
    ]
    lacks = [f"no {word}" for word in one.lacks]
    return "; ".join([*lacks, *(text.replace("; ", ", ") for text in said)])


def _rate(score: Score | None, metric: str) -> str:
    rate = score.rates.get(metric) if score else None
    return "-" if rate is None or rate.value is None else f"{100 * rate.value:.1f}"


def _share(scores: Sequence[Score], metric: str) -> str:
    rates = [score.rates[metric] for score in scores if metric in score.rates]
    return f"{100 * sum(rate.hits for rate in rates) / sum(rate.of for rate in rates):.1f}" if rates else "0"


def _middle(values: Iterable[float | None]) -> str:
    found = sorted(value for value in values if value is not None)
    return f"{found[len(found) // 2] / 1000:.1f}" if found else "-"
