"""The table of all engines: each measured alone in its own process; who cannot run says why; a stub is called one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from carerails.cli import engine_table
from carerails.errors import NotComparable, UsageError
from carerails.evals.engine_table import HEAD, STAR, Table, markdown, measure_apart, rows
from carerails.evals.measuring import Measured, peak_memory_mb
from carerails.evals.stats import rate
from carerails.evals.tally import Cost, Latency, Score


def measured(name: str, **more: Any) -> Measured:
    score = Score(
        engine=name,
        slice="escalation",
        part="all",
        cases=10,
        failed=1,
        rates={"recall": rate(3, 4), "right": rate(5, 8), "unsupported": rate(2, 8)},
        cost=Cost(mean=0, low=0, high=0),
        latency_us=Latency(p50=1_500.0, p95=9_000.0),
    )
    fields: dict[str, Any] = {
        "engine": name, "version": "7", "policy": "p", "load_s": 0.5, "start_s": 2.0, "memory_mb": 120.0, "rules": 56,
        "unsupported": {"red flag stroke": "it counts"}, "lacks": ("check-in",), "evidence": True, "scores": (score,),
    }  # fmt: skip
    return Measured(**(fields | more))


def test_a_row_says_what_was_measured():
    (row,) = rows(Table([measured("iorails")], {}))
    assert dict(zip(HEAD, row, strict=True)) == {
        "engine": "iorails", "version": "7", "recall": "75.0", "false alarms": "-", "refused": "-", "over-refusal": "-",
        "right": "62.5", "unsupported": "25.0", "failed": "1", "p50 ms": "1.5", "p95 ms": "9.0", "load s": "0.5",
        "start s": "2.0", "memory MB": "120", "rules": "55 of 56",
    }  # fmt: skip


def test_a_model_that_a_stub_stands_in_for_is_marked_and_the_page_says_so():
    asked = [("llm", "stub+words"), ("prompt", "stub"), ("iorails", "7"), ("iorails", "7+stub"), ("native", "1")]
    table = Table([measured(name, version=version) for name, version in asked], {})
    assert [row[0] for row in rows(table)] == ["llm *", "prompt *", "iorails", "iorails *", "native"]
    assert "- **iorails \\***: no check-in" in markdown(table)
    assert STAR in markdown(table)
    assert STAR not in markdown(Table([measured("llm", version="gpt-9+words")], {}))


def test_the_page_says_what_is_lacking_and_who_could_not_run():
    page = markdown(Table([measured("iorails")], {"llm-guard": "it is missing"}))
    assert "- **iorails**: no check-in; 1 rule: it counts" in page
    assert "- llm-guard: it is missing" in page


def test_an_engine_is_measured_in_its_own_process(tmp_path: Path):
    (found,) = [measure_apart("native", ["over-refusal"], {})]
    assert isinstance(found, Measured)
    assert found.memory_mb > 20
    assert found.scores[0].cases > 100
    assert found.scores[0].latency_us.p50


@pytest.mark.parametrize("name", ["nativ", "llm"])
def test_an_engine_that_cannot_run_says_why(name: str):
    why = measure_apart(name, ["over-refusal"], {"OPENAI_API_KEY": ""})
    assert isinstance(why, str)
    assert ("did you mean 'native'" in why) or ("OPENAI_API_KEY is not set" in why)


def test_a_process_that_dies_is_one_line(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    assert measure_apart("native", [], {}) == "its process ended with 1 and said nothing"


def test_memory_is_that_of_children_too():
    grow = "x = bytearray(200_000_000); print('grown', flush=True); input()"
    before = peak_memory_mb()
    command = [sys.executable, "-c", grow]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout
        child.stdout.readline()
        assert peak_memory_mb() > before + 150
        child.kill()


def test_the_shell_gets_json(tmp_path: Path):
    page = tmp_path / "engines.md"
    command = [sys.executable, "-m", "carerails", "engines", "table", "--engines", "native,llm", "--json"]
    command += ["--slices", "over-refusal", "--out", str(page)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, env={**os.environ, "OPENAI_API_KEY": ""}
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert [one["engine"] for one in said["engines"]] == ["native"]
    assert list(said["left_out"]) == ["llm"]
    assert "| native |" in page.read_text(encoding="utf-8")


def test_rails_that_change_meanwhile_are_not_compared(monkeypatch: pytest.MonkeyPatch):
    policies = iter("pq")
    monkeypatch.setattr(engine_table, "measure_apart", lambda name, *_: measured(name, policy=next(policies)))  # pyright: ignore
    with pytest.raises(NotComparable, match="rails changed"):
        engine_table.run(["native", "nemo"], [], None, False, None, True)


@pytest.mark.parametrize(("engines", "slices"), [(["nativ"], []), (["native"], ["scop"])])
def test_a_wrong_name_is_wrong_usage_and_no_empty_table(engines: list[str], slices: list[str]):
    with pytest.raises(UsageError, match="did you mean"):
        engine_table.run(engines, slices, None, False, None, False)
