"""Where rails, config and evals are: inside an installed wheel, or at the root of a checkout."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Literal

Data = Literal["rails", "config", "evals", "requirements"]


def data_dir(name: Data) -> Path:
    """The directory of one kind of data.

    Raises:
        FileNotFoundError: neither an installed copy nor a checkout has it: the installation is broken.
    """
    package = Path(str(files("carerails"))).resolve()  # an engine's own environment has a link to it
    for place in (package / "_data" / name, package.parent.parent / name):
        if place.is_dir():
            return place
    raise FileNotFoundError(f"carerails has no {name!r} directory beside it: reinstall the package")


def rails_files(rails: Path) -> Iterable[Path]:
    """The Colang files of a directory, in order. A directory below it with a `main.co` of its own is another policy."""
    others = {main.parent for main in rails.rglob("main.co")} - {rails}
    return (path for path in sorted(rails.rglob("*.co")) if others.isdisjoint(path.parents))
