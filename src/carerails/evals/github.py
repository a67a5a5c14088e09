"""The gate on GitHub: annotations at the rails' lines, and a job summary in Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from carerails.errors import UsageError
from carerails.evals.diff import Decided, Flip
from carerails.evals.findings import Report, figure, size
from carerails.evals.safe import markdown, quoted, visible

#: GitHub shows so many errors of a step; what is left is counted.
MOST = 10
#: Flips in the summary's tables; a summary may take 1 MiB.
ROWS = 100
#: Where a file of the rails is in the checkout.
Place = Callable[[str], str]


def commands(report: Report, place: Place) -> list[str]:
    """Workflow commands: one `::error` each for what fails the gate, at most `MOST` of them, then a count."""
    found = list(_errors(report, place))
    left = len(found) - MOST
    return found[:MOST] + ([f"::notice::carerails: {left} more of these; the job summary has them"] if left > 0 else [])


def error(message: str, title: str, file: str | None = None, line: int | None = None) -> str:
    """An `::error` command; no text can end it, or begin another."""
    places = {"file": file, "line": str(line) if file and line else None, "title": title}
    properties = ",".join(f"{key}={_property(value)}" for key, value in places.items() if value)
    return f"::error {properties}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _errors(report: Report, place: Place) -> Iterator[str]:
    for one in report.missed:
        message = (
            f"{one.slice}/{one.id} ({one.locale}, {one.category or '-'}): {one.was.said} before, "
            f"{one.now.said} now. {one.was.rule or 'No rule'} caught it. {quoted(one.text)}"
        )
        yield _at(one.was, visible(message), "Emergency or crisis missed", place)
    for decided, kind, count in report.blamed() if report.drifted or report.rules else ():
        yield _at(decided, f"{decided.rule}: {count} x {kind}", "Drift", place)
    for verdict in dict.fromkeys(finding.verdict for finding in report.findings if report.exit_code):
        why = "; ".join(finding.why for finding in report.findings if finding.verdict == verdict)
        yield error(visible(why), f"carerails gate: {verdict}")


def _at(decided: Decided, message: str, title: str, place: Place) -> str:
    return error(message, title, place(decided.file) if decided.file else None, decided.line)


def append_summary(report: Report, path: Path) -> None:
    """Add the summary to the job's file.

    Raises:
        UsageError: it cannot be written.
    """
    try:
        with path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(summary(report))
    except OSError as error:
        raise UsageError(error.strerror or "cannot be written", "check GITHUB_STEP_SUMMARY", str(path)) from None


def summary(report: Report) -> str:
    """The report in Markdown. Texts of cases are character references: they cannot become links, tags or tables."""
    return "\n".join(_summary(report)) + "\n"


def _summary(report: Report) -> Iterator[str]:
    engine, counts = report.after.engine, report.graded()
    yield f"## carerails gate: {report.verdict}"
    yield ""
    yield (
        f"{markdown(engine.name)} {markdown(engine.version)} against {_code(report.before.where)}"
        + (f" ({markdown(report.before.about)})" if report.before.about else "")
    )
    yield ""
    yield (
        f"{report.pairs:,} cases compared, {report.must_escalate:,} of them must escalate; "
        f"{counts['safer']} safer, {counts['worse']} worse, {counts['other']} other."
    )
    yield ""
    yield from (f"- **{finding.verdict}**: {markdown(finding.why)}" for finding in report.findings)
    yield from (f"- {markdown(note)}" for note in report.notes)
    yield from _flips("Missed now", report.missed)
    shown = [drift for drift in report.drifts if drift.way or (drift.part == "all" and drift.worse + drift.better)]
    if shown:
        yield from _table("Drift", ("metric", "part", "difference, 95 %", "worse", "better", "pairs", "p", ""))
    for drift in shown:
        yield _line(
            markdown(drift.metric),
            markdown(drift.part),
            size(drift),
            str(drift.worse),
            str(drift.better),
            str(drift.pairs),
            f"{drift.p:.2g}",
            drift.way,
        )
    if report.rules:
        yield from _table("Rules of slices that held", ("slice", "part", "metric", "was", "is", "must be"))
    for rule in report.rules:
        names = map(markdown, (rule.slice, rule.part, rule.metric))
        yield _line(*names, figure(rule.was), figure(rule.now), markdown(rule.bound))
    if report.failed:
        yield from ("", f"### Failed checks: {len(report.failed)}", "")
        yield from (f"- {_code(f'{c.slice}/{c.id}')} {markdown(str(c))} {_code(c.text)}" for c in report.failed[:MOST])
    yield from _flips("Worse", [one for one in report.flips if one.grade == "worse" and one.kind != "missed"])
    yield from _flips("Safer", [one for one in report.flips if one.grade == "safer"])


def _flips(title: str, flips: Sequence[Flip]) -> Iterator[str]:
    if not flips:
        return
    yield from _table(f"{title}: {len(flips)}", ("case", "locale", "", "before", "now", "text"))
    for one in flips[:ROWS]:
        place, text = _code(f"{one.slice}/{one.id}"), _code(one.text)
        yield _line(place, markdown(one.locale), one.kind, markdown(str(one.was)), markdown(str(one.now)), text)
    if len(flips) > ROWS:
        yield from ("", f"and {len(flips) - ROWS} more")


def _table(title: str, columns: Sequence[str]) -> Iterator[str]:
    yield from ("", f"### {title}", "", _line(*columns), _line(*("---" for _ in columns)))


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _code(text: str) -> str:
    return f"<code>{markdown(text, 200)}</code>" if text else ""
