"""docs/writing-an-engine.md: its engine installs, conforms and is compared, as the page says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.testing.page import PAGE, block, environment, install

pytestmark = pytest.mark.usefixtures("installed")


@pytest.fixture(scope="module", name="installed")
def _installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(tmp_path_factory.mktemp("site"))


def carerails(site: Path, *args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "carerails", *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=environment(site))


def test_it_is_a_complete_engine_in_under_sixty_lines():
    assert len(block("python", "class BayesEngine").splitlines()) < 60


def test_it_conforms_and_the_page_shows_what_is_printed(installed: Path):
    done = carerails(installed, "conformance", "bayes")
    assert done.returncode == 0, done.stdout
    shown = PAGE.read_text(encoding="utf-8").partition("$ carerails conformance bayes\n")[2].partition("```")[0]
    said = [line.split()[:4] for line in done.stdout.splitlines()]  # all but the seconds
    assert [line.split()[:4] for line in shown.splitlines()] == said


def test_it_stands_beside_ours_in_a_comparison(installed: Path, tmp_path: Path):
    data = tmp_path / "turns.jsonl"
    data.write_text(
        '{"id": 1, "text": "i want to kill myself tonight", "locale": "en", "expected": "escalate"}\n', "utf-8"
    )
    done = carerails(installed, "compare", "--engines", "bayes,native", "--data", str(data), "--json")
    assert done.returncode == 0, done.stderr
    assert [engine["name"] for engine in json.loads(done.stdout)["engines"]] == ["bayes", "native"]


def test_the_line_for_pytest_makes_a_test_of_every_check(installed: Path, tmp_path: Path):
    (tmp_path / "test_bayes.py").write_text(block("python", "test_it_conforms ="), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "state or determinism", "."]
    run = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False, env=environment(installed)
    )
    assert "2 passed, 18 deselected" in run.stdout, run.stdout + run.stderr
