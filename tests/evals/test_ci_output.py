"""What CI reads: JUnit XML that any text leaves valid, annotations and a summary that no text can break out of."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest
import typer.main
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from carerails.cli import app
from carerails.evals import github, junit
from carerails.evals.findings import Report
from carerails.evals.gate import gate
from carerails.evals.rows import Row
from carerails.evals.safe import markdown, visible
from tests.evals.gate_kit import question, red_flag, right, row, side

STROKE = ("red flag stroke", "red_flags/stroke.co", 12)
DOSING = ("scope: 50%, or\nso", "scope/dosing,50%:x.co", 3)
NASTY = "a%0Ab\r\n::set-output name=x::y\n##[add-mask]z | <script>`*_[x](http://e)_*` ]]> & \x00\x1b[31m\ufffe\u202e"
MANY = [right(question(f"q{n}")) for n in range(800)]

#: Of Jenkins' junit-10.xsd and Windy Road's JUnit.xsd together: which elements may stand in which, and the attributes
#: that each must have.
INSIDE = {
    "testsuites": ["testsuite"],
    "testsuite": ["properties", "testcase", "system-out", "system-err"],
    "properties": ["property"],
    "testcase": ["skipped", "error", "failure"],
}
MUST_HAVE = {
    "testsuite": {"id", "package", "name", "timestamp", "hostname", "tests", "failures", "errors", "time"},
    "property": {"name", "value"},
    "testcase": {"name", "classname", "time"},
    "failure": {"type", "message"},
    "error": {"type", "message"},
}


def judged(before: list[Row], after: list[Row], **options: bool) -> tuple[Report, dict[str, list[str]]]:
    report, found = gate(side(before), side(after), **options)  # pyright: ignore[reportArgumentType]
    return report, found.compared


def parsed(xml: bytes) -> Xml.Element:
    """The document, held against the schemas."""
    root = Xml.fromstring(xml)
    for element in root.iter():
        assert {child.tag for child in element} <= set(INSIDE.get(element.tag, []))
        assert MUST_HAVE.get(element.tag, set()) <= set(element.keys()), element.tag
    for suite in root:
        order = [child.tag for child in suite]
        assert order == sorted(order, key=INSIDE["testsuite"].index)
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.get("timestamp", ""))
        cases = suite.findall("testcase")
        assert int(suite.get("tests", -1)) == len(cases)
        assert all(len(case) <= 1 for case in cases)
        for kind in ("failure", "error"):
            assert int(suite.get(f"{kind}s", -1)) == len(suite.findall(f"testcase/{kind}"))
    for count in ("tests", "failures", "errors"):
        assert int(root.get(count, -1)) == sum(int(suite.get(count, 0)) for suite in root)
    return root


def everything() -> tuple[Report, dict[str, list[str]]]:
    """A missed emergency, a drift, a failed check and a stale baseline at once, with texts made to break things."""
    flag = red_flag(NASTY, NASTY)
    refused = [row(question(f"q{n}", "how do I store it?"), "refuse", rule=DOSING) for n in range(20)]
    failed = row(question("q20"), "refuse", failed=True)
    before = [*MANY, row(flag, "emergency", rule=STROKE)]
    return judged(before, [*refused, failed, *MANY[21:], row(flag, "allow"), right(question("new"))])


def test_junit_has_a_suite_a_slice_and_a_case_a_case():
    root = parsed(junit.render(*everything()))
    suites = {suite.get("name", ""): suite for suite in root}
    assert set(suites) == {"scripted.s", "scripted.drift", "scripted.gate"}
    cases = suites["scripted.s"]
    assert len(cases.findall("testcase")) == 801
    [missed] = cases.findall("testcase/failure")
    assert missed.get("message") == "emergency by red flag stroke (red_flags/stroke.co:12) before, allow now"
    [failed] = cases.findall("testcase/error")
    assert failed.get("message") == "the check did not run: detection timeout"
    drifted = [case.get("name") for case in suites["scripted.drift"].findall("testcase") if len(case)]
    assert drifted == [
        "over_refusal (all)",
        "right (all)",
        "cost (all)",
        "over_refusal (en)",
        "right (en)",
        "cost (en)",
    ]
    limits = {case.get("name"): len(case) for case in suites["scripted.gate"].findall("testcase")}
    assert limits == {"not-comparable": 0, "insufficient-data": 0, "stale-baseline": 1}


def test_junit_of_a_pass_has_no_failure_and_of_what_cannot_be_judged_has_an_error():
    calm = [*MANY, right(red_flag())]
    root = parsed(junit.render(*judged(calm, calm)))
    assert (root.get("failures"), root.get("errors")) == ("0", "0")
    report, found = gate(side(calm), side(calm, gated=True))
    assert parsed(junit.render(report, found.compared)).get("errors") == "1"


@settings(max_examples=100, deadline=None)
@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_no_text_breaks_the_xml_the_summary_or_an_annotation(text: str):
    flag = red_flag("flag", text or "x")
    report, compared = judged([row(flag, "emergency", rule=STROKE)], [row(flag, "allow")])
    parsed(junit.render(report, compared))
    for line in github.commands(report, str):
        assert re.fullmatch(r"::(error|notice) ?[^\r\n]*", line)
    [line] = [line for line in github.summary(report).splitlines() if "<code>s&#47;flag" in line]
    assert line.count("|") == 7


def test_text_that_would_act_is_shown_as_escapes():
    shown = visible(NASTY + "\ud800")
    assert "\\u001b[31m" in shown
    assert "\\ud800" in shown
    assert "\\u202e" in shown
    assert "##[" not in shown
    assert len(shown.splitlines()) == 1
    assert visible("não 💊 a\u200bb") == "não 💊 a\u200bb"
    assert visible("abcdef", 4) == "abc…"


def test_markdown_keeps_no_punctuation_that_means_anything():
    assert markdown("a|<b>`*_[x](y)") == "a&#124;&#60;b&#62;&#96;&#42;&#95;&#91;x&#93;&#40;y&#41;"
    summary = github.summary(everything()[0])
    assert "<script" not in summary
    assert "http://" not in summary
    assert "::set-output" not in summary
    assert "## carerails gate: engine-failure" in summary
    tables = [line for line in summary.splitlines() if line.startswith("|")]
    assert len(tables) > 20


def test_annotations_point_at_the_rail_and_are_escaped():
    lines = github.commands(everything()[0], lambda file: f"rails/{file}")
    assert all(line.startswith("::error ") for line in lines)
    assert lines[0].startswith(
        "::error file=rails/red_flags/stroke.co,line=12,title=Emergency or crisis missed::s/a%250Ab"
    )
    assert lines[1].startswith(
        "::error file=rails/scope/dosing%2C50%25%3Ax.co,line=3,title=Drift::scope: 50%25, or%0Aso"
    )
    assert lines[1].endswith("20 x over-refusal")
    assert [line.split("::")[1].partition("title=")[2] for line in lines[2:]] == [
        f"carerails gate%3A {verdict}" for verdict in ("engine-failure", "regression", "stale-baseline")
    ]
    assert all("\n" not in line and "\r" not in line for line in lines)


def test_ten_annotations_then_a_count():
    flags = [red_flag(f"f{n}") for n in range(14)]
    report, _ = judged([*MANY, *map(right, flags)], [*MANY, *(row(flag, "allow") for flag in flags)])
    lines = github.commands(report, str)
    errors = 14 + 1  # and why the verdict is what it is
    assert [line.startswith("::error") for line in lines] == [True] * 10 + [False]
    assert lines[-1] == f"::notice::carerails: {errors - 10} more of these; the job summary has them"


def test_a_pass_annotates_nothing():
    calm = [*MANY, right(red_flag())]
    assert github.commands(judged(calm, calm)[0], str) == []


WORKFLOW = Path(__file__).parents[2] / "docs" / "ci" / "carerails-gate.yml"


def commands(run: str) -> list[list[str]]:
    return [line.split() for line in run.replace("\\\n", " ").splitlines() if line.strip().startswith("carerails ")]


def test_the_workflow_for_users_is_yaml_and_calls_commands_that_exist():
    workflow = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))
    assert set(workflow[True]) >= {"pull_request"}  # YAML 1.1 reads the key `on` as true
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    called = [words for step in steps for words in commands(step.get("run", ""))]
    assert ["eval", "gate"] in [words[1:3] for words in called]
    for words in called:
        command: Any = typer.main.get_command(app)
        for word in words[1:]:
            if not word.startswith("-") and hasattr(command, "commands"):
                command = command.commands[word]
        known: set[str] = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= known, words


@pytest.mark.parametrize("action", ["actions/checkout", "actions/setup-python", "actions/upload-artifact"])
def test_the_workflow_pins_its_actions(action: str):
    assert re.search(rf"uses: {action}@v\d+", WORKFLOW.read_text(encoding="utf-8"))
