"""What is wrong in one place does not hide what is wrong in another, and makes nothing else look wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from carerails.colang.diagnostics import KINDS
from carerails.contracts import LOCALES
from carerails.lint import Finding, at_least, lint
from tests.lint import pack
from tests.lint.seeds import SEEDS, Seed
from tests.lint.test_seeds import sown

DOSING, RASH = "scope/dosing.co", "red_flags/rash.co"
#: Beside a mistake: a pattern with an open gap in another file.
GAP = {
    DOSING: pack.DOSING.replace("can i take", "can i.*take"),
    RASH: pack.RASH.replace("new rash", "new.*rash"),
}
LANGUAGE = [seed for seed in SEEDS if seed.code in KINDS and seed.note in ("", LOCALES[0])]
#: What follows from a mistake in the same flow, or from the gap.
FOLLOWS = {"unused-variable", "pattern-not-constant", "stale-guards", "unbounded-gap"}


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARERAILS_CACHE", "off")


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pack.write(tmp_path_factory.mktemp("clean"))


def found_in(root: Path, changes: dict[str, str]) -> list[Finding]:
    return at_least(lint(root, {Path(name): text for name, text in changes.items()}), "warning")


def codes(found: list[Finding]) -> set[tuple[str, str]]:
    return {(one.file, one.code) for one in found}


@pytest.mark.parametrize("seed", LANGUAGE, ids=lambda seed: seed.code)
def test_a_mistake_of_the_language_hides_no_other(seed: Seed, clean: Path) -> None:
    text, (file, line) = sown(seed, clean)
    other = DOSING if seed.file != DOSING else RASH
    found = found_in(clean, {seed.file: text, other: GAP[other]})
    assert (seed.code, file, line) in {(one.code, one.file, one.line) for one in found}
    assert (other, "unbounded-gap") in codes(found)
    assert {one.code for one in found} - {seed.code} <= FOLLOWS, list(map(str, found))


BROKEN = {
    "a rule": ("red_flags/chest.co", pack.CHEST.replace("return find_all", "retrun find_all")),
    "words that a rule needs": ("vocabulary/words.co", pack.WORDS.replace("return", "retrun")),
    "the head of a flow": ("vocabulary/words.co", pack.WORDS.replace("flow pressed", "flwo pressed")),
    "templates": ("templates/all.co", pack.TEMPLATES.replace("return", "retrun", 1)),
    "the order of checks": ("main.co", (pack.MAIN + pack.RENDER).replace("  return $hits", "  retrun $hits")),
    "guards": ("guards.co", "flow guards -> $guards\n  retrun {}\n"),
    "examples": ("examples/chest.co", pack.FILES["examples/chest.co"].replace("  # en\n", "")),
}


@pytest.mark.parametrize(("file", "text"), BROKEN.values(), ids=BROKEN)
def test_a_file_that_cannot_be_read_makes_nothing_else_look_wrong(file: str, text: str, clean: Path) -> None:
    found = found_in(clean, {file: text, DOSING: GAP[DOSING]})
    assert {one.file for one in found} - {file, DOSING} <= {"guards.co"}, list(map(str, found))
    assert codes(found) >= {(DOSING, "unbounded-gap")}
    assert file in {one.file for one in found}


@pytest.mark.parametrize("broken", ["a rule", "words that a rule needs", "templates", "examples"])
def test_examples_are_run_through_the_rules_that_can_be_read(broken: str, clean: Path) -> None:
    file, text = BROKEN[broken]
    over = pack.FILES["examples/in_scope.co"].replace("when do i take it, 1", "can i take two", 1)
    assert ("examples/in_scope.co", "in-scope-hit") in codes(
        found_in(clean, {file: text, "examples/in_scope.co": over})
    )
