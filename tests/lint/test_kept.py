"""What is kept from one run to the next changes how long a run takes, and never what it finds."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from carerails.lint import Finding, lint, looked
from carerails.lint.looked import Looked
from carerails.policy import Policy
from tests.lint import pack
from tests.lint.seeds import SEEDS, Seed
from tests.lint.test_seeds import sown

CHEST = "red_flags/chest.co"
LOOSE = pack.CHEST.replace("chest pain\\\\b", "chest.*pain\\\\b")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pack.write(tmp_path_factory.mktemp("rails"))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("CARERAILS_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "carerails"


def from_nothing(root: Path, file: str, text: str) -> list[Finding]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CARERAILS_CACHE", "off")
        return lint(root, {Path(file): text})


def kept(home: Path) -> Iterator[Path]:
    return (path for kind in ("findings", "looked", "trees") for path in home.glob(f"{kind}-*"))


@pytest.mark.parametrize("seed", SEEDS, ids=[f"{n}-{seed.code}" for n, seed in enumerate(SEEDS)])
def test_after_an_edit_everything_is_found_that_would_be_without_a_memory(seed: Seed, root: Path) -> None:
    lint(root)
    text, _ = sown(seed, root)
    assert lint(root, {Path(seed.file): text}) == from_nothing(root, seed.file, text)
    assert lint(root) == from_nothing(root, CHEST, pack.CHEST)


SAID = '  user said "{}"\n'
EXAMPLES = {
    "one more that nothing hits": (SAID.format("my knee hurts") + SAID.format("pain in my chest"), "missed-example"),
    "one less, the only one that a pattern stands in": ("", "unhit-pattern"),
}


@pytest.mark.parametrize(("new", "code"), EXAMPLES.values(), ids=EXAMPLES)
def test_examples_come_and_go(new: str, code: str, root: Path) -> None:
    before = lint(root)
    text = pack.FILES["examples/chest.co"].replace(SAID.format("pain in my chest"), new)
    file = "examples/chest.co"
    found = lint(root, {Path(file): text})
    assert found == from_nothing(root, file, text)
    assert [one.code for one in found if one not in before] == [code]


def test_only_rules_that_an_edit_reaches_are_run_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lint(root)
    run: list[set[str]] = []
    look = looked.look

    def noted(policy: Policy, rules: Iterable[str], texts: Mapping[str, str]) -> dict[str, Looked]:
        run.append(set(rules))
        return look(policy, rules, texts)

    monkeypatch.setattr(looked, "look", noted)
    lint(root, {Path("scope/dosing.co"): pack.DOSING.replace("take two", "take 2")})
    lint(root, {Path("vocabulary/words.co"): pack.WORDS.replace("chest pressure", "tight chest")})
    assert run == [{"scope dosing"}, {"scope dosing", "red flag chest pain"}]


def test_an_edit_on_disk_is_seen(tmp_path: Path) -> None:
    root = pack.write(tmp_path / "rails")
    assert "unbounded-gap" not in {one.code for one in lint(root)}
    (root / CHEST).write_text(LOOSE, encoding="utf-8")
    assert "unbounded-gap" in {one.code for one in lint(root)}


def altered(body: bytes) -> bytes:
    return body.replace(b"unbounded", b"unbonded").replace(b"chest", b"chist")


def halved(body: bytes) -> bytes:
    return body[: len(body) // 2]


def emptied(body: bytes) -> bytes:
    return b""


def exchanged(body: bytes) -> bytes:
    return b"[]"


@pytest.mark.parametrize("damage", [altered, halved, emptied, exchanged])
def test_what_is_damaged_is_as_good_as_none(damage: Callable[[bytes], bytes], root: Path, home: Path) -> None:
    overlay = {Path(CHEST): LOOSE}
    before = lint(root, overlay)
    files = list(kept(home))
    assert len({path.name.partition("-")[0] for path in files}) == 3
    for path in files:
        path.write_bytes(damage(path.read_bytes()))
    assert lint(root, overlay) == before


class Bomb:
    """Unpickling it makes a directory."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, ("gone-off",)


def test_a_file_of_trees_that_is_whole_and_wants_to_run_something_does_not(
    root: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from carerails.lint.kept import TREES

    monkeypatch.chdir(tmp_path)
    before = lint(root)
    for path in kept(home):
        path.unlink() if not path.name.startswith("trees-") else TREES.write(path, pickle.dumps(Bomb()))
    assert lint(root) == before
    assert not (tmp_path / "gone-off").exists()


def test_an_action_that_is_defined_since_is_seen(tmp_path: Path) -> None:
    pytest.importorskip("nemoguardrails")
    (tmp_path / "config.yml").write_text("models: []\n", encoding="utf-8")
    (tmp_path / "a.co").write_text("define flow a\n  execute count_pills\n", encoding="utf-8")
    assert "undefined-action" in {one.code for one in lint(tmp_path)}
    (tmp_path / "actions.py").write_text("@action()\nasync def count_pills():\n    ...\n", encoding="utf-8")
    assert "undefined-action" not in {one.code for one in lint(tmp_path)}
