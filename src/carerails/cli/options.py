"""What several commands share: exit codes and options."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated, Optional

import typer

from carerails.errors import UsageError

PASS, REGRESSION, USAGE, NOT_COMPARABLE, ENGINE_FAILURE = 0, 1, 2, 3, 4
INTERRUPTED = 130


class Semantic(str, Enum):
    """The layer behind the rules."""

    off = "off"
    local = "local"
    model = "model"


Engine = Annotated[str, typer.Option("--engine", "-e", help="Engine, as in `carerails engines`.")]
Rails = Annotated[
    Optional[Path],  # noqa: UP045  typer reads this at run time, on Python 3.10 too
    typer.Option("--rails", help="Rails directory or an exported policy.json. Default: the rails that are shipped."),
]
SemanticOption = Annotated[Semantic, typer.Option("--semantic", help="Semantic layer behind the rules.")]
Workers = Annotated[int, typer.Option("--workers", min=1, max=64, help="Processes.")]
AllowFailures = Annotated[bool, typer.Option("--allow-failures", help="Exit 0 though checks failed.")]
Slices = Annotated[str, typer.Option("--slices", help="Comma-separated. Default: all of ours.")]
Data = Annotated[
    Optional[list[Path]],  # noqa: UP045
    typer.Option("--data", help="JSONL of your own; may be given several times."),
]
Cache = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Option("--cache", envvar="CARERAILS_EVAL_CACHE", help="Folder of decisions to reuse and to keep."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the summary as JSON on stdout.")]


def country_of(text: str) -> str | None:
    """The country that an option names; None where it is empty.

    Raises:
        UsageError: it is not two letters.
    """
    if text and not (len(text) == 2 and text.isascii() and text.isalpha()):
        raise UsageError("a country is two letters", "for example --country MX")
    return text.upper() or None


def names(text: str) -> list[str]:
    """The names of a comma-separated option."""
    return [name.strip() for name in text.split(",") if name.strip()]
