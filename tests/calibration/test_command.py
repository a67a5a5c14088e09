"""The command from rows to a profile that deployments load, over a judge that is a real endpoint."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from carerails.calibration.plan import Opinion, Plan, plan
from carerails.calibration.points import CAUGHT, Scored
from carerails.calibration.profile import NEVER, points_of
from carerails.cli.calibrate import Asked, run
from carerails.config import load_settings
from carerails.contracts import LOCALES
from carerails.errors import UsageError
from carerails.testing import Recorded, Scripted, StubLLM, answers, status, stub_llm
from tests.judge.kit import verdict

__all__ = ["stub_llm"]

WORDS = {"en": "number {} of the blue ones", "es-419": "el número {} de los azules", "pt-BR": "o número {} dos azuis"}


def judged(request: Recorded) -> Scripted:
    """Numbers from 500 on are a crisis, with scores from .50 to 1; the others have scores below .35."""
    (said,) = json.loads(request.messages[1]["content"])["messages"]
    number = next(int(word) for word in said.split() if word.isdigit())
    score = number / 1000 if number >= 500 else number / 1000 * 0.7
    return answers(verdict("none", suicide=score))


def write(path: Path, crises: Iterable[int], calm: Iterable[int]) -> Path:
    numbered = [(n, {"expected": "escalate", "severity": "crisis"}) for n in crises]
    numbered += [(n, {"expected": "allow"}) for n in calm]
    rows = [
        {"id": f"{locale}-{n}", "text": WORDS[locale].format(n), "locale": locale, **label}
        for n, label in numbered
        for locale in LOCALES
    ]
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def asked(data: Path, **more: Any) -> Asked:
    said: dict[str, Any] = {
        "data": [data],
        "out": data.with_name("mine.yml"),
        "target": 0.9,
        "most_alarms": 0.1,
        "judge": "model",
        "only": ["suicide:crisis"],
        "profile": "default",
        "engine": "native",
        "rails": None,
        "allow_failures": False,
        "as_json": True,
    }
    return Asked(**{**said, **more})


@pytest.fixture
def endpoint(stub_llm: StubLLM, monkeypatch: pytest.MonkeyPatch) -> StubLLM:
    """A model that judges by number, named by the environment, with no local judge beneath it."""
    stub_llm.script(judged)
    for name, value in stub_llm.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("carerails.semantic.is_installed", lambda: False)
    return stub_llm


def test_it_writes_a_profile_that_loads_and_a_picture(
    endpoint: StubLLM, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = write(tmp_path / "rows.jsonl", range(500, 1000, 24), range(0, 500, 24))
    assert run(asked(data)) == 0
    assert endpoint.count == 3 * 42
    summary = json.loads(capsys.readouterr().out)
    pooled = next(one for one in summary["points"] if one["locale"] is None)
    assert pooled["held_out"]["recall"]["of"] == 63
    assert pooled["held_out"]["false_alarms"]["hits"] == 0
    assert 0.5 <= pooled["point"] < 0.6
    path = tmp_path / "mine.yml"
    written = load_settings(profile=str(path)).profile
    assert written.judge.points["model"]["suicide"]["crisis"] == pooled["point"]
    default = load_settings().profile
    assert written.judge.points["local"] == default.judge.points["local"]
    assert written.model_copy(update={"judge": default.judge}) == default
    assert "# data: rows, 126 rows, " in path.read_text(encoding="utf-8")
    assert ET.parse(tmp_path / "mine.svg").getroot().tag.endswith("svg")


def test_the_environment_may_name_the_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mine.yml"
    path.write_text("deadline_s: 1.5\n", encoding="utf-8")
    monkeypatch.setenv("CARERAILS_PROFILE", str(path))
    assert load_settings().profile.deadline_s == 1.5
    assert load_settings(profile="default").profile.deadline_s == 2.0
    monkeypatch.setenv("CARERAILS_PROFILE", str(tmp_path / "none.yml"))
    with pytest.raises(UsageError, match=r"none\.yml"):
        load_settings()


def test_too_few_rows_write_nothing_and_say_how_many_more(
    endpoint: StubLLM, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = write(tmp_path / "rows.jsonl", range(900, 905), range(5))
    assert run(asked(data)) == 3
    out = capsys.readouterr()
    assert [one["more_rows"] for one in json.loads(out.out)["lacking"]] == [20]
    assert "at least 20 more" in out.err
    assert not list(tmp_path.glob("mine.*"))


def test_a_judge_that_fails_is_no_calibration(endpoint: StubLLM, tmp_path: Path) -> None:
    endpoint.script(status(500))
    data = write(tmp_path / "rows.jsonl", range(900, 905), range(5))
    assert run(asked(data)) == 4
    assert run(asked(data, allow_failures=True)) == 3  # failed rows are no rows
    assert not list(tmp_path.glob("mine.*"))


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"out": Path("mine.json")}, "no profile"),
        ({"data": []}, "no data"),
        ({"only": ["suicid"]}, "did you mean 'suicide'"),
        ({"only": ["suicide:emergency"]}, "unknown outcome"),
        ({"judge": "modell"}, "did you mean 'model'"),
        ({"profile": "defualt"}, "did you mean 'default'"),
    ],
)
def test_what_cannot_be_asked(tmp_path: Path, change: dict[str, Any], what: str) -> None:
    with pytest.raises(UsageError, match=what):
        run(replace(asked(write(tmp_path / "rows.jsonl", range(900, 905), range(5))), **change))


def test_rows_that_say_nothing_are_not_calibrated_on(endpoint: StubLLM, tmp_path: Path) -> None:
    data = write(tmp_path / "rows.jsonl", [], range(5))
    with pytest.raises(UsageError, match="no row says"):
        run(asked(data, only=[]))


def rows(locale: Any, positives: list[float], negatives: list[float]) -> list[Scored]:
    labelled = [(score, True) for score in positives] + [(score, False) for score in negatives]
    return [Scored(score, so, locale, f"{locale}-{n}") for n, (score, so) in enumerate(labelled)]


def made(*parts: list[Scored]) -> Plan:
    return plan({Opinion("suicide", "crisis"): [row for part in parts for row in part]}, 0.9, None)


EN_HIGHER = {"en": 0.8, "es-419": 0.6, "pt-BR": 0.6}


@pytest.mark.parametrize(
    ("plan_", "points"),
    [
        (made(rows("en", [0.8] * 100, [0.1])), [0.8]),
        (made(rows("en", [0.8] * 100, [0.1]), rows("pt-BR", [0.6] * 100, [0.1])), [EN_HIGHER]),
        (made(rows("en", [0.8] * 100, [0.1]), rows("pt-BR", [0.6] * 10, [0.1])), [EN_HIGHER]),
        (made(rows("en", [CAUGHT] * 100, [0.1])), []),
        (made(rows("en", [CAUGHT] * 900, [0.1]), rows("es-419", [0.7] * 60, [0.1])),
         [{"en": NEVER, "es-419": 0.7, "pt-BR": NEVER}]),
    ],
)  # fmt: skip
def test_points_are_by_locale_where_its_rows_support_one(plan_: Plan, points: list[Any]) -> None:
    assert list(points_of(plan_).values()) == points


def test_at_the_command_line(tmp_path: Path) -> None:
    data = write(tmp_path / "rows.jsonl", range(900, 905), range(5))
    command = [sys.executable, "-m", "carerails", "calibrate", "--data", str(data), "--out", str(tmp_path / "p.yml")]
    ended = subprocess.run([*command, "--judge", "nobody"], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "Traceback" not in ended.stderr
