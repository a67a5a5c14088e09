"""`carerails judge`: the rubric of the model judge."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from carerails.cli.console import note

judge_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="The model judge and its rubric.")

Config = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Option("--config", help="Config directory. Default: the one that is shipped."),
]


@judge_app.command("lock")
def lock(config: Config = None) -> None:
    """Pin the rubric as it stands: without a lock that fits it the judge does not start."""
    from carerails.judge import lock_rubric

    path, digest, is_new = lock_rubric(config)
    note(f"{path}: {'now' if is_new else 'still'} sha256:{digest}")


@judge_app.command("prompt")
def prompt(config: Config = None) -> None:
    """Print what the model is told, if the rubric is locked."""
    from carerails.judge import load_rubric
    from carerails.judge.prompt import system_message

    typer.echo(system_message(load_rubric(config).rubric))
