"""`carerails rails lint`: findings on stdout, and the mends that are mechanical."""

from __future__ import annotations

import gc
import os
import sys
from collections import Counter
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import cast

from carerails.cli.console import note
from carerails.cli.options import PASS, REGRESSION
from carerails.errors import UsageError
from carerails.lint import Finding, Severity, at_least, lint
from carerails.lint.finding import SEVERITIES
from carerails.lint.formats import FORMATS
from carerails.lint.mending import by_file, mended
from carerails.lint.settings import lint_settings
from carerails.resources import data_dir

#: A mend may bring to light what it hid; so many rounds are enough for any nesting of mends.
_ROUNDS = 5


def run(path: Path | None, form: str, level: str, fix: bool, config: Path | None) -> int:
    """Print findings; exit 1 when one is as grave as `level`."""
    root = path or data_dir("rails")
    settings = config or (data_dir("config") if path is None else None)
    with _without_collection():
        if fix:
            _mend(root)
        found = lint(root)
        if settings:
            away = Path(os.path.relpath(settings, root)).as_posix()
            found += [replace(one, file=f"{away}/{one.file}") for one in lint_settings(settings)]
    shown = at_least(found, cast("Severity", level))
    sys.stdout.write(FORMATS[form](shown, root))
    if form == "text":
        note(_summary(found, shown))
    return REGRESSION if shown else PASS


@contextmanager
def _without_collection() -> Generator[None]:
    """Hundreds of thousands of nodes all stay: looking through them for garbage would take a third of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _mend(root: Path) -> None:
    """Mend until nothing more can be; what was done goes to stderr.

    Raises:
        UsageError: a file cannot be written.
    """
    for _ in range(_ROUNDS):
        fixes = by_file(lint(root))
        if not fixes:
            return
        for name, several in sorted(fixes.items()):
            file = root / name
            text, count = mended(file.read_text(encoding="utf-8"), several)
            try:
                file.write_text(text, encoding="utf-8")
            except OSError as error:
                raise UsageError(error.strerror or "cannot be written", "check the path", str(file)) from None
            note(f"{name}: {count} mended")


def _summary(found: Iterable[Finding], shown: Iterable[Finding]) -> str:
    counts = Counter(one.severity for one in found)
    told = ", ".join(f"{counts[severity]} {severity}" for severity in SEVERITIES if counts[severity]) or "no finding"
    if any(True for _ in shown):
        return told
    return "the rails are clean" + (f" ({told}: --level info shows them)" if counts else "")
