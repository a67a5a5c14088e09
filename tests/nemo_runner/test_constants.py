"""Constants taken out of flows at start change what a turn costs, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from carerails.contracts import RuleHit
from carerails.errors import EngineError
from carerails_nemo import NemoEngine
from nemo_runner import constants

WORDS = """
flow some words -> $words
  \"\"\"Vocabulary.\"\"\"
  return "(?:aa|bb{{1,2}})"

flow more words -> $words
  $or = "|"
  $inner = await some words
  return $or.join([$inner, "\\\\bcc\\\\b"])

flow words by case -> $words
  $x = "aa"
  if len($x) == 2
    return "cc"
  return "bb"

flow near $text $words -> $found
  $gap = ".{{0,5}}"
  $both = $words + $gap + $words
  return find_all($both, $text)
"""
#: Bodies of a rule. Each ends in a list of strings for every text.
BODIES = {
    "nothing but constants": ['return ["aa"]'],
    "a pattern in steps": ['$a = "a"', '$b = $a + "{{2}}"', "return find_all($b, $text)"],
    "a list over two lines": ['$or = "|"', '$all = ["aa",\n    "bb"]', "return find_all($or.join($all), $text)"],
    "vocabulary": ["$w = await some words", "return find_all($w, $text)"],
    "vocabulary of vocabulary": ["$w = await more words", "return find_all($w, $text)"],
    "vocabulary with an if": ["$w = await words by case", "return find_all($w, $text)"],
    "a constant argument": ["$w = await some words", "$found = await near $text $w", "return $found"],
    "assigned twice": ['$w = "aa"', "$w = $w + $text", "return [$w]"],
    "assigned twice, a constant both times": ['$w = "aa"', '$w = $w + "b"', "return find_all($w, $text)"],
    "assigned a constant, the text, a constant": [
        '$w = "aa"',
        "$x = $w",
        "$w = $text + $w",
        "$y = $w",
        '$w = "b"',
        "return [$x, $y, $w]",
    ],
    "assigned at the top and in a branch": ['$w = "aa"', 'if search("b", $text)', '  $w = "b"', "return [$w]"],
    "assigned in a branch, used after it": [
        'if search("a", $text)',
        '  $w = "aa"',
        'if $w == "aa"',
        "  return [$w]",
        'return ["no"]',
    ],
    "assigned in a branch, used in it": [
        'if search("a", $text)',
        '  $w = "aa"',
        "  return find_all($w, $text)",
        "return []",
    ],
    "assigned in both branches": [
        'if search("a", $text)',
        '  $w = "aa"',
        "else",
        '  $w = "cc"',
        "return find_all($w, $text)",
    ],
    "vocabulary in a nested branch": [
        'if search("a", $text)',
        '  if search("b", $text)',
        "    $w = await more words",
        "    return find_all($w, $text)",
        "  else",
        '    return ["no b"]',
        'elif search("cc", $text)',
        '  return ["only c"]',
        "return []",
    ],
    "used before it is assigned": ["if $w is not None", '  return ["set"]', '$w = "aa"', "return [$w]"],
    "the name of a parameter": ['$text = "aa"', "return [$text]"],
    "a condition on a constant": ['$w = "aa"', 'if $w == "aa" and search($w, $text)', "  return [$w]", "return []"],
    "a loop stays as it is": ["$n = 0", '$w = "aa"', "while $n < 2", "  $n = $n + 1", '  $w = $w + "b"', "return [$w]"],
    "a constant that fails where it is never reached": [
        'if search("never", $text)',
        '  $n = int("x")',
        "  return [$n]",
        'return ["reached"]',
    ],
    "masks": ['$mask = "aa"', '$left = $text.replace($mask, "")', '$b = "b"', "return find_all($b, $left)"],
}
TEXTS = ("", "aa", "aa bb", "xx cc", "aabbcc aa bbb cc")


def rails(directory: Path, bodies: Mapping[str, list[str]]) -> Path:
    """One rule a body, all of them asked."""
    flows = [WORDS, "flow guards -> $guards\n  return {}\n"]
    main = ["flow main", "  $guards = await guards", "  when CheckTurn() as $event"]
    main += ["    $hits = await check turn $event.text $guards", "    send TurnChecked(hits=$hits)", ""]
    main += ["flow check turn $text $guards -> $hits", "  $hits = []"]
    for number, body in enumerate(bodies.values()):
        flows.append("\n".join([f"flow rule r{number} $text -> $terms", *(f"  {line}" for line in body), ""]))
        main += [f"  $terms = await rule r{number} $text", f'  $hits = $hits + [["rule r{number}", $terms]]']
    (directory / "main.co").write_text("\n".join([*main, "  return $hits", ""]) + "\n".join(flows), encoding="utf-8")
    return directory


def started(directory: Path) -> NemoEngine:
    engine = NemoEngine(directory)
    asyncio.run(engine.start())
    return engine


@pytest.fixture
def no_constants(monkeypatch: pytest.MonkeyPatch) -> None:
    def take_nothing(flows: Mapping[str, Any]) -> None:
        pass

    monkeypatch.setattr(constants, "take_constants", take_nothing)


def hits(engine: NemoEngine) -> dict[str, tuple[RuleHit, ...]]:
    return {text: asyncio.run(engine.evaluate(text)).hits for text in TEXTS}


def test_every_flow_answers_as_it_is_written(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    ours = hits(started(rails(tmp_path, BODIES)))
    request.getfixturevalue("no_constants")
    assert ours == hits(started(tmp_path))
    assert sum(map(len, ours.values())) > len(BODIES)


def test_a_constant_that_fails_still_stops_the_turn_that_meets_it(tmp_path: Path) -> None:
    engine = started(
        rails(tmp_path, {"fails": ['if search("aa", $text)', '  $n = int("x")', "  return [$n]", "return []"]})
    )
    assert asyncio.run(engine.evaluate("bb")).hits == ()
    with pytest.raises(EngineError):
        asyncio.run(engine.evaluate("aa"))


def test_what_is_constant_leaves_the_flow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[tuple[dict[str, int], dict[str, Any]]] = []
    real = constants.take_constants

    def watched(flows: Mapping[str, Any]) -> None:
        before = {name: len(flow.elements) for name, flow in flows.items()}
        real(flows)
        fewer = {name: before[name] - len(flow.elements) for name, flow in flows.items()}
        taken.append((fewer, flows["rule r0"].constants))

    monkeypatch.setattr(constants, "take_constants", watched)
    started(rails(tmp_path, {name: BODIES[name] for name in ("a pattern in steps", "a loop stays as it is")}))
    [(fewer, values)] = taken
    assert fewer["rule r0"] == 2
    assert fewer["rule r1"] == 0
    assert list(values.values()) == ["a{2}"]
