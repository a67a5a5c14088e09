"""The rubric fits the rails, says everything in three locales, and does not start when it was changed unlocked."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from carerails.errors import UsageError
from carerails.judge import load_rubric, lock_rubric
from carerails.judge.prompt import system_message
from carerails.policy import Policy
from carerails.resources import data_dir


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A copy of the rubric and its lock that may be changed."""
    shutil.copytree(data_dir("config") / "judge", tmp_path / "judge")
    return tmp_path


def change(config: Path, old: str, new: str) -> None:
    path = config / "judge" / "rubric.yml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_categories_outcomes_and_reasons_are_those_of_the_rails() -> None:
    rules = Policy.load(data_dir("rails")).rules.values()
    rubric = load_rubric().rubric
    told = {
        (name, outcome)
        for danger in rubric.danger.values()
        for name, category in danger.categories.items()
        for outcome in category.outcomes
    }
    assert told == {(r.meta.category, r.meta.outcome) for r in rules if r.meta.outcome != "refuse"}
    # One's own identifiers have shapes: no judge is needed for them, and it never sees one.
    reasons = {r.meta.category for r in rules if r.meta.outcome == "refuse"} - {"own-identifiers"}
    assert set(rubric.scope.reasons) == reasons


def test_no_example_is_one_of_the_rails() -> None:
    """They would be judged by what they were written from."""
    ours = {example.text.lower() for example in Policy.load(data_dir("rails")).examples}
    said = re.findall(r'^  "(.+)"$', system_message(load_rubric().rubric), re.MULTILINE)
    assert len(said) == 3 * (len(load_rubric().rubric.danger_of) + len(load_rubric().rubric.scope.reasons))
    assert not {one.lower() for one in said} & ours


def test_a_changed_rubric_does_not_start_until_it_is_locked(config: Path) -> None:
    before = load_rubric(config).digest
    change(config, "Text for or by clinicians", "Texts for or by clinicians")
    with pytest.raises(UsageError, match="changed since it was locked") as raised:
        load_rubric(config)
    assert "carerails judge lock" in raised.value.mend
    lock, digest, is_new = lock_rubric(config)
    assert (lock.name, is_new, digest != before) == ("rubric.lock", True, True)
    assert load_rubric(config).digest == digest
    assert lock_rubric(config)[2] is False


def drop_lock(config: Path) -> None:
    (config / "judge" / "rubric.lock").unlink()


def spoil_lock(config: Path) -> None:
    (config / "judge" / "rubric.lock").write_text("sha256:abc\n")


@pytest.mark.parametrize(("harm", "what"), [(drop_lock, "no lock"), (spoil_lock, "is no lock")])
def test_without_a_lock_it_does_not_start(config: Path, harm: Callable[[Path], None], what: str) -> None:
    harm(config)
    with pytest.raises(UsageError, match=what) as raised:
        load_rubric(config)
    assert "carerails judge lock" in raised.value.mend


def test_line_ends_of_a_checkout_are_no_change(config: Path) -> None:
    path = config / "judge" / "rubric.yml"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert load_rubric(config).digest == load_rubric().digest


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("  suicide:", "  Suicide:", "danger"),
        ("leaves_out:", "leave_out:", "unknown key 'leave_out'"),
        ("crisis: Somebody else wants", "crises: Somebody else wants", "unknown key 'crises'"),
        ("          pt-BR: se eu dormisse", "          pt-PT: se eu dormisse", "examples"),
        ("      self-harm:", "      violence:", "category 'violence' is told twice"),
        ("    dosing:", "    physical:", "score 'physical' is told twice"),
    ],
)
def test_a_rubric_that_does_not_fit_says_where(config: Path, old: str, new: str, what: str) -> None:
    change(config, old, new)
    with pytest.raises(UsageError, match=re.escape(what)) as raised:
        lock_rubric(config)
    assert "rubric.yml" in raised.value.where


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "carerails", "judge", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_command_that_the_error_names_renews_the_lock(config: Path) -> None:
    change(config, "Text for or by clinicians", "Texts for or by clinicians")
    stale = run("prompt", "--config", str(config))
    assert (stale.returncode, stale.stdout) == (2, "")
    assert "carerails judge lock" in stale.stderr
    assert "Traceback" not in stale.stderr
    assert run("lock", "--config", str(config)).returncode == 0
    told = run("prompt", "--config", str(config))
    assert told.returncode == 0
    assert "Texts for or by clinicians" in told.stdout
