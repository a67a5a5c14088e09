"""Each place that falls out of step is found, with its file and line."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from carerails.errors import UsageError
from carerails.posture.check import Places, check
from tests.cli.test_command_line import carerails


def edited(path: Path, old: str, new: str) -> int:
    """Replace it once; the line where it stood."""
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, (path, old)
    path.write_text(text.replace(old, new), encoding="utf-8")
    return text[: text.index(old)].count("\n") + 1


@pytest.fixture
def copy(places: Places, tmp_path: Path) -> Places:
    """Config and told files that may be edited."""
    shutil.copytree(places.config, tmp_path / "config", ignore=shutil.ignore_patterns("kb"))
    told: list[Path] = []
    for path in places.told:
        told.append(tmp_path / path.name)
        shutil.copy(path, told[-1])
    return replace(places, config=tmp_path / "config", told=tuple(told))


TOLD = [
    ("advises on doses: more, less", "advises on doses: more", "is not what"),
    ("7. claims clinical validation.", "7. claims clinical validation.\n8. sleeps.", "more than"),
    ("The agent that uses it never", "The agent never", "does not say"),
]


@pytest.mark.parametrize("place", [0, 1], ids=["docstring", "README"])
@pytest.mark.parametrize(("old", "new", "what"), TOLD, ids=["reworded", "one more", "gone"])
def test_a_place_that_tells_other_points(copy: Places, place: int, old: str, new: str, what: str):
    line = edited(copy.told[place], old, new)
    line = {"is not what": line, "more than": line + 1, "does not say": 1}[what]
    (finding,) = check(copy)
    assert (finding.file, finding.line) == (copy.told[place].name, line)
    assert what in finding.what
    assert finding.mend


CONFIG = [
    ("posture.yml", "rules: [scope diagnosis]", "rules: [scope diagnoses]", "unknown rule 'scope diagnoses'"),
    ("posture.yml", "templates: [out-of-scope-dosing]", "templates: [default]", "leads to out-of-scope-dosing"),
    ("posture.yml", "scope/scope-en-013,", "scope/scope-en-9,", "no case 'scope-en-9'"),
    (
        "posture.yml",
        "[scope/scope-en-036, scope/scope-es-036,",
        "[scope/scope-en-036, scope/scope-en-001,",
        "no case in",
    ),
    ("posture.yml", "[review/review-en-021,", "[revue/review-en-021,", "no slice 'revue'"),
    ("categories.yml", "  stroke:", "  strokes:", "no rule has category 'strokes'"),
    ("deferred.yml", "pairs told over months", "pairs told over years", "does not leave that out"),
    ("deferred.yml", "  red flag stroke:", "  red flag strokes:", "unknown rule 'red flag strokes'"),
]


@pytest.mark.parametrize(("file", "old", "new", "what"), CONFIG, ids=[row[3] for row in CONFIG])
def test_config_that_names_what_is_not_there(copy: Places, file: str, old: str, new: str, what: str):
    line = edited(copy.config / file, old, new)
    found = {(finding.file, what in finding.what) for finding in check(copy)}
    assert (file, True) in found
    if file != "deferred.yml" or what.startswith("unknown"):
        lines = [finding.line for finding in check(copy) if finding.file == file and what in finding.what]
        assert abs(lines[0] - line) <= 1


def test_rails_that_moved_on(copy: Places, tmp_path: Path):
    """A new category has no words yet, and a docstring leaves out something else."""
    rails = tmp_path / "rails"
    shutil.copytree(copy.rails, rails)
    line = edited(rails / "red_flags" / "seizure.co", 'category="seizure"', 'category="fit"')
    edited(rails / "red_flags" / "withdrawal.co", "restlessness or insomnia alone", "restlessness alone")
    found = {(finding.file, finding.line, finding.what) for finding in check(replace(copy, rails=rails))}
    assert ("red_flags/seizure.co", line + 1, "category 'fit' has no words") in found
    assert any(file == "categories.yml" and "'seizure'" in what for file, _, what in found)
    assert any(file == "deferred.yml" and "'red flag withdrawal'" in what for file, _, what in found)
    assert len(found) == 3


@pytest.mark.parametrize("file", ["categories.yml", "deferred.yml"])
def test_a_locale_that_is_missing_is_an_error_with_its_line(copy: Places, file: str):
    path = copy.config / file
    old = "stroke:\n    en:" if file == "categories.yml" else "stroke:\n    rails:"
    text = path.read_text(encoding="utf-8")
    start = text.index(old)
    gone = text.index("    pt-BR:", start)
    path.write_text(text[:gone] + text[text.index("\n", gone) + 1 :], encoding="utf-8")
    with pytest.raises(UsageError, match="pt-BR") as error:
        check(copy)
    named = int(error.value.where.rpartition(":")[2])
    assert abs(named - (text[:start].count("\n") + 1)) <= 1


def test_the_command_says_where_and_exits_1(copy: Places):
    done = carerails("posture", "check", "--readme", copy.told[1])
    assert (done.returncode, done.stdout) == (0, "")
    line = edited(copy.told[1], "rules in or out a condition", "rules out a condition")
    done = carerails("posture", "check", "--readme", copy.told[1], "--json")
    assert done.returncode == 1
    assert [(row["file"], row["line"]) for row in json.loads(done.stdout)] == [("README.md", line)]
    done = carerails("posture", "check", "--readme", copy.told[1].with_name("nowhere.md"))
    assert done.returncode == 2
    assert "--readme" in done.stderr
