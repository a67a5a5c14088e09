"""`carerails eval`: runs, and what is made of them."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated, Optional

import typer

from carerails.cli.options import (
    AllowFailures,
    AsJson,
    Cache,
    Data,
    Engine,
    Rails,
    Semantic,
    SemanticOption,
    Slices,
    Workers,
    names,
)


class ExportFormat(str, Enum):
    """Formats of other programs."""

    csv = "csv"
    parquet = "parquet"
    inspect = "inspect"


eval_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Eval runs, and what changed between them.")


@eval_app.command("run")
def eval_run(
    out: Annotated[Path, typer.Option("--out", help="Folder of the run: run.json, results.jsonl, summary.json.")],
    engine: Engine = "native",
    slices: Slices = "",
    data: Data = None,
    rails: Rails = None,
    gated: Annotated[bool, typer.Option("--gated", help="Behind the always-on gate, as deployed.")] = False,
    workers: Workers = 1,
    scheduler: Annotated[
        str, typer.Option("--scheduler", help="tcp://host:port of a dask cluster, or `local` for one made here.")
    ] = "",
    shard: Annotated[str, typer.Option("--shard", help="i/n: only every n-th case, from the i-th on.")] = "",
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run that is in --out.")] = False,
    repeat: Annotated[int, typer.Option("--repeat", min=1, max=100, help="Times that each case is decided.")] = 1,
    cache: Cache = None,
    semantic: SemanticOption = Semantic.off,
    allow_failures: AllowFailures = False,
    as_json: AsJson = False,
) -> None:
    """Decide every case on one engine, and keep what came of it."""
    from carerails.cli.judge import judge_of
    from carerails.cli.runs import Asked, run

    asked = Asked(
        engine=engine,
        slices=names(slices),
        data=data or [],
        rails=rails,
        gated=gated,
        workers=workers,
        scheduler=scheduler or None,
        shard=shard,
        repeat=repeat,
        cache=cache,
        judge=judge_of(semantic.value),
    )
    raise typer.Exit(run(asked, out, resume, allow_failures, as_json))


@eval_app.command("merge")
def eval_merge(
    shards: Annotated[list[Path], typer.Argument(help="Folders of all shards of one run.")],
    out: Annotated[Path, typer.Option("--out", help="Folder of the whole run.")],
    allow_failures: AllowFailures = False,
    as_json: AsJson = False,
) -> None:
    """Make one run of its shards."""
    from carerails.cli.runs import merge

    raise typer.Exit(merge(shards, out, allow_failures, as_json))


@eval_app.command("report")
def eval_report(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs; two of one engine are before and after.")],
    out: Annotated[Path, typer.Option("--out", help="The page, one HTML file.")],
    listed: Annotated[int, typer.Option("--cases", min=0, help="Cases listed; those that went wrong first.")] = 20_000,
) -> None:
    """Show runs as one HTML page that needs no network: verdict, figures, matrices, every case."""
    from carerails.cli.console import note
    from carerails.evals.report import write_runs

    for head in write_runs(runs, out, listed).slices:
        if head.without:
            note(f"{head.name}: none of its cases in {', '.join(head.without)}")
    note(f"report: {out}")


@eval_app.command("agent")
def eval_agent(
    engines: Annotated[str, typer.Option("--engines", help="Comma-separated. Default: all that are available.")] = "",
    slices: Annotated[
        str, typer.Option("--slices", help="Comma-separated: citation, no-context, multi-turn, review.")
    ] = "",
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--out", help="Directory for agent.jsonl."),
    ] = None,
    rails: Rails = None,
    semantic: Annotated[
        Optional[bool],  # noqa: UP045
        typer.Option("--semantic/--no-semantic", help="Search cards by meaning too. Default: where installed."),
    ] = None,
    allow_failures: AllowFailures = False,
    as_json: AsJson = False,
) -> None:
    """Play the agent's slices: citations, missing context, conversations, reviews."""
    from carerails.cli.evaluate import agent as run

    raise typer.Exit(run(names(engines), names(slices), out, rails, semantic, allow_failures, as_json))


@eval_app.command("screening")
def eval_screening(
    slices: Annotated[str, typer.Option("--slices", help="Comma-separated: screening, citations.")] = "",
    profile: Annotated[str, typer.Option("--profile", help="Whose `screening:` settings.")] = "default",
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--out", help="JSONL file for what became of each case."),
    ] = None,
    allow_failures: AllowFailures = False,
    as_json: AsJson = False,
) -> None:
    """Play the slices of screening: instructions in retrieved text, contradictions, claims and what they cite."""
    from carerails.cli.screen import evaluate as run

    raise typer.Exit(run(names(slices), profile, out, allow_failures, as_json))


@eval_app.command("gate")
def eval_gate(
    baseline: Annotated[Path, typer.Option("--baseline", help="What `eval accept` wrote.")],
    current: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--current", help="Folder of the run to judge. Default: one that is made now."),
    ] = None,
    rails: Rails = None,
    data: Data = None,
    workers: Workers = 1,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--out", help="Folder for the run that is made now. Default: it is not kept."),
    ] = None,
    cache: Cache = None,
    junit: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--junit", help="JUnit XML file to write."),
    ] = None,
    github: Annotated[
        bool, typer.Option("--github", help="Annotations, and a job summary in $GITHUB_STEP_SUMMARY.")
    ] = False,
    detect: Annotated[
        float, typer.Option("--detect", min=0.5, max=100, help="Drift in points that must be visible, or exit 3.")
    ] = 2.0,
    across_engines: Annotated[
        bool, typer.Option("--across-engines", help="The baseline may be another engine's.")
    ] = False,
    semantic: SemanticOption = Semantic.off,
    allow_failures: AllowFailures = False,
    as_json: AsJson = False,
) -> None:
    """Say what got worse since the baseline, and whether that is noise: exit 0 pass, 1 regression, 3 cannot say."""
    from carerails.cli.gate import Gate, run_gate
    from carerails.cli.judge import judge_of

    asked = Gate(
        baseline=baseline,
        current=current,
        rails=rails,
        data=data or [],
        workers=workers,
        out=out,
        cache=cache,
        junit=junit,
        github=github,
        detect=detect,
        across_engines=across_engines,
        allow_failures=allow_failures,
        as_json=as_json,
        judge=judge_of(semantic.value),
    )
    raise typer.Exit(run_gate(asked))


@eval_app.command("accept")
def eval_accept(
    run: Annotated[Path, typer.Option("--run", help="Folder of a complete run.")],
    baseline: Annotated[Path, typer.Option("--baseline", help="File to write: evals/baselines/ENGINE.json.")],
    reason: Annotated[str, typer.Option("--reason", help="Why, for whoever reads the baseline later.")] = "",
    give_up: Annotated[
        int, typer.Option("--give-up", min=0, help="Must-escalate cases that are no longer caught, by number.")
    ] = 0,
) -> None:
    """Make what a run decided the new baseline."""
    from carerails.cli.gate import run_accept

    raise typer.Exit(run_accept(run, baseline, reason, give_up))


@eval_app.command("diff")
def eval_diff(
    before: Annotated[Path, typer.Argument(help="Folder of a run, or a baseline.")],
    after: Annotated[Path, typer.Argument(help="Folder of a run, or a baseline.")],
    as_json: AsJson = False,
) -> None:
    """Show each case that is decided otherwise, with the rules behind both decisions."""
    from carerails.cli.gate import run_diff

    raise typer.Exit(run_diff(before, after, as_json))


@eval_app.command("watch")
def eval_watch(engine: Engine = "native", rails: Rails = None, slices: Slices = "", data: Data = None) -> None:
    """On each save of a rails file, show which cases flip. Ctrl-C ends it."""
    from carerails.cli.watch import watch

    raise typer.Exit(watch(engine, rails, names(slices), data or []))


@eval_app.command("export")
def eval_export(
    run: Annotated[Path, typer.Argument(help="Folder of a run.")],
    to: Annotated[ExportFormat, typer.Option("--to", help="csv, parquet, or inspect: a log of Inspect AI.")],
    out: Annotated[Path, typer.Option("--out", help="File: .csv, .parquet, .eval or .json.")],
) -> None:
    """Write a run as CSV, Parquet or an Inspect AI log."""
    from carerails.cli.export import export

    raise typer.Exit(export(run, to.value, out))
