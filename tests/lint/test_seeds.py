"""Every seeded mistake is found, at its line; the policy without one has no finding."""

from __future__ import annotations

from pathlib import Path

import pytest

from carerails.colang.diagnostics import KINDS
from carerails.lint import RULES, at_least, lint, lint_file
from tests.lint import pack
from tests.lint.seeds import SEEDS, Seed

IDS = [f"{number}-{seed.code}{seed.note and f' {seed.note}'}" for number, seed in enumerate(SEEDS)]


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARERAILS_CACHE", "off")


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pack.write(tmp_path_factory.mktemp("clean"))


def sown(seed: Seed, root: Path) -> tuple[str, tuple[str, int]]:
    """The text of the file with the mistake, and the place that must be named."""
    text = (root / seed.file).read_text(encoding="utf-8")
    assert seed.old in text
    marked = text.replace(seed.old, seed.new, 1)
    text = marked.replace("§", "")
    if seed.at is None:
        return text, (seed.file, marked[: marked.index("§")].count("\n") + 1)
    file, needle = seed.at
    there = text if file == seed.file else (root / file).read_text(encoding="utf-8")
    return text, (file, there[: there.index(needle)].count("\n") + 1)


@pytest.mark.parametrize("seed", SEEDS, ids=IDS)
def test_a_mistake_is_found_at_its_line(seed: Seed, clean: Path) -> None:
    text, place = sown(seed, clean)
    found = lint(clean, {Path(seed.file): text})
    assert (seed.code, *place) in [(one.code, one.file, one.line) for one in found], [str(one) for one in found]


def test_there_are_a_hundred_mistakes_of_different_rules_or_locales() -> None:
    assert len({(seed.code, seed.note) for seed in SEEDS}) >= 100


def test_a_policy_without_a_mistake_has_no_finding(clean: Path) -> None:
    assert [str(one) for one in at_least(lint(clean), "warning")] == []


@pytest.mark.parametrize("seed", [seed for seed in SEEDS if seed.code in KINDS], ids=str)
def test_the_quick_look_sees_what_is_wrong_with_the_language(seed: Seed, clean: Path) -> None:
    text, (file, line) = sown(seed, clean)
    overlay = {Path(seed.file): text}
    found = lint_file(clean, Path(file), overlay)
    whole = [one for one in lint(clean, overlay) if one.file == file]
    quick = {(one.code, one.line) for one in found}
    assert (seed.code, line) in quick or seed.code in ("no-guard", "recursion"), [str(one) for one in whole]


def test_every_rule_of_ours_has_a_mistake() -> None:
    from tests.lint.test_nemo import FOREIGN

    elsewhere = {"missing-template", "config-key", "config-value", "missing-number", "unsupported-regex"}
    elsewhere |= {"backreference", "atomic-group", "duplicate-key", "not-read"}
    sown_codes = {seed.code for seed in SEEDS} | {code for code, *_ in FOREIGN} | elsewhere
    assert {code for code in RULES if code not in KINDS} <= sown_codes


def test_where_not_all_could_be_checked_no_allowance_is_called_needless(clean: Path) -> None:
    words = pack.WORDS.replace("flow pressed", "# lint: allow unused-flow: why\nflow pressed")
    broken = pack.CHEST.replace("return find_all", "retrun find_all")
    found = lint(clean, {Path("vocabulary/words.co"): words, Path("red_flags/chest.co"): broken})
    assert "unused-suppression" not in {one.code for one in found}


def test_a_rule_is_not_asked_about_examples_for_the_judge_alone(clean: Path) -> None:
    """So what it hits among them does not make up for a locale that it is silent in."""
    rash = pack.RASH.replace("\\\\bsarpullido nuevo\\\\b|", "")
    judged = '# For the judge.\nflow examples of urgent rash\n  # es-419\n  user said "otra mancha nova"\n'
    overlay = {Path("red_flags/rash.co"): rash, Path("examples/meaning/rash.co"): judged}
    assert "silent-rule" in {one.code for one in lint(clean, overlay)}
    overlay = {Path("red_flags/rash.co"): rash, Path("examples/more.co"): judged}
    assert "silent-rule" not in {one.code for one in lint(clean, overlay)}
