"""The gate as JUnit XML: a testsuite a slice, a testcase a case; drifts, rules and the gate's limits have their own.

Valid against the schemas of Jenkins (xunit-plugin, junit-10.xsd) and of Ant (Windy Road's JUnit.xsd), but for the
counts on the root, which most readers want and the latter does not know.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree as Xml

from carerails.errors import UsageError
from carerails.evals.drift import ALPHA
from carerails.evals.findings import BrokenRule, FailedCheck, Finding, Report, figure, size
from carerails.evals.safe import quoted, visible


@dataclass(frozen=True)
class Case:
    """A testcase; `bad` is empty where it passes."""

    name: str
    bad: Literal["", "failure", "error"] = ""
    type: str = ""
    message: str = ""
    detail: str = ""


def write(report: Report, compared: Mapping[str, list[str]], path: Path) -> None:
    """Write the file.

    Raises:
        UsageError: it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(render(report, compared))
    except OSError as error:
        raise UsageError(error.strerror or "cannot be written", "choose another --junit", str(path)) from None


def render(report: Report, compared: Mapping[str, list[str]]) -> bytes:
    """The report as XML; `compared` names the cases that were compared, by slice."""
    suites = [*_slices(report, compared), ("drift", _drifts(report)), ("rules", _rules(report.rules))]
    suites.append(("gate", _limits(report.findings)))
    root = Xml.Element("testsuites", name="carerails gate")
    now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
    for number, (name, cases) in enumerate(suites):
        if cases:
            root.append(_suite(number, f"{report.after.engine.name}.{name}", cases, report, now))
    for count in ("tests", "failures", "errors"):
        root.set(count, str(sum(int(suite.get(count, "0")) for suite in root)))
    Xml.indent(root)
    return Xml.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def _slices(report: Report, compared: Mapping[str, list[str]]) -> Iterator[tuple[str, list[Case]]]:
    missed = {(one.slice, one.id): one for one in report.missed}
    failed = {(check.slice, check.id): check for check in report.failed}
    names = {piece: dict.fromkeys(idents) for piece, idents in compared.items()}
    for piece, ident in failed:
        names.setdefault(piece, {}).setdefault(ident)
    for piece, idents in names.items():
        cases: list[Case] = []
        for ident in idents:
            one, check = missed.get((piece, ident)), failed.get((piece, ident))
            if check:
                cases.append(_failed(ident, check))
            elif one:
                message = f"{one.was} before, {one.now} now"
                detail = f"{one.locale}, {one.category or '-'}, must be {one.gold}: {quoted(one.text)}"
                cases.append(Case(ident, "failure", "missed", message, detail))
            else:
                cases.append(Case(ident))
        yield piece, cases


def _failed(ident: str, check: FailedCheck) -> Case:
    return Case(ident, "error", "failed-check", f"the check did not run: {check}", quoted(check.text))


def _drifts(report: Report) -> list[Case]:
    return [
        Case(
            f"{drift.metric} ({drift.part})",
            "failure" if drift.way == "worse" else "",
            "drift",
            f"{drift.metric} ({drift.part}) {size(drift)}",
            f"{drift.worse} worse, {drift.better} better of {drift.pairs} pairs; corrected p {drift.p:.2g} <= {ALPHA}",
        )
        for drift in report.drifts
    ]


def _rules(rules: Iterable[BrokenRule]) -> list[Case]:
    return [
        Case(
            f"{rule.slice} ({rule.part}): {rule.metric} {rule.bound}",
            "failure",
            "rule",
            f"was {figure(rule.was)}, is {figure(rule.now)}, must be {rule.bound}",
        )
        for rule in rules
    ]


def _limits(findings: Iterable[Finding]) -> list[Case]:
    """Why a comparison is not to be trusted: it is an error, never a quiet pass."""
    words = ("not-comparable", "insufficient-data", "stale-baseline")
    by_word = {word: "; ".join(found.why for found in findings if found.verdict == word) for word in words}
    return [Case(word, "error" if why else "", word, why) for word, why in by_word.items()]


def _suite(number: int, name: str, cases: list[Case], report: Report, now: str) -> Xml.Element:
    counts = {f"{kind}s": str(sum(case.bad == kind for case in cases)) for kind in ("failure", "error")}
    suite = Xml.Element(
        "testsuite",
        {
            "id": str(number),
            "package": "carerails",
            "name": visible(name),
            "timestamp": now,
            "hostname": "localhost",
            "tests": str(len(cases)),
            **counts,
            "skipped": "0",
            "time": "0",
        },
    )
    told = {
        "baseline": report.before.where,
        "verdict": report.verdict,
        "fingerprint": report.after.engine.fingerprint,
    }
    properties = Xml.SubElement(suite, "properties")
    for key, value in told.items():
        Xml.SubElement(properties, "property", name=key, value=visible(value))
    for case in cases:
        entry = Xml.SubElement(suite, "testcase", classname=visible(name), name=visible(case.name), time="0")
        if case.bad:
            bad = Xml.SubElement(entry, case.bad, type=case.type, message=visible(case.message))
            bad.text = visible(case.detail)
    Xml.SubElement(suite, "system-out")
    Xml.SubElement(suite, "system-err")
    return suite
