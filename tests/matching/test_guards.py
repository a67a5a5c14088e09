"""A guard is open on every text that a rule behind it hits: on made-up rules, and on the real ones."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings

from carerails.colang import CompileError
from carerails.errors import UsageError
from carerails.guards import guards, is_current, render, write
from carerails.policy import Policy
from carerails.text import normalise
from tests.matching.strategies import BY_CHANCE, seeds, text_of

RAILS = Path(__file__).parents[2] / "rails"

CHECK = """\
flow check turn $text $guards -> $hits
  $hits = []
  if search($guards.one, $text)
    $terms = await red flag made up $text
    $hits = $hits + [["red flag made up", $terms]]
  return $hits
"""
RULE = """\
flow words -> $words
  return "(?:pressure|tightness)"

flow masked $text -> $left
  $asked = find_all("\\\\bcan it cause[^.!?\\\\n]{{0,40}}", $text)
  $left = $text
  if len($asked) > 0
    $left = $left.replace($asked[0], " . ")
  return $left

@meta(kind="red-flag", category="made-up", severity="emergency", priority=1)
flow red flag made up $text -> $terms
  \"\"\"Made up.\"\"\"
"""


def policy_of(tmp_path: Path, body: str) -> Policy:
    (tmp_path / "main.co").write_text(CHECK, encoding="utf-8")
    lines = "\n".join("  " + line for line in body.strip().splitlines())
    (tmp_path / "rule.co").write_text(RULE + lines + "\n", encoding="utf-8")
    return Policy.load(tmp_path, check=False)


STROKE = 'find_all("\\\\bstroke\\\\b", $text)'


@pytest.mark.parametrize(
    ("body", "opened", "closed"),
    [
        (f"return {STROKE}", ["a stroke", "a stroke of luck"], ["sunstroke", "medicine"]),
        (
            '$w = await words\nreturn find_all("chest " + $w, $text)',
            ["chest pressure", "chest tightness"],
            ["chest pain", "pressure"],
        ),
        # What is asked first, or only vetoes, need not be in the guard.
        (
            f'$hits = {STROKE}\nif search("medicine|seizure", $text)\n  return []\nreturn $hits',
            ["stroke"],
            ["medicine", "seizure"],
        ),
        ('$left = await masked $text\nreturn find_all("stroke", $left)', ["stroke"], ["can it cause a seizure"]),
        # Of two facts that are both needed, the rarer is enough.
        (
            'if search("medicine", $text) and search("stroke", $text)\n  return find_all("medicine", $text)\nreturn []',
            ["stroke"],
            ["medicine"],
        ),
        # Rules count.
        (
            '$n = 0\nif search("what", $text)\n  $n = $n + 1\nif search("stroke", $text)\n  $n = $n + 1\n'
            'if search("seizure", $text)\n  $n = $n + 1\nif $n < 2\n  return []\nreturn find_all("what|stroke", $text)',
            ["stroke", "seizure"],
            ["what"],
        ),
        # A literal that may stand across a replacement is cut back to what cannot.
        ('$t = $text.replace("beta", "stroke of")\nreturn find_all("stroke of luck", $t)', ["beta luck"], ["beta"]),
        # Where nothing would be left of it, what was replaced is a clue too.
        ('$t = $text.replace("beta", "stroke")\nreturn find_all("stroke", $t)', ["beta", "stroke"], ["medicine"]),
        ('if not search("stroke", $text)\n  return find_all("medicine", $text)\nreturn []', ["medicine"], ["stroke"]),
        # A rule that hits where nothing matches cannot be guarded, nor one that any text may hit.
        ('return find_all("[a-z]{{3}}", $text)', ["", "medicine"], []),
        ('if search("stroke", $text)\n  return []\nreturn ["no stroke"]', ["", "medicine"], []),
        ('if "stroke" in $text\n  return ["stroke"]\nreturn []', ["", "medicine"], []),
    ],
)
def test_the_guard_of_a_rule(tmp_path: Path, body: str, opened: list[str], closed: list[str]) -> None:
    found = guards(policy_of(tmp_path, body))
    assert list(found) == ["one"]
    guard = re.compile(found["one"])
    assert [text for text in opened if not guard.search(text)] == []
    assert [text for text in closed if guard.search(text)] == []


def test_two_common_words_make_a_pair(tmp_path: Path) -> None:
    policy = policy_of(tmp_path, 'return find_all("\\\\btake\\\\b[^.!?\\\\n]{{0,40}}\\\\bmore\\\\b", $text)')
    guard = re.compile(guards(policy)["one"])
    assert guard.search("should i take two more")
    assert not guard.search("take it")
    assert not guard.search("more to take")
    assert not guard.search("take it" + " now" * 20 + " and more")


def test_a_guard_is_written_once_and_found_current(tmp_path: Path) -> None:
    policy = policy_of(tmp_path, 'return find_all("\\\\bstroke\\\\b|a{{3}}\\"[{{]stop", $text)')
    target = tmp_path / "guards.co"
    assert write(policy, target)
    assert not write(policy, target)
    assert is_current(policy, target.read_text(encoding="utf-8"))
    assert not is_current(policy, target.read_text(encoding="utf-8") + "\n")
    # What was written is read back as the same regexes, by the parser that runs them.
    assert Policy.load(tmp_path).run("guards") == guards(policy)


def test_an_order_of_checks_is_needed(tmp_path: Path) -> None:
    policy_of(tmp_path, 'return find_all("stroke", $text)')
    (tmp_path / "main.co").unlink()
    with pytest.raises(UsageError):
        render(Policy.load(tmp_path, check=False))


@lru_cache(maxsize=1)
def real() -> tuple[Policy, dict[str, re.Pattern[str]]]:
    try:
        policy = Policy.load(RAILS, check=False)
    except CompileError as error:  # the linter's business; here it would only hide what is tested
        pytest.skip(f"the rails do not compile: {error.diagnostics[0]}")
    return policy, {key: re.compile(regex) for key, regex in guards(policy).items()}


def closed_on_a_hit(text: str) -> list[str]:
    """Rules that hit the text although their guard is closed."""
    policy, opened = real()
    return [name for name in policy.rules if not opened[name.replace(" ", "_")].search(text) and policy.run(name, text)]


def test_every_rule_has_a_guard_that_can_close() -> None:
    policy, opened = real()
    assert {name.replace(" ", "_") for name in policy.rules} <= opened.keys()
    assert [key for key, guard in opened.items() if not guard.pattern] == []


def test_guards_are_open_on_every_example_that_hits() -> None:
    policy, _ = real()
    for example in policy.examples[::6]:
        text = "\n".join(view.text for view in normalise(example.text))
        assert closed_on_a_hit(text) == [], text


@settings(BY_CHANCE, max_examples=150)
@given(chance=seeds)
def test_guards_are_open_on_generated_hits(chance: Random) -> None:
    """Texts made of what the patterns of some rules match, so that several facts come together."""
    policy, _ = real()
    rules = list(policy.rules.values())
    chosen = [chance.choice(chance.choice(rules).patterns).regex for _ in range(chance.randint(1, 2))]
    home = chance.choice(rules).patterns
    parts = [text_of(chance, regex) for regex in [*chosen, *(chance.choice(home).regex for _ in range(4))]]
    chance.shuffle(parts)
    text = " ".join(parts) if chance.random() < 0.7 else "\n".join(parts)
    assert closed_on_a_hit(text) == []
