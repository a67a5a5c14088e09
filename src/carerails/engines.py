"""The engines that are installed, found by entry point: a third party's appears beside ours."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, NamedTuple

from carerails import environments
from carerails.contracts import RuleEngine
from carerails.errors import UsageError, unknown

GROUP = "carerails.engines"

#: What an engine may say that it can do, and what each word means.
CAPABILITIES: dict[str, str] = {
    "escalate": "it finds red flags",
    "refuse": "it finds what is out of scope",
    "check-in": "it tells a check-in from a crisis",
    "evidence": "its hits name rules of the rails and the terms that they found",
    "render": "it renders templates itself",
    "original": "it reads what the user wrote, not the normalised copy",
    "synchronous": "it never awaits",
    "judge": "it takes a judge's answer into its own decision",
    "re": "it searches with Python's regexes, whole",
    "sampled": "the same text may be decided in several ways",
}
#: What it takes to express the whole policy.
WHOLE = frozenset(("escalate", "refuse", "check-in", "evidence"))


class EngineInfo(NamedTuple):
    """One line of `carerails engines`."""

    name: str
    version: str
    available: bool
    why_not: str = ""
    capabilities: tuple[str, ...] = ()

    @property
    def usual(self) -> bool:
        """Whether it is compared where nobody names engines: it can run, and expresses the whole policy."""
        return self.available and WHOLE.issubset(self.capabilities)


def installed() -> dict[str, EntryPoint]:
    """Entry points by engine name, in alphabetical order."""
    found = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    return {point.name: point for point in found}


def load_engine(name: str, rails: Path | None = None) -> RuleEngine:
    """Make the adapter of that name, not started. `nemo-config:my/rails` is engine `nemo-config` with an argument.

    Where the adapter's own dependency is missing here, but the engine has an environment of its own, it runs there.

    Raises:
        UsageError: unknown name, an argument too many or missing, or the adapter's own dependency is missing.
    """
    base, colon, argument = name.partition(":")
    points = installed()
    if base not in points:
        raise unknown("engine", base, points)
    command = environments.command_of(base, points[base])
    try:
        factory: Any = points[base].load()
        takes: str | None = getattr(factory, "takes", None)
        if takes and not argument:
            raise UsageError(f"engine {base!r} takes {takes}", f"write {base}:{takes.split()[-1].upper()}")
        if colon and not takes:
            raise UsageError(f"engine {base!r} takes nothing behind a colon", f"write {base}")
        return factory(rails, argument) if takes else factory(rails)
    except ImportError as error:
        if command:
            return points["process"].load()(rails, command, name, trusted=True)
        why, mend = environments.missing(base, error.name or str(error))
        raise UsageError(f"engine {base!r} cannot be loaded: {why}", mend) from error


def describe(name: str) -> EngineInfo:
    """Name, version and whether the engine can run here."""
    try:
        engine = load_engine(name)
    except UsageError as error:
        return EngineInfo(name, "", False, f"{error.what} ({error.mend})" if error.mend else error.what)
    return EngineInfo(name, engine.version, True, "", tuple(sorted(engine.capabilities)))
