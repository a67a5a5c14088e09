"""Rails as they were: a directory, an exported policy, or a git revision of the directory that holds them now."""

from __future__ import annotations

import io
import subprocess
import tarfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from carerails.errors import UsageError
from carerails.resources import rails_files


@contextmanager
def rails_of(name: str, here: Path) -> Generator[Path, None, None]:
    """The rails that a name stands for, as long as they are needed.

    Args:
        name: a directory, a policy.json, or a git revision.
        here: the rails of today, which tell the repository and the place in it.

    Raises:
        UsageError: none of them.
    """
    path = Path(name)
    if path.is_dir() or path.suffix == ".json":
        yield path
        return
    top = _git(here, "rev-parse", "--show-toplevel")
    if top is None:
        raise UsageError(f"{name!r} is no directory, and {here} is in no git repository", "name a directory")
    root = Path(top.decode().strip())
    commit = _git(here, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if commit is None:
        raise UsageError(f"{name!r} is neither a directory nor a git revision", f"see `git log -- {here}`")
    inside = here.resolve().relative_to(root.resolve())
    archive = _git(root, "archive", "--format=tar", commit.decode().strip(), "--", inside.as_posix())
    if archive is None:
        raise UsageError(f"revision {name!r} has no {inside}", "name one that has")
    with TemporaryDirectory(prefix="carerails-") as folder:
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(folder, filter="data")
        rails = Path(folder) / inside
        if not any(rails_files(rails)):
            raise UsageError(f"revision {name!r} has no Colang files in {inside}", "name one that has")
        yield rails


def _git(where: Path, *arguments: str) -> bytes | None:
    """What git says; None where it fails, or is not there."""
    try:
        done = subprocess.run(["git", "-C", str(where), *arguments], capture_output=True, check=False)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None
