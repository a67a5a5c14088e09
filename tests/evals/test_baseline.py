"""Baselines: written from whole runs alone, with a reason; read back row for row; broken ones told by their line."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from carerails.errors import CarerailsError, NotComparable, UsageError
from carerails.evals.baseline import accept, load_baseline, open_side
from carerails.evals.rows import Row
from carerails.evals.runs import Shard
from tests.evals.gate_kit import ENGINE, folder, own_rows, question, red_flag, right, row

FLAG, ASK = red_flag(), question()
GOOD = [right(FLAG), right(ASK)]


def bare(rows: list[Row]) -> list[Row]:
    return [found.model_copy(update={"text": "", "record": {}, "latency_us": None}) for found in rows]


@pytest.fixture
def first(tmp_path: Path) -> Path:
    accept(folder(tmp_path / "run", GOOD), tmp_path / "b.json", "the first")
    return tmp_path / "b.json"


def test_what_is_accepted_is_read_back_without_texts(first: Path):
    baseline = load_baseline(first)
    assert list(baseline.rows()) == bare(GOOD)
    assert (baseline.header.reason, baseline.header.replaces, baseline.header.lost) == ("the first", None, ())
    assert FLAG.text not in first.read_text(encoding="utf-8")
    assert list(open_side(first).rows()) == bare(GOOD)


def test_it_is_json_with_one_line_a_row(first: Path):
    text = first.read_text(encoding="utf-8")
    found = json.loads(text)
    assert [entry["id"] for entry in found["rows"]] == ["flag", "ask"]
    assert sum('"id"' in line for line in text.splitlines()) == 2
    assert found["run"]["engine"] == ENGINE.model_dump()


def test_accepting_the_same_run_again_changes_nothing(first: Path):
    before = first.read_bytes()
    run = first.with_name("run")
    assert accept(run, first, "again")[1] is False
    assert first.read_bytes() == before


def test_a_new_baseline_says_what_it_replaces(first: Path, tmp_path: Path):
    digest = load_baseline(first).digest
    run = folder(tmp_path / "new", [right(FLAG), row(ASK, "refuse")])
    header, changed = accept(run, first, "stricter on purpose")
    assert changed
    assert header.replaces
    assert (header.replaces.digest, header.replaces.fingerprint) == (digest, ENGINE.fingerprint)
    assert load_baseline(first).digest != digest
    assert not list(tmp_path.glob("*.new"))


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([row(FLAG, "urgent"), right(ASK)], "emergency -> urgent"),
        ([row(FLAG, "emergency", failed=True), right(ASK)], ""),
        ([right(ASK)], "emergency -> gone"),
        ([right(FLAG.model_copy(update={"severity": "urgent"})), right(ASK)], "emergency -> urgent"),
    ],
)
def test_emergencies_are_given_up_by_their_number_only(first: Path, tmp_path: Path, rows: list[Row], said: str):
    before = first.read_bytes()
    run = folder(tmp_path / "new", rows)
    for wrong in (0, 2):
        with pytest.raises(CarerailsError) as caught:
            accept(run, first, "less", give_up=wrong)
        assert said in str(caught.value)
    assert first.read_bytes() == before
    if said:
        header, _ = accept(run, first, "less", give_up=1)
        assert [(case.slice, case.id) for case in header.lost] == [("s", "flag")]
        assert load_baseline(first).header == header


@pytest.mark.parametrize("reason", ["", "  "])
def test_no_reason(tmp_path: Path, reason: str):
    with pytest.raises(UsageError, match="no reason"):
        accept(folder(tmp_path / "run", GOOD), tmp_path / "b.json", reason)


def test_a_shard_an_incomplete_run_and_failed_checks_are_refused(tmp_path: Path):
    target = tmp_path / "b.json"
    with pytest.raises(UsageError, match="is shard 1/2"):
        accept(folder(tmp_path / "shard", GOOD[:1], shard=Shard(number=1, of=2)), target, "r")
    with pytest.raises(UsageError, match="not complete"):
        accept(folder(tmp_path / "part", GOOD, repeat=2), target, "r")
    run = folder(tmp_path / "killed", GOOD)
    (run / "summary.json").unlink()
    with pytest.raises(UsageError, match="no complete run"):
        accept(run, target, "r")
    with pytest.raises(CarerailsError, match="1 checks failed") as caught:
        accept(folder(tmp_path / "failed", [right(FLAG), row(ASK, "refuse", failed=True)]), target, "r")
    assert not isinstance(caught.value, UsageError)  # exit 4, not 2
    assert not target.exists()


def test_the_baseline_of_another_engine_is_not_overwritten(first: Path, tmp_path: Path):
    other = ENGINE.model_copy(update={"name": "other"})
    with pytest.raises(UsageError, match="baseline of scripted, not of other"):
        accept(folder(tmp_path / "new", GOOD, engine=other), first, "r")


def broken(first: Path, old: str, new: str) -> tuple[str, int]:
    """What reading says when a piece of the file is another, and the line of that piece."""
    text = first.read_text(encoding="utf-8")
    assert text.count(old) == 1
    first.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        list(load_baseline(first).rows())
    return str(caught.value), text[: text.index(old)].count("\n") + 1


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"id":"flag"', '"id":"flag', "not a result"),
        ('"id":"flag"', '"ident":"flag"', "not a result: id"),
        ('"reason": "the first"', '"reason": "the first', "not JSON"),
        ('"reason": "the first"', '"reason": ""', "reason"),
        ('{"slice":"s","id":"ask"', '<<<<<<< HEAD\n{"slice":"s","id":"ask"', "a merge conflict"),
        (' "accepted"', '<<<<<<< HEAD\n "accepted"', "a merge conflict"),
        ('"id":"ask"', '"id":"flag"', "s/flag stands twice"),
    ],
)
def test_a_broken_baseline_is_told_by_its_line_and_never_by_its_text(first: Path, old: str, new: str, said: str):
    message, line = broken(first, old, new)
    assert said in message
    assert f"{first}:{line}: " in message
    assert "restore it from git" in message


def test_a_baseline_cut_short_or_with_a_line_taken_out(first: Path):
    lines = first.read_text(encoding="utf-8").splitlines(keepends=True)
    for rest, said in (
        (lines[:-2], "ends in the middle"),
        ([*lines[:-4], *lines[-3:]], "has 1 rows, and its run had 2"),
    ):
        first.write_text("".join(rest), encoding="utf-8")
        with pytest.raises(UsageError, match=said):
            list(load_baseline(first).rows())


def test_a_reformatted_file_and_no_file(first: Path):
    first.write_text(json.dumps(json.loads(first.read_text(encoding="utf-8"))), encoding="utf-8")
    with pytest.raises(UsageError, match="no formatter may touch it"):
        load_baseline(first)
    with pytest.raises(UsageError, match="eval accept"):
        load_baseline(first.with_name("none.json"))


def test_another_schema_is_not_comparable(first: Path):
    first.write_text(first.read_text(encoding="utf-8").replace('"schema": 1', '"schema": 9', 1), encoding="utf-8")
    with pytest.raises(NotComparable, match="schema 9"):
        load_baseline(first)


def test_3500_rows_are_read_in_well_under_a_third_of_a_second(tmp_path: Path):
    rows = [good.model_copy(update={"id": f"{n}-{good.id}"}) for n in range(2) for good, _ in own_rows()][:3500]
    accept(folder(tmp_path / "run", rows), tmp_path / "b.json", "r")
    begin = time.thread_time()
    assert sum(1 for _ in load_baseline(tmp_path / "b.json").rows()) == 3500
    assert time.thread_time() - begin < 0.3
