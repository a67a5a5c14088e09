"""`--semantic model` at the command line: it decides, says what is missing, and exits by what came of it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from carerails.engine import open_engine
from carerails.errors import UsageError
from carerails.resources import data_dir
from carerails.testing import StubLLM, says, stub_llm
from tests.judge.kit import by_word, verdict

__all__ = ["stub_llm"]

LINES = [
    {"id": "calm", "text": "there is some bloxane here by the window", "locale": "en"},
    {"id": "judged", "text": "tem um pouco de quelpar aqui perto da janela", "locale": "pt-BR"},
    {"id": "strong", "text": "me quiero matar esta noche", "locale": "es-419"},
]


def decide(env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("OPENAI_", "CARERAILS_MODEL"))}
    return subprocess.run(
        [sys.executable, "-m", "carerails", "decide", "--semantic", "model"],
        input="".join(json.dumps(line, ensure_ascii=False) + "\n" for line in LINES),
        env={**kept, **env},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_it_decides_and_a_failing_model_is_exit_4(stub_llm: StubLLM) -> None:
    stub_llm.script(by_word({"quelpar": verdict("overdose", physical=0.9)}))
    ended = decide(stub_llm.environment)
    found = [json.loads(line) for line in ended.stdout.splitlines()]
    assert [(one["decision"], one["severity"], one["failed"]) for one in found] == [
        ("allow", None, False),
        ("escalate", "emergency", False),
        ("escalate", "crisis", False),
    ]
    assert (ended.returncode, stub_llm.count) == (0, 2)
    stub_llm.script(says("safe"))
    ended = decide(stub_llm.environment)
    found = [json.loads(line) for line in ended.stdout.splitlines()]
    assert [(one["severity"], one["failed"]) for one in found] == [
        ("urgent", True),
        ("urgent", True),
        ("crisis", False),
    ]
    assert [one.get("failure", {}).get("seam") for one in found] == ["judge", "judge", None]
    assert ended.returncode == 4


def test_without_a_key_it_says_which_variable() -> None:
    ended = decide({"CARERAILS_MODEL": "m"})
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "OPENAI_API_KEY is not set" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_changed_rubric_without_a_new_lock_does_not_start(
    stub_llm: StubLLM, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in stub_llm.environment.items():
        monkeypatch.setenv(name, value)
    shutil.copytree(data_dir("config") / "judge", tmp_path / "judge")
    rubric = tmp_path / "judge" / "rubric.yml"
    rubric.write_text(rubric.read_text(encoding="utf-8").replace("may answer", "might answer", 1), encoding="utf-8")

    def elsewhere(_: str) -> Path:
        return tmp_path

    monkeypatch.setattr("carerails.judge.rubric.data_dir", elsewhere)
    with pytest.raises(UsageError, match="changed since it was locked") as raised:
        open_engine("native", judge="model")
    assert "carerails judge lock" in raised.value.mend
