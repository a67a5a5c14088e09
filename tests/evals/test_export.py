"""Exports: read back by the libraries whose formats they are, with the figures of the run's summary."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from carerails.errors import UsageError
from carerails.evals.export import Format, export
from carerails.evals.export import parquet as parquet_export
from carerails.evals.export.comma import cell
from carerails.evals.rows import Row
from carerails.evals.runs import RunFolder, Summary
from carerails.evals.stats import rate
from tests.cli.test_command_line import carerails

parquet: Any = pyarrow.parquet
TEXTS = (
    ("he has slurred speech", "escalate"),
    ('she said "double the dose",\nthen left', "refuse"),
    ("=HYPERLINK(1), so hopeless", "allow"),
    ("@cmd new rash", "allow"),
    ("how do I store it? ção ñ 😀", "allow"),
    ("bleeding a lot", "escalate"),
    ("nothing is known", None),
)


@pytest.fixture(scope="module")
def run(rails: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two slices, decided twice."""
    folder = tmp_path_factory.mktemp("export")
    for name in ("one", "two"):
        rows = [
            {"id": f"{name}-{number}", "text": text, "locale": "en", "expected": expected}
            for number, (text, expected) in enumerate(TEXTS[: None if name == "one" else 4])
        ]
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    data = [word for name in ("one", "two") for word in ("--data", folder / f"{name}.jsonl")]
    done = carerails("eval", "run", *data, "--rails", rails, "--repeat", "2", "--out", folder / "run")
    assert done.returncode == 0, done.stderr
    return folder / "run"


@pytest.fixture(scope="module")
def summary(run: Path) -> Summary:
    return RunFolder(run).read_summary()


def counted(rows: list[Mapping[str, Any]], name: str, metric: str) -> tuple[int, int]:
    mine = [row for row in rows if row["slice"] == name and row[f"{metric}_of"] not in (None, "")]
    return sum(int(row[f"{metric}_hits"]) for row in mine), sum(int(row[f"{metric}_of"]) for row in mine)


def same_figures(rows: list[Mapping[str, Any]], summary: Summary) -> None:
    assert len(rows) == summary.rows == 22
    wholes = [score for score in summary.scores if score.by == "all"]
    assert {score.slice for score in wholes} == {"one", "two"}
    for score in wholes:
        assert {"recall", "over_refusal", "refused", "right", "failed"} <= score.rates.keys()
        for metric, found in score.rates.items():
            assert rate(*counted(rows, score.slice, metric)) == found, metric


def test_csv_has_the_rows_and_the_figures(run: Path, summary: Summary, tmp_path: Path):
    assert export(run, "csv", tmp_path / "new" / "run.csv") == 22
    with (tmp_path / "new" / "run.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    same_figures(list(rows), summary)
    texts = {row["id"]: row["text"] for row in rows}
    assert texts["one-1"] == TEXTS[1][0]
    assert texts["one-4"] == TEXTS[4][0]
    first = rows[0]
    assert (first["outcome"], first["failed"], first["right"], first["matched_terms"], first["cost"]) == (
        "emergency",
        "false",
        "true",
        '["slurred speech"]',
        "0",
    )
    assert (first["file"], int(first["line"]) > 1) == ("red_flags/stroke.co", True)
    unlabelled = next(row for row in rows if row["id"] == "one-6")
    assert (unlabelled["right"], unlabelled["cost"], unlabelled["gold"]) == ("", "", "")


def test_no_cell_is_a_formula(run: Path, tmp_path: Path):
    export(run, "csv", tmp_path / "run.csv")
    with (tmp_path / "run.csv").open(encoding="utf-8", newline="") as file:
        cells = [text for row in csv.reader(file) for text in row]
    assert "'=HYPERLINK(1), so hopeless" in cells
    assert "'@cmd new rash" in cells
    assert not any(text.startswith(("=", "+", "-", "@", "\t", "\r")) for text in cells)


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＠"])
def test_an_apostrophe_stands_before_what_a_spreadsheet_would_run(sign: str):
    assert cell(f"{sign}1+1") == f"'{sign}1+1"


@pytest.mark.parametrize(
    ("value", "field"), [(-3, -3), (1.5, 1.5), (None, None), (True, "true"), ("a=1", "a=1"), ([], None)]
)
def test_numbers_and_plain_texts_stay(value: object, field: object):
    assert cell(value) == field


def test_parquet_is_typed_and_has_the_figures(
    run: Path, summary: Summary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(parquet_export, "GROUP", 5)
    assert export(run, "parquet", tmp_path / "run.parquet") == 22
    file = parquet.ParquetFile(tmp_path / "run.parquet")
    assert file.num_row_groups == 5
    types = {field.name: str(field.type) for field in file.schema_arrow}
    assert {name: types[name] for name in ("text", "failed", "right", "cost", "line", "latency_us", "recall_of")} == {
        "text": "string",
        "failed": "bool",
        "right": "bool",
        "cost": "int64",
        "line": "int64",
        "latency_us": "double",
        "recall_of": "int64",
    }
    rows: list[Mapping[str, Any]] = file.read().to_pylist()
    same_figures(rows, summary)
    kept = list(RunFolder(run).rows())
    assert [row["text"] for row in rows] == [row.text for row in kept]  # as it was said: no spreadsheet reads this
    assert [json.loads(row["record"]) for row in rows] == [row.record for row in kept]
    assert rows[0]["matched_terms"] == ["slurred speech"]
    assert json.loads(file.schema_arrow.metadata[b"carerails.run"])["engine"]["name"] == "native"


@pytest.mark.parametrize("name", ["run.eval", "run.json"])
def test_inspect_reads_its_log_and_finds_the_figures(run: Path, summary: Summary, tmp_path: Path, name: str):
    from inspect_ai.log import read_eval_log

    assert export(run, "inspect", tmp_path / name) == 22
    log = read_eval_log(str(tmp_path / name))
    assert (log.status, log.eval.model, log.eval.config.epochs) == ("success", "carerails/native", 2)
    assert log.eval.metadata is not None
    assert log.eval.metadata["engine"]["fingerprint"] == summary.run.engine.fingerprint
    assert log.results is not None
    assert (log.results.total_samples, log.results.completed_samples) == (22, 22)
    told = {score.name: {key: value.value for key, value in score.metrics.items()} for score in log.results.scores}
    for score in summary.scores:
        if score.by == "all":
            assert told["cost"][score.slice] == pytest.approx(score.cost.mean)
            for metric, found in score.rates.items():
                assert told[metric].get(score.slice) == found.value
    assert log.samples is not None
    rows = {(f"{row.slice}/{row.id}", row.repeat + 1): row for row in RunFolder(run).rows()}
    assert {(sample.id, sample.epoch) for sample in log.samples} == rows.keys()
    for sample in log.samples:
        row = rows[str(sample.id), sample.epoch]
        assert (sample.input, sample.target, sample.output.completion) == (row.text, row.gold, row.say())
        assert sample.scores is not None
        values = {metric: value.value for metric, value in sample.scores.items()}
        assert {key: value for key, value in values.items() if key != "cost"} == {
            metric: hits / of for metric, (hits, of) in row.metrics.items()
        }
        assert values.get("cost") == row.cost
        assert sample.metadata["hash"] == row.hash
        assert sample.error is None


def test_inspect_lists_its_samples_without_reading_them_all(run: Path, tmp_path: Path):
    from inspect_ai.log import read_eval_log_sample, read_eval_log_sample_summaries

    export(run, "inspect", tmp_path / "run.eval")
    listed = read_eval_log_sample_summaries(str(tmp_path / "run.eval"))  # what the viewer's list is made of
    assert len(listed) == 22
    one = read_eval_log_sample(str(tmp_path / "run.eval"), id="one/one-0", epoch=1)
    assert one.scores is not None
    assert "(red_flags/stroke.co:" in str(one.scores["recall"].explanation)


def with_a_failure(run: Path, folder: Path) -> Path:
    """The run again, with a check that failed in it."""
    source = RunFolder(run)
    rows = list(source.rows())
    failed = rows[0].model_copy(
        update={
            "failed": True,
            "outcome": "urgent",
            "metrics": {**rows[0].metrics, "failed": (1, 1), "recall": (0, 1), "right": (0, 1)},
            "record": {**rows[0].record, "failure": {"seam": "detection", "kind": "timeout"}},
        }
    )
    folder.mkdir()
    (folder / "results.jsonl").write_text("".join(row.to_line() for row in (failed, *rows[1:])), encoding="utf-8")
    told = source.read_summary().model_copy(update={"failed": 1})
    (folder / "summary.json").write_text(told.model_dump_json(by_alias=True), encoding="utf-8")
    return folder


def test_a_failed_check_is_an_error_in_every_format(run: Path, tmp_path: Path):
    from inspect_ai.log import read_eval_log

    failed = with_a_failure(run, tmp_path / "failed")
    for to, name in (("csv", "a.csv"), ("parquet", "a.parquet"), ("inspect", "a.eval")):
        export(failed, to, tmp_path / name)  # pyright: ignore[reportArgumentType]
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        first = next(csv.DictReader(file))
    assert (first["failed"], first["right"], first["recall_hits"]) == ("true", "false", "0")
    assert parquet.read_table(tmp_path / "a.parquet")["failed"].to_pylist() == [True] + [False] * 21
    log = read_eval_log(str(tmp_path / "a.eval"))
    assert log.status == "error"
    assert log.error is not None
    assert log.error.message == "1 checks failed"
    assert log.samples is not None
    [errored] = [sample for sample in log.samples if sample.error]
    assert errored.id == "one/one-0"
    assert errored.error is not None
    assert errored.error.message == "the check failed: detection timeout"


@pytest.mark.parametrize(
    ("to", "package", "name", "extra"),
    [("parquet", "pyarrow", "a.parquet", "parquet"), ("inspect", "inspect_ai.log", "a.eval", "inspect")],
)
def test_without_the_extra_the_mend_is_its_pip_command(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, to: Format, package: str, name: str, extra: str
):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(UsageError) as told:
        export(run, to, tmp_path / name)
    assert told.value.mend == f"pip install 'carerails[{extra}]'"
    assert list(tmp_path.iterdir()) == []


def test_a_broken_run_leaves_what_was_there(run: Path, tmp_path: Path):
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "summary.json").write_bytes((run / "summary.json").read_bytes())
    lines = (run / "results.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    out = tmp_path / "a.csv"
    out.write_text("before", encoding="utf-8")
    (folder / "results.jsonl").write_text("".join(lines[:-1]), encoding="utf-8")
    with pytest.raises(UsageError, match="21 rows, but its summary counts 22"):
        export(folder, "csv", out)
    (folder / "results.jsonl").write_text("".join(lines[:-1]) + '{"slice": 1}\n', encoding="utf-8")
    with pytest.raises(UsageError, match=r"results\.jsonl:22: not a result"):
        export(folder, "csv", out)
    assert out.read_text(encoding="utf-8") == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "run"]


@pytest.mark.parametrize(
    ("args", "what"),
    [
        (("--to", "csv", "--out", "a.txt"), "not a name for csv (end it in .csv)"),
        (("--to", "excel", "--out", "a.xls"), "'excel' is not one of 'csv', 'parquet', 'inspect'"),
        (("--to", "csv", "--out", "a.csv"), "no complete run is there"),
    ],
)
def test_wrong_use_is_exit_2(tmp_path: Path, args: tuple[str, ...], what: str):
    done = carerails("eval", "export", tmp_path, *args)
    assert done.returncode == 2
    assert what in " ".join(done.stderr.replace("│", "").split())
    assert "Traceback" not in done.stderr


def test_the_command_says_what_it_wrote(run: Path, tmp_path: Path):
    done = carerails("eval", "export", run, "--to", "csv", "--out", tmp_path / "a.csv")
    assert (done.returncode, done.stdout) == (0, "")
    assert f"{tmp_path / 'a.csv'}: 22 rows" in done.stderr


def test_a_conversation_is_exported_by_what_its_row_says(tmp_path: Path, run: Path):
    """Rows of the agent have counts over steps, and a record of replies."""
    row = Row(
        slice="talks",
        id="t1",
        hash="0",
        engine="native",
        locale="en",
        text="a / b",
        outcome="answer, refusal",
        metrics={"reply_right": (1, 2)},
        record={"replies": []},
    )
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "results.jsonl").write_text(row.to_line(), encoding="utf-8")
    told = RunFolder(run).read_summary().model_copy(update={"rows": 1, "scores": ()})
    (folder / "summary.json").write_text(told.model_dump_json(by_alias=True), encoding="utf-8")
    export(folder, "parquet", tmp_path / "a.parquet")
    [found] = parquet.read_table(tmp_path / "a.parquet").to_pylist()
    assert (found["reply_right_hits"], found["reply_right_of"], found["matched_terms"]) == (1, 2, [])
