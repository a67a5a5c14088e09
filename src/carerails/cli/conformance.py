"""`carerails conformance`: whether an engine does what it must to be used here."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

from carerails.cli.console import note, progress
from carerails.cli.options import PASS, REGRESSION
from carerails.contracts import RuleEngine
from carerails.errors import CarerailsError
from carerails.testing.suite import CHECKS, Result, Subject, examine


def run(name: str, rails: Path | None, as_json: bool) -> int:
    """Run every check, print; exit 1 where one fails. An engine that does not start is an error of its own."""
    subject = Subject.of(name, rails)
    try:
        version = _started(subject, name).version
        results = list(progress(examine(subject), name, sum(map(len, CHECKS.values()))))
    finally:
        subject.close()
    if as_json:
        checks = [result._asdict() | {"seconds": round(result.seconds, 3)} for result in results]
        json.dump({"engine": name, "version": version, "checks": checks}, sys.stdout, ensure_ascii=False, indent=1)
        sys.stdout.write("\n")
    else:
        _show(results)
    counts = Counter(result.result for result in results)
    note(f"{name} {version}: " + ", ".join(f"{count} {result}" for result, count in counts.items()))
    return REGRESSION if counts["fail"] else PASS


def _started(subject: Subject, name: str) -> RuleEngine:
    try:
        return subject.engine
    except CarerailsError:
        raise
    except Exception as error:
        raise CarerailsError(f"engine {name!r} does not start: {type(error).__name__}: {error}") from None


def _show(results: list[Result]) -> None:
    widths = [max(len(str(result[column])) for result in results) for column in range(3)]
    for result in results:
        words = "  ".join(f"{result[column]:<{width}}" for column, width in enumerate(widths))
        sys.stdout.write(f"{words}  {result.seconds:6.2f} s  {result.why}".rstrip() + "\n")
