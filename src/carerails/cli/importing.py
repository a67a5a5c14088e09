"""`carerails rails import`: a NeMo project as rails, and what does not go into them."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from carerails.cli.console import note
from carerails.cli.options import PASS
from carerails.contracts import LOCALES, Locale
from carerails.errors import unknown


def run(source: Path, target: Path, locale: str, as_json: bool) -> int:
    """Write the folder; print what was made, what only the author can decide, and what stays behind and why."""
    from carerails.importing import import_project

    if locale and locale not in LOCALES:
        raise unknown("locale", locale, LOCALES)
    outcome = import_project(source, target, cast("Locale", locale) or None)
    if as_json:
        json.dump(dataclasses.asdict(outcome), sys.stdout, ensure_ascii=False, indent=1)
        sys.stdout.write("\n")
    else:
        for title, rows in (
            (f"Made in {target}", outcome.made),
            ("For you to decide", outcome.fill),
            ("Left behind", outcome.left),
        ):
            _print(title, rows)
    note(f"{len(outcome.made)} made, {len(outcome.fill)} to decide, {len(outcome.left)} left behind")
    return PASS


def _print(title: str, rows: Sequence[object]) -> None:
    if rows:
        sys.stdout.write(f"{title}\n" + "".join(f"  {row}\n" for row in rows))
