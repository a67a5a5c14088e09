"""`carerails decide` in this process: what is made ready before the first line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from carerails.cli.decide import run
from carerails.policy import Policy


@pytest.mark.parametrize(("count", "warmed"), [(3, 0), (400, 1)])
def test_regexes_are_compiled_before_a_long_file(
    tmp_path: Path, rails: Path, monkeypatch: pytest.MonkeyPatch, count: int, warmed: int
):
    calls: list[bool] = []

    def warm(_: Policy, *, whole: bool = False) -> None:
        calls.append(whole)

    monkeypatch.setattr(Policy, "warm", warm)
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text(
        "".join(json.dumps({"id": n, "text": "how do I store it?", "locale": "en"}) + "\n" for n in range(count))
    )
    assert run("native", str(source), str(target), rails, "off", 1, False) == 0
    assert len(target.read_text().splitlines()) == count
    assert calls == [False] * warmed
