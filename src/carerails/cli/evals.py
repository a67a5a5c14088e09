"""`carerails eval`: runs, and what is made of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from carerails.cli.options import AllowFailures, AsJson, Data, Engine, Rails, Slices, Workers, names

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
    cache: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--cache", envvar="CARERAILS_EVAL_CACHE", help="Folder of decisions to reuse and to keep."),
    ] = None,
    allow_failures: AllowFailures = False,
    as_json: AsJson = False,
) -> None:
    """Decide every case on one engine, and keep what came of it."""
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

    write_runs(runs, out, listed)
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
