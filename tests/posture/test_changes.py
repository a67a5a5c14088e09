"""What changed since a release, told in plain words; from its posture.json or from a revision."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from carerails.contracts import LOCALES, Locale
from carerails.errors import UsageError
from carerails.posture.changes import changes
from carerails.posture.document import Release, View, render
from carerails.posture.facts import Facts
from carerails.posture.releases import read_release
from tests.cli.test_command_line import carerails
from tests.posture.conftest import ROOT


def told(before: Facts, after: Facts, locale: Locale = "en") -> list[tuple[str, str, str, str, str]]:
    say = View(after, locale, None).say
    return [(c.kind, c.verb, c.what, c.before, c.after) for c in changes(before, after, locale, say)]


def test_nothing_changed(facts: Facts):
    assert told(facts, facts) == []
    assert "Nothing that this document tells." in render(facts, "en", "md", Release("v1", facts))


def test_a_category_comes_and_goes(facts: Facts):
    less = facts.model_copy(
        update={
            "categories": {key: fact for key, fact in facts.categories.items() if key != "seizure"},
            "rules": {name: rule for name, rule in facts.rules.items() if rule.category != "seizure"},
        }
    )
    for locale, name in (("en", "Seizure"), ("es-419", "Convulsión"), ("pt-BR", "Convulsão")):
        kinds = {(verb, what.partition(" (")[0]) for _, verb, what, _, _ in told(less, facts, locale)}  # pyright: ignore[reportArgumentType]
        assert kinds == {("added", name)}
    assert {row[1] for row in told(facts, less)} == {"removed"}
    assert len(told(facts, less)) == 3  # the category, its rule, what that left out


def test_a_rule_changes_severity_patterns_or_only_their_text(facts: Facts):
    rule = facts.rules["red flag stroke"]
    after = facts.model_copy(
        update={
            "rules": {
                **facts.rules,
                "red flag stroke": rule.model_copy(update={"patterns": rule.patterns + 2, "digest": "x"}),
                "red flag seizure": facts.rules["red flag seizure"].model_copy(update={"digest": "y"}),
                "urgent dehydration": facts.rules["urgent dehydration"].model_copy(update={"outcome": "emergency"}),
            }
        }
    )
    rows = {what: (before, now) for _, _, what, before, now in told(facts, after)}
    assert rows["Stroke (red flag stroke)"] == (
        f"Emergency; patterns: {rule.patterns}",
        f"Emergency; patterns: {rule.patterns + 2}, not all of them the same as before",
    )
    before, now = rows["Seizure (red flag seizure)"]
    assert now == f"{before}, not all of them the same as before"
    before, now = rows["Dehydration (urgent dehydration)"]
    assert before.startswith("Today;")
    assert now.startswith("Emergency;")
    assert len(rows) == 3


def test_texts_limits_numbers_and_points(facts: Facts):
    texts = {**facts.templates, "footer": {**facts.templates["footer"], "en": "Only a demonstration."}}
    uruguay = facts.numbers.countries["UY"].model_copy(update={"emergency": "9-1-1"})
    countries = {**facts.numbers.countries, "UY": uruguay}
    del countries["VE"]
    after = facts.model_copy(
        update={
            "templates": texts,
            "limits": {**facts.limits, "deadline_s": "3", "own_identifiers": "block"},
            "numbers": facts.numbers.model_copy(update={"countries": countries}),
            "never": facts.never[:-1],
        }
    )
    rows = told(facts, after)
    assert ("Text", "changed", "footer", "Demonstration, not medical advice.", "Only a demonstration.") in rows
    assert ("Limit", "changed", "Seconds for one check; later counts as failed", "2", "3") in rows
    assert ("Number", "removed", "Venezuela", "911", "") in rows
    assert ("Number", "changed", "Uruguay", "911 / 105; 0800 0767", "9-1-1; 0800 0767") in rows
    assert any(row[:3] == ("What the agent never does", "removed", "claims clinical validation") for row in rows)
    assert len(rows) == 6


def test_other_logic_is_not_passed_over(facts: Facts):
    for locale in LOCALES:
        before = facts.model_copy(update={"policy": "0" * 64})
        view = View(facts, locale, Release("v1", before))
        assert view.say("changes_logic") in render(facts, locale, "md", view.since)


def test_a_release_read_from_its_json(facts: Facts, tmp_path: Path):
    path = tmp_path / "posture.json"
    path.write_text(facts.to_json(), encoding="utf-8")
    assert read_release(str(path)) == facts
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(UsageError, match=r"not the posture\.json"):
        read_release(str(path))


def test_a_release_read_from_a_tag(facts: Facts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A repository of its own: a release without the words of today, whose footer read differently."""
    repository = tmp_path / "repository"
    for part in ("rails", "config", "evals/slices"):
        shutil.copytree(ROOT / part, repository / part)
    (repository / "config" / "categories.yml").unlink()
    footer = repository / "rails" / "templates" / "escalations.co"
    text = footer.read_text(encoding="utf-8")
    footer.write_text(text.replace("Demonstration, not medical advice.", "A trial."), encoding="utf-8")

    def git(*arguments: str) -> None:
        subprocess.run(["git", "-C", repository, *arguments], check=True, capture_output=True)

    git("init", "-q")
    git("add", ".")
    git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "one")
    git("tag", "v1")

    def here(name: str) -> Path:
        return repository / name

    monkeypatch.setattr("carerails.posture.releases.data_dir", here)
    (repository / "config" / "categories.yml").write_bytes((ROOT / "config" / "categories.yml").read_bytes())
    rows = told(read_release("v1"), facts)
    assert rows == [("Text", "changed", "footer", "A trial.", "Demonstration, not medical advice.")]
    with pytest.raises(UsageError, match="neither a file nor a revision"):
        read_release("v2")
    with pytest.raises(UsageError, match="neither a file nor a revision"):
        read_release("--output=x")


def test_the_command(tmp_path: Path):
    done = carerails("posture", "build", "--out", tmp_path / "a", "--locale", "en", "--format", "md")
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == ["posture-en.md", "posture.json"]
    kept = tmp_path / "a" / "posture.json"
    row = json.loads(kept.read_text(encoding="utf-8"))
    row["limits"]["agent.max_turns"] = "50"
    kept.write_text(json.dumps(row), encoding="utf-8")
    again = ("posture", "build", "--out", tmp_path / "b", "--locale", "pt-BR", "--format", "md", "--since", kept)
    assert carerails(*again).returncode == 0
    text = (tmp_path / "b" / "posture-pt-BR.md").read_text(encoding="utf-8")
    assert "- **Mudou: Limite**, Turnos de uma conversa\n  - Antes: 50\n  - Agora: 200\n" in text
    for wrong in (("--locale", "fr"), ("--format", "pdf"), ("--since", "nowhere")):
        done = carerails("posture", "build", "--out", tmp_path / "c", *wrong)
        assert done.returncode == 2, wrong
    assert not (tmp_path / "c").exists()
