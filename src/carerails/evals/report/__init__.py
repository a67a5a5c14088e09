"""Runs as one HTML page that needs no network: verdict, figures, matrices, and every case with its decisions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from carerails.errors import UsageError
from carerails.evals.comparison import Comparison
from carerails.evals.report.cases import LISTED
from carerails.evals.report.sources import Subject, of_comparison, of_runs

__all__ = ["LISTED", "build", "write_comparison", "write_runs"]


def write_comparison(comparison: Comparison, results: Path, out: Path) -> None:
    """Write the page of `carerails compare`; `results` has the rows of all its engines.

    Raises:
        UsageError: the page cannot be written.
    """
    _write(build(of_comparison(comparison, results)), out)


def write_runs(runs: Sequence[Path], out: Path, listed: int = LISTED) -> Subject:
    """Write the page of one run, or of several side by side; `listed` is how many cases it holds at most.

    Returns:
        What the page is about.

    Raises:
        UsageError: a folder is no run, or the page cannot be written.
        NotComparable: the runs are not of the same cases.
    """
    subject = of_runs(runs)
    _write(build(subject, listed), out)
    return subject


def build(subject: Subject, listed: int = LISTED) -> str:
    """The page as text. The rows are gone through twice; only those that are listed are kept."""
    from carerails.evals.report.cases import MARKS, SHARED, Sheet, Survey
    from carerails.evals.report.figures import METRICS, figures
    from carerails.evals.report.links import listing
    from carerails.evals.report.matrices import apart, confusions, crossings
    from carerails.evals.report.page import render

    survey = Survey(subject.rows(), len(subject.runs))
    chosen = survey.choose(listed)
    sheet = Sheet(subject.rows(), survey, chosen)
    several = len(subject.runs) > 1
    data = {
        **sheet.as_json(),
        "labels": [run.label for run in subject.runs],
        "bits": {"marks": MARKS, "shared": SHARED},
        "flips": subject.before_after,
        "left": len(survey.gold) - len(chosen),
    }
    return render(
        data,
        subject=subject,
        figures=figures(subject),
        confusions=confusions(subject, survey),
        apart=apart(subject, survey) if several else None,
        crossings=crossings(subject, survey) if several else [],
        shared={name: survey.with_shared(name) for name in SHARED},
        total=len(survey.gold),
        listed=len(chosen),
        listing=listing,
        spoils={metric.name: metric.bad for metric in METRICS},
    )


def _write(page: str, out: Path) -> None:
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(page, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(error.strerror or "cannot be written", "name another --out", str(out)) from None
