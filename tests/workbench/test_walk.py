"""docs/new-red-flag.md to the letter: its files are written and its commands run, beside a copy of small rails."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from carerails.resources import data_dir
from tests.lint import pack
from tests.workbench.test_differences import git

PAGE = (Path(__file__).parents[2] / "docs" / "new-red-flag.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
STEP = re.compile(r"^\*\*(\d+)\. ", re.MULTILINE)


def test_there_are_fewer_than_ten_steps_in_order() -> None:
    steps = [int(number) for number in STEP.findall(PAGE)]
    assert steps == list(range(1, len(steps) + 1))
    assert len(steps) < 10


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
def test_a_newcomer_gets_there(tmp_path: Path) -> None:
    pack.write(tmp_path / "rails")
    (tmp_path / "config" / "profiles").mkdir(parents=True)
    for name in ("numbers.yml", "profiles/default.yml", "categories.yml", "deferred.yml"):
        shutil.copy(data_dir("config") / name, tmp_path / "config" / name)
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "before")
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    env = {**os.environ, "PATH": path, "CARERAILS_CACHE": "off", "PYTEST_ADDOPTS": "-p no:cacheprovider"}
    ran = 0
    for kind, about, body in BLOCK.findall(PAGE):
        if kind == "sh":
            for line in body.splitlines():
                done = subprocess.run(
                    shlex.split(line), cwd=tmp_path, env=env, capture_output=True, encoding="utf-8", check=False
                )
                ran += 1
                expected = 1 if about == "fails" else 0
                assert done.returncode == expected, f"{line}\n{done.stdout}{done.stderr}"
        else:
            file = tmp_path / about
            before = file.read_text(encoding="utf-8")  # the first step has begun it
            file.write_text(WRITES[kind](before, body), encoding="utf-8")
    assert ran == 7


def added(before: str, body: str) -> str:
    return before + body


def written(before: str, body: str) -> str:
    return body


def filled(before: str, entry: str) -> str:
    """A file of words with the entry in place of the one of that key."""
    key = entry.partition("\n")[0]
    begun = re.compile(rf"^{re.escape(key)}\n(?:    .*TO DO:.*\n|    rails: .*\n)+", re.MULTILINE)
    assert len(begun.findall(before)) == 1
    return begun.sub(lambda _: entry, before)


#: How a block of the page gets into its file.
WRITES = {"jsonl": added, "colang": written, "yaml": filled}
