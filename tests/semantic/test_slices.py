"""The slices of the judge: parallel in three locales, skipped without one, decided alike on both engines with one."""

from __future__ import annotations

import asyncio
import json
import random
from pathlib import Path
from typing import Any

import pytest

from carerails.cli.decide import run as decide
from carerails.cli.runs import load_pieces
from carerails.contracts import LOCALES
from carerails.engine import open_engine
from carerails.evals.cases import Case, judged_slice_names, load_slice, slice_names
from carerails.evals.fuzz import fuzz_turns
from carerails.policy import Policy
from carerails.resources import data_dir
from carerails.semantic import is_installed
from carerails.text import as_read

PIECES = [load_slice(name) for name in judged_slice_names()]
CASES: list[Case] = [case for piece in PIECES for case in piece.cases]


def test_there_are_enough_of_them_and_every_group_is_in_every_locale():
    assert len(CASES) >= 300
    groups: dict[str | None, list[str]] = {}
    for case in CASES:
        groups.setdefault(case.group, []).append(case.locale)
    assert all(sorted(locales) == sorted(LOCALES) for locales in groups.values())
    assert len({case.id for case in CASES}) == len(CASES)


def test_none_of_them_is_an_example():
    known = {as_read(example.text) for example in Policy.load(data_dir("rails")).examples}
    assert [case.id for case in CASES if as_read(case.text) in known] == []


def test_without_a_judge_they_are_skipped_and_that_is_said(capsys: pytest.CaptureFixture[str]):
    names = {piece.name for piece in load_pieces([], [])}
    assert names == set(slice_names())
    err = capsys.readouterr().err
    assert all(name in err for name in judged_slice_names())
    assert {piece.name for piece in load_pieces([], [], "local")} == names | set(judged_slice_names())


@pytest.mark.skipif(not is_installed(), reason="the extra is not installed")
def test_several_processes_decide_as_one_does(tmp_path: Path):
    source = tmp_path / "in.jsonl"
    source.write_text(
        "".join(json.dumps({"id": c.id, "text": c.text}) + "\n" for c in CASES if c.id.startswith("ind-00")),
        encoding="utf-8",
    )
    records: list[list[Any]] = []
    for workers in (1, 2):
        target = tmp_path / f"out-{workers}.jsonl"
        assert decide("native", str(source), str(target), None, "local", workers, False) == 0
        rows = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
        records.append([{key: value for key, value in row.items() if key != "latency_us"} for row in rows])
    assert records[0] == records[1]
    assert any("judged" in (row["rule"] or "") for row in records[0])


@pytest.mark.skipif(not is_installed(), reason="the extra is not installed")
def test_both_engines_decide_alike_with_the_judge():
    texts = [case.text for case in CASES]
    turns = [case.turn() for case in random.Random(5).sample(CASES, 60)] + list(fuzz_turns(texts, 60, seed=9))

    async def differing() -> list[int]:
        async with open_engine("native", judge="local") as native, open_engine("nemo", judge="local") as nemo:
            pairs = [(await native.check(turn), await nemo.check(turn)) for turn in turns]
        return [n for n, (one, other) in enumerate(pairs) if one != other.model_copy(update={"engine": one.engine})]

    assert asyncio.run(differing()) == []
