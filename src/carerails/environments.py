"""Engines whose packages clash with ours live in an environment of their own, and run as a process."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path

from carerails.errors import CarerailsError, UsageError, unknown
from carerails.resources import data_dir

LOCKS = "engines-{}.txt"
#: First line of a lock whose packages are not for every Python.
_PYTHONS = re.compile(r"# Python 3\.(\d+) to 3\.(\d+)\n")


def home() -> Path:
    """Where the environments are: `CARERAILS_ENGINES`, or the user's data directory."""
    given = os.environ.get("CARERAILS_ENGINES")
    data = os.environ.get("XDG_DATA_HOME")
    return (
        Path(given) if given else (Path(data) if data else Path.home() / ".local" / "share") / "carerails" / "engines"
    )


def locks() -> dict[str, Path]:
    """The hash-locked requirements by engine; by `ENGINE+MORE` those with what only a part of it needs."""
    prefix, _, suffix = LOCKS.partition("{}")
    try:
        found = sorted(data_dir("requirements").glob(LOCKS.format("*")))
    except FileNotFoundError:
        return {}
    return {path.name.removeprefix(prefix).removesuffix(suffix): path for path in found}


def engine_of(name: str) -> str:
    """The engine that a lock is for."""
    return name.partition("+")[0]


def python_of(name: str) -> Path | None:
    """The Python of the engine's own environment; None where there is none, or it was made from another lock."""
    marker = home() / name / "complete"
    digests = [_digest(lock) for known, lock in locks().items() if engine_of(known) == name]
    if not marker.is_file() or marker.read_text(encoding="utf-8") not in digests:
        return None
    return home() / name / "bin" / "python"


def missing(name: str, module: str) -> tuple[str, str]:
    """Why an engine without an environment of its own cannot be loaded, and what to do about it.

    Args:
        module: what could not be imported here.
    """
    lock = locks().get(name)
    if lock is None:
        return f"{module} is missing", "install it"
    unfit = _other_python(name, lock, "this", ".".join(map(str, sys.version_info[:2])))
    return unfit or (f"{module} is missing", f"carerails engines install {name}")


def command_of(name: str, point: EntryPoint) -> tuple[str, ...] | None:
    """What runs the engine in its own environment as a process; None where it has none."""
    python = python_of(name)
    return (str(python), "-m", "carerails.remote.serve", point.value) if python else None


def install(name: str, point: EntryPoint | None, python: str = sys.executable) -> Path:
    """Make the environment: exactly the locked packages, and this very carerails.

    Args:
        name: of the lock.
        point: the engine's entry point.
        python: the interpreter that it gets.

    Raises:
        UsageError: no lock of that name, or it is for another Python.
        CarerailsError: pip failed; with what it said last.
    """
    known = locks()
    if name not in known or point is None:
        raise unknown("environment", name, known)
    lock = known[name]
    version = _run(python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])")
    if unfit := _other_python(name, lock, python, version):
        raise UsageError(f"engine {name!r} cannot be installed: {unfit[0]}", unfit[1])
    target = home() / engine_of(name)
    shutil.rmtree(target, ignore_errors=True)
    _run(python, "-m", "venv", str(target))
    inside = str(target / "bin" / "python")
    # A lock is all there is to install: it leaves out what an engine asks for and never imports.
    pip = (inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    _run(*pip, "--require-hashes", "--no-deps", "-r", str(lock))
    site = Path(_run(inside, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"))
    for package in ("carerails", point.value.partition(":")[0].partition(".")[0]):
        spec = find_spec(package)
        if spec is None or not spec.origin:
            raise CarerailsError(f"package {package!r} is not installed here")
        (site / package).symlink_to(Path(spec.origin).parent.resolve(), target_is_directory=True)
    _run(inside, "-c", f"import {point.value.partition(':')[0]}")
    (target / "complete").write_text(_digest(lock), encoding="utf-8")
    return target


def _other_python(name: str, lock: Path, python: str, version: str) -> tuple[str, str] | None:
    """Why a lock is not for a Python, and what to do about it; None where it is."""
    named = _PYTHONS.match(lock.read_text(encoding="utf-8"))
    if named is None or (3, int(named[1])) <= tuple(map(int, version.split("."))) <= (3, int(named[2])):
        return None
    why = f"its packages are for Python 3.{named[1]} to 3.{named[2]}, and {python} is {version}"
    return why, f"carerails engines install {name} --python python3.{named[2]}"


def _run(*command: str) -> str:
    """What a command prints."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise UsageError(f"{command[0]} cannot be run: {error.strerror}", "name a Python that exists") from None
    if done.returncode:
        said = "; ".join([line for line in done.stderr.splitlines() if line.strip()][-3:])
        raise CarerailsError(f"{' '.join(command[:4])} failed: {said}")
    return done.stdout.strip()


def _digest(lock: Path) -> str:
    return hashlib.sha256(lock.read_bytes()).hexdigest()
