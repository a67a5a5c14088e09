"""Two states of the rails: what flips, in whose name, in which direction; directories and git revisions."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from carerails.errors import UsageError
from carerails.evals.cases import Case
from carerails.workbench.differences import compare_rails
from carerails.workbench.revisions import rails_of
from tests.lint import pack

CASES = [
    Case(id="en", text="chest pain now", locale="en", expected="escalate", severity="emergency"),
    Case(id="es", text="dolor de pecho", locale="es-419", expected="escalate", severity="emergency"),
    Case(id="pt", text="dor no peito", locale="pt-BR", expected="escalate", severity="emergency"),
    Case(id="joke", text="pain in the chest of drawers", locale="en", expected="allow"),
    Case(id="same", text="when do I take it", locale="en", expected="allow"),
    Case(id="unlabelled", text="chest pain, who knows", locale="en"),
]
ITEMS = [("mine", case) for case in CASES]


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pack.write(tmp_path_factory.mktemp("before") / "rails")


@pytest.fixture(scope="module")
def after(before: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Without one pattern in English, so that an emergency is missed and a false alarm is gone."""
    root = tmp_path_factory.mktemp("after") / "rails"
    shutil.copytree(before, root)
    chest = pack.CHEST.replace('"\\\\bchest pain\\\\b"', '"\\\\bpecho\\\\b"')
    chest = chest.replace("pain in (?:my|the) chest", "pain in my chest")
    (root / "red_flags/chest.co").write_text(chest, encoding="utf-8")
    return root


def test_flips_are_graded_by_the_gold_label_and_grouped_by_rule(before: Path, after: Path) -> None:
    found = compare_rails(before, after, ITEMS)
    assert found.texts == len(CASES)
    assert {(one.id, one.grade, one.kind) for one in found.flips} == {
        ("en", "worse", "missed"),
        ("joke", "safer", "false alarm gone"),
        ("unlabelled", "other", "other"),
    }
    ((rule, flips),) = found.by_rule()
    assert rule == "red flag chest pain"
    assert [one.grade for one in flips] == ["worse", "safer", "other"]


def test_the_other_way_round_it_is_the_other_way_round(before: Path, after: Path) -> None:
    found = compare_rails(after, before, ITEMS)
    assert {(one.id, one.grade) for one in found.flips} == {("en", "safer"), ("joke", "worse"), ("unlabelled", "other")}


def test_nothing_flips_between_the_same(before: Path) -> None:
    assert compare_rails(before, before, ITEMS).flips == ()


def test_data_counts_locales(before: Path, after: Path) -> None:
    (rule,) = json.loads(json.dumps(compare_rails(before, after, ITEMS).to_json()))["rules"]
    assert rule["locales"] == {"en": 3, "es-419": 0, "pt-BR": 0}


def git(where: Path, *arguments: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", "-C", str(where), *who, *arguments], check=True, capture_output=True)


def test_a_revision_is_the_directory_as_it_was(before: Path, after: Path, tmp_path: Path) -> None:
    here = tmp_path / "repository" / "policy" / "rails"
    shutil.copytree(before, here)
    git(tmp_path / "repository" / "policy", "init", "--quiet", "..")
    git(here, "add", ".")
    git(here, "commit", "--quiet", "-m", "before")
    shutil.copytree(after, here, dirs_exist_ok=True)
    with rails_of("HEAD", here) as old, rails_of(str(here), here) as new:
        assert (old / "red_flags/chest.co").read_text(encoding="utf-8") == pack.CHEST
        assert {one.id for one in compare_rails(old, new, ITEMS).flips} == {"en", "joke", "unlabelled"}
    assert not old.exists()


def test_a_revision_without_rails_there_says_so(before: Path, tmp_path: Path) -> None:
    here = tmp_path / "rails"
    here.mkdir()
    (here / "README.md").write_text("soon", encoding="utf-8")
    git(tmp_path, "init", "--quiet")
    git(here, "add", ".")
    git(here, "commit", "--quiet", "-m", "before")
    shutil.copytree(before, here, dirs_exist_ok=True)
    with pytest.raises(UsageError, match="'HEAD' has no Colang files in rails"), rails_of("HEAD", here):
        pass


@pytest.mark.parametrize("name", ["no-such-revision", "--output=x", "HEAD~99"])
def test_what_is_no_revision_is_a_clear_error(name: str, before: Path, tmp_path: Path) -> None:
    here = tmp_path / "rails"
    shutil.copytree(before, here)
    git(tmp_path, "init", "--quiet")
    with pytest.raises(UsageError, match="neither a directory nor a git revision"), rails_of(name, here):
        pass


def test_outside_of_a_repository_only_directories_have_a_name(
    before: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    here = tmp_path / "rails"
    shutil.copytree(before, here)
    with pytest.raises(UsageError, match="no git repository"), rails_of("HEAD", here):
        pass
