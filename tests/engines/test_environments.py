"""Environments of their own: locked with hashes, complete or not there, and used only while their lock holds."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from carerails import environments
from carerails.engines import describe, installed, load_engine
from carerails.errors import CarerailsError, UsageError
from carerails.resources import data_dir
from carerails_process import ProcessEngine

POINT = EntryPoint("native", "carerails_native:NativeEngine", "carerails.engines")


@pytest.fixture
def lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A lock of engine `clashing`, which somebody may overwrite."""
    monkeypatch.setenv("CARERAILS_ENGINES", str(tmp_path / "home"))
    path = tmp_path / "engines-clashing.txt"
    path.write_text("", encoding="utf-8")
    monkeypatch.setattr(environments, "locks", lambda: {"clashing": path})
    return path


def pretend(lock: Path, target: Path) -> Path:
    """An environment as `install` leaves it, whose Python is this one."""
    python = target / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    (target / "complete").write_text(environments._digest(lock))  # pyright: ignore[reportPrivateUsage]
    return python


LOCKS = sorted(path.name for path in data_dir("requirements").glob("*.txt"))


@pytest.mark.parametrize("name", LOCKS)
def test_every_pin_of_a_lock_has_hashes_and_no_registry_is_named(name: str):
    text = (data_dir("requirements") / name).read_text(encoding="utf-8")
    assert "://" not in text
    entries = text.replace(" \\\n", " ").splitlines()
    assert [line for line in entries if line.startswith("#")] == re.findall(r"\A# Python 3\.\d+ to 3\.\d+$", text, re.M)
    for line in entries:
        if not line.startswith("#"):
            assert re.fullmatch(r"[\w.-]+(\[[\w,-]+\])?==[\w.+!]+( ; [^;\\]+?)?(\s+--hash=sha256:[0-9a-f]{64})+", line)


def test_what_is_locked_apart():
    assert environments.locks().keys() == {"guardrails-ai", "llm-guard", "llm-guard+weights"}


def test_only_the_scanners_with_weights_take_a_framework():
    small, large = (
        re.findall(r"^([\w.-]+)==", environments.locks()[name].read_text(encoding="utf-8"), re.MULTILINE)
        for name in ("llm-guard", "llm-guard+weights")
    )
    assert set(small) < set(large)
    assert {"torch", "transformers"} <= set(large) - set(small)


def test_a_name_without_a_lock_is_unknown(lock: Path):
    with pytest.raises(UsageError, match="did you mean 'clashing'"):
        environments.install("clashng", POINT)


def test_a_lock_for_other_pythons_says_which(lock: Path):
    lock.write_text("# Python 3.6 to 3.7\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"are for Python 3\.6 to 3\.7, and .* is 3\..*clashing --python python3\.7"):
        environments.install("clashing", POINT)
    with pytest.raises(UsageError, match="no-such-python cannot be run"):
        environments.install("clashing", POINT, "no-such-python")


def test_what_pip_refuses_is_said_and_leaves_no_environment(lock: Path):
    lock.write_text("colorama==0.4.6\n", encoding="utf-8")
    with pytest.raises(CarerailsError, match=r"[Hh]ash"):
        environments.install("clashing", POINT)
    assert environments.python_of("clashing") is None


def test_an_environment_counts_only_while_its_lock_holds(lock: Path):
    assert environments.python_of("clashing") is None
    python = pretend(lock, environments.home() / "clashing")
    assert environments.python_of("clashing") == python
    lock.write_text("# changed\n", encoding="utf-8")
    assert environments.python_of("clashing") is None


def test_an_environment_may_be_made_from_any_lock_of_its_engine(lock: Path, monkeypatch: pytest.MonkeyPatch):
    more = lock.with_name("engines-clashing+more.txt")
    more.write_text("# more\n", encoding="utf-8")
    monkeypatch.setattr(environments, "locks", lambda: {"clashing": lock, "clashing+more": more})
    python = pretend(more, environments.home() / "clashing")
    assert environments.python_of("clashing") == python
    assert environments.engine_of("clashing+more") == "clashing"


def test_an_engine_that_cannot_be_imported_here_runs_in_its_environment(
    lock: Path, rails: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    class Clashing(EntryPoint):
        def load(self) -> object:
            raise ImportError("no module named clashing", name="clashing")

    points = installed() | {"clashing": Clashing("clashing", "carerails_native:NativeEngine", "carerails.engines")}
    monkeypatch.setattr("carerails.engines.installed", lambda: points)
    with pytest.raises(UsageError, match=r"clashing is missing.*carerails engines install clashing"):
        load_engine("clashing", rails)
    lock.write_text("# Python 3.6 to 3.7\n", encoding="utf-8")
    info = describe("clashing")
    assert not info.available
    assert re.fullmatch(
        r"engine .* its packages are for Python 3\.6 to 3\.7, and this is 3\.\d+ \(.*3\.7\)", info.why_not
    )
    pretend(lock, environments.home() / "clashing")
    engine = load_engine("clashing", rails)
    assert isinstance(engine, ProcessEngine)
    assert (engine.name, engine.version) == ("clashing", load_engine("native").version)


def test_data_are_found_through_a_link(tmp_path: Path):
    """As in an engine's environment: carerails is a link there, and its data are beside what it links to."""
    import carerails
    import carerails_native

    for package in (carerails, carerails_native):
        (tmp_path / package.__name__).symlink_to(Path(str(package.__file__)).parent)
    code = "from carerails.resources import data_dir; print(data_dir('rails'))"
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {code}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout.strip() == str(data_dir("rails"))


def test_by_default_only_engines_of_the_whole_policy_are_compared():
    assert {name for name in ("native", "nemo", "iorails") if describe(name).usual} == {"native", "nemo"}
    assert not describe("nemo-config").usual
