"""`carerails engines`: which there are, and environments for those that clash with ours."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Optional

import typer

from carerails.cli.options import PASS, Rails, names

engines_app = typer.Typer(rich_markup_mode=None, help="Engines: which there are, and environments of their own.")
Json = Annotated[bool, typer.Option("--json", help="One JSON array on stdout.")]


@engines_app.callback(invoke_without_command=True)
def engines(context: typer.Context, as_json: Json = False) -> None:
    """List engines: name, version, and whether each can run here or why not."""
    if context.invoked_subcommand is None:
        from carerails.cli.engine_list import run

        raise typer.Exit(run(as_json))


@engines_app.command()
def install(
    name: Annotated[str, typer.Argument(help="Engine whose packages clash with ours.")],
    python: Annotated[str, typer.Option("--python", help="Interpreter for it.")] = sys.executable,
) -> None:
    """Give an engine an environment of its own, from its hash-locked requirements; it then runs as a process."""
    from carerails.cli.console import note
    from carerails.engines import installed
    from carerails.environments import engine_of
    from carerails.environments import install as run

    note(f"installing {name}; this may take minutes")
    note(f"{name} is in {run(name, installed().get(engine_of(name)), python)}")
    raise typer.Exit(PASS)


@engines_app.command()
def mapping(
    directory: Annotated[str, typer.Argument(help="NeMo configuration directory.")],
) -> None:
    """Write what the decisions of a NeMo configuration are taken to mean, as YAML for its carerails.yml."""
    import asyncio

    from yaml import safe_dump  # pyright: ignore[reportUnknownVariableType]

    from carerails_nemo_config.rails import NemoRails

    rails = NemoRails(None, directory)
    asyncio.run(rails.start())
    sys.stdout.write(safe_dump(rails.mapping().model_dump(), allow_unicode=True, sort_keys=False))
    raise typer.Exit(PASS)


@engines_app.command()
def table(
    engines: Annotated[str, typer.Option("--engines", help="Comma-separated. Default: all that are installed.")] = "",
    slices: Annotated[str, typer.Option("--slices", help="Default: escalation, scope, over-refusal.")] = "",
    rails: Rails = None,
    stand_in: Annotated[
        bool, typer.Option("--stand-in", help="A stub stands in for a model, for engines that ask one.")
    ] = False,
    out: Annotated[Optional[Path], typer.Option("--out", help="File for the page.")] = None,  # noqa: UP045
    as_json: Json = False,
) -> None:
    """Measure every engine alone, in a process of its own: accuracy, latency, memory, what it cannot express."""
    from carerails.cli.engine_table import run

    raise typer.Exit(run(names(engines), names(slices), rails, stand_in, out, as_json))
