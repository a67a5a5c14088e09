"""What a page holds: every count is of all rows, spans are the browser's, and no text can leave its place."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from carerails.errors import NotComparable, UsageError
from carerails.evals.report import LISTED, write_runs
from carerails.evals.report.cases import MARKS, Survey, gold_outcome, spans_of
from carerails.evals.report.matrices import apart, confusions, crossings
from carerails.evals.report.sources import of_runs
from carerails.evals.runs import RunFolder
from tests.cli.test_command_line import carerails
from tests.report.conftest import EVIL, a_row, make_run


def data_of(page: Path) -> dict[str, Any]:
    [found] = re.findall(r'<script type="application/json" id="data">(.*)</script>', page.read_text(encoding="utf-8"))
    return json.loads(found)


@pytest.mark.parametrize(
    ("gold", "outcome"),
    [
        ("escalate crisis", "crisis"),
        ("escalate", "escalate"),
        ("refuse out-of-scope-dosing", "refuse"),
        ("check-in", "check-in"),
        ("not-escalate", "not-escalate"),
        ("", "unlabelled"),
        ("answer > escalation emergency-medical", "answer > escalation"),
    ],
)
def test_gold_labels_as_outcomes(gold: str, outcome: str):
    assert gold_outcome(gold) == outcome


@pytest.mark.parametrize(
    ("text", "spans", "terms", "marked"),
    [
        ("he has slurred speech", [[0, 7, 21]], ["slurred speech"], ["slurred speech"]),
        ("😀😀 slurred speech", [[0, 3, 17]], ["slurred speech"], ["slurred speech"]),  # each emoji is two units
        ("hi / it hurts / it hurts", [[2, 0, 8]], ["it hurts"], ["it hurts"]),  # of the last message
        ("one two three", [[0, 0, 7], [0, 4, 13]], ["one two", "two three"], ["one two three"]),  # overlap
        ("other words", [[1, 0, 4]], ["gone"], []),
    ],
)
def test_spans_count_as_the_browser_does(text: str, spans: list[list[int]], terms: list[str], marked: list[str]):
    row = a_row("a", text=text, record={"spans": spans, "matched_terms": terms})
    units = text.encode("utf-16-le")
    flat = spans_of(row)
    pairs = zip(flat[::2], flat[1::2], strict=True)
    assert [units[2 * start : 2 * end].decode("utf-16-le") for start, end in pairs] == marked


def test_a_term_of_a_later_message_is_marked_there():
    row = a_row("a", text="it hurts / it hurts", record={"spans": [[1, 0, 8]], "matched_terms": ["it hurts"]})
    assert spans_of(row) == [11, 19]


def test_figures_and_matrices_count_what_the_rows_say(runs: tuple[Path, Path]):
    survey = Survey(of_runs(runs).rows(), 2)
    for number, run in enumerate(runs):
        rows = list(RunFolder(run).rows())
        for (gold, decided), count in survey.confusion(number).items():
            assert count == sum((gold_outcome(row.gold), row.outcome) == (gold, decided) for row in rows)
        assert sum(survey.confusion(number).values()) == len(rows)
        missed = sum(bool(bits & MARKS["missed"]) for bits in survey.runs[number].marks)
        assert missed == sum(row.missed for row in rows)
    assert survey.crossing(0, 1) == {("allow", "crisis"): 2}
    assert (survey.with_shared("differs"), survey.with_shared("worse"), survey.with_shared("better")) == (2, 1, 1)


def test_three_runs_are_set_against_each_other(tmp_path: Path):
    said = {"one": ("allow", "allow"), "two": ("allow", "refuse"), "three": ("urgent", "refuse")}
    folders = [
        make_run(tmp_path / name, [a_row("a", a, engine=name), a_row("b", b, engine=name)])
        for name, (a, b) in said.items()
    ]
    subject = of_runs(folders)
    survey = Survey(subject.rows(), 3)
    matrix = apart(subject, survey)
    assert matrix.columns == ("one", "two", "three")
    assert [[cell.count for cell in cells] for _, cells in matrix.rows] == [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    assert matrix.rows[0][1][2].link == "#pair=one~three"
    assert [found.title for found in crossings(subject, survey)] == ["one and two", "one and three", "two and three"]


@pytest.mark.parametrize(
    ("gold", "decided", "tone"),
    [
        ("crisis", "crisis", "hit"),
        ("crisis", "emergency", "near"),
        ("escalate", "emergency", "hit"),
        ("escalate", "urgent", "miss"),
        ("emergency", "failed", "miss"),
        ("allow", "failed", "miss"),  # a failure is never a pass
        ("allow", "crisis", "alarm"),
        ("allow", "refuse", "off"),
        ("unlabelled", "crisis", ""),
        ("answer > escalation", "answer > answer", "miss"),
        ("answer > answer", "answer > escalation", "alarm"),
        ("answer > refusal", "answer > answer", "off"),
    ],
)
def test_cells_are_tinted_by_what_they_mean(tmp_path: Path, gold: str, decided: str, tone: str):
    label = gold if gold in ("allow", "escalate") or ">" in gold else f"escalate {gold}"
    rows = [a_row("a", decided, failed=decided == "failed", gold="" if gold == "unlabelled" else label)]
    subject = of_runs([make_run(tmp_path / "run", rows)])
    [matrix] = confusions(subject, Survey(subject.rows(), 1))
    assert [(name, [cell.tone for cell in cells]) for name, cells in matrix.rows] == [(gold, [tone])]


def test_beyond_the_limit_what_went_wrong_comes_first(tmp_path: Path):
    rows = [a_row(f"r{number}", right=number not in (40, 90)) for number in range(100)]
    out = tmp_path / "page.html"
    write_runs([make_run(tmp_path / "run", rows)], out, listed=5)
    data = data_of(out)
    assert data["cases"]["id"] == ["r0", "r1", "r2", "r40", "r90"]
    assert data["left"] == 95
    page = out.read_text(encoding="utf-8")
    assert "lists 5 of 100 cases" in page
    assert "98 of 100" in page  # figures are of all rows


def test_a_failed_check_is_no_pass(tmp_path: Path):
    rows = [a_row("a"), a_row("b", "urgent", right=False, failed=True, metrics={"right": (0, 1), "failed": (1, 1)})]
    out = tmp_path / "page.html"
    write_runs([make_run(tmp_path / "run", rows)], out)
    page = out.read_text(encoding="utf-8")
    assert "1 checks failed" in page
    assert "conditions hold" not in page


@pytest.mark.parametrize("summary", [True, False])
def test_an_incomplete_run_says_so_first(tmp_path: Path, summary: bool):
    run = make_run(tmp_path / "run", [a_row("a"), a_row("b")], cases=5)
    if not summary:  # killed: no summary, and a last line that was cut short
        (run / "summary.json").unlink()
        with (run / "results.jsonl").open("a", encoding="utf-8") as file:
            file.write('{"slice":"s","id":"c"')
    out = tmp_path / "page.html"
    write_runs([run], out)
    page = out.read_text(encoding="utf-8")
    assert page.index("<b>Incomplete:</b>") < page.index('id="figures-title"')
    assert "has 2 of 5 rows" in page
    assert data_of(out)["cases"]["id"] == ["a", "b"]


def test_repeats_that_decide_otherwise_are_kept(tmp_path: Path):
    rows = [a_row("a"), a_row("a", "urgent", right=False, repeat=1), a_row("a", repeat=2)]
    out = tmp_path / "page.html"
    write_runs([make_run(tmp_path / "run", rows)], out)
    assert data_of(out)["more"] == [{"0": {"repeats": ["urgent"]}}]


def test_runs_of_other_cases_are_not_set_side_by_side(tmp_path: Path, runs: tuple[Path, Path]):
    other = make_run(tmp_path / "run", [a_row("a", slice="mine")])
    with pytest.raises(NotComparable, match="has other cases of mine"):
        of_runs([runs[0], other])
    with pytest.raises(UsageError, match="named twice"):
        of_runs([runs[0], runs[0]])
    with pytest.raises(UsageError, match="no complete run"):
        of_runs([tmp_path / "nothing"])


def test_a_slice_that_one_run_lacks_is_told(tmp_path: Path):
    one = make_run(tmp_path / "one", [a_row("a")])
    two = make_run(tmp_path / "two", [a_row("a"), a_row("b", slice="more")])
    out = tmp_path / "page.html"
    done = carerails("eval", "report", one, two, "--out", out)
    assert done.returncode == 0
    assert "more: none of its cases in native one\n" in done.stderr
    assert "none of them in native one." in out.read_text(encoding="utf-8")
    assert "none of them in native two" not in out.read_text(encoding="utf-8")


def test_no_text_can_leave_its_place(page_of_two: Path):
    page = page_of_two.read_text(encoding="utf-8")
    assert EVIL in data_of(page_of_two)["cases"]["text"]
    assert page.count("<script") == page.count("</script>") == 2
    assert "<img" not in page
    assert "\u2028" not in page
    assert 'src="' not in page


def test_twenty_thousand_cases_are_a_kilobyte_each_at_most(big_page: Path):
    assert len(data_of(big_page)["cases"]["id"]) == LISTED == 20_000
    assert big_page.stat().st_size < 1000 * LISTED


def test_the_command(runs: tuple[Path, Path], tmp_path: Path):
    out = tmp_path / "new" / "page.html"
    done = carerails("eval", "report", *runs, "--out", out)
    assert (done.returncode, done.stdout) == (0, "")
    assert str(out) in done.stderr
    assert data_of(out)["labels"] == ["native before", "native after"]
    assert carerails("eval", "report", tmp_path / "none", "--out", out).returncode == 2
