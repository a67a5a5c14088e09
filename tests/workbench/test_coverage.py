"""Coverage counts what texts exercise, by locale, at its line; what none does is dead."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from carerails.config import load_settings
from carerails.contracts import Turn
from carerails.evals.edits import read_texts
from carerails.policy import Policy
from carerails.workbench.coverage import Coverage, cover
from carerails.workbench.coverage_page import page
from tests.lint import pack

TURNS = [
    ("en", "chest pain since 3"),
    ("en", "and chest pain, nothing new, a rash"),
    ("pt-BR", "dor no peito"),
    ("en", "a new rash"),
    ("es-419", "puedo tomar dos"),
    ("es-419", "hola"),
]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pack.write(tmp_path_factory.mktemp("coverage"))


@pytest.fixture(scope="module")
def found(root: Path) -> Coverage:
    turns = [Turn.of(text, locale=locale) for locale, text in TURNS]  # pyright: ignore[reportArgumentType]
    return cover(Policy.load(root), turns, load_settings())


def at(root: Path, file: str, needle: str) -> tuple[str, int]:
    text = (root / file).read_text(encoding="utf-8")
    return file, text[: text.index(needle)].count("\n") + 1


def test_patterns_are_counted_by_locale_at_their_line(found: Coverage, root: Path) -> None:
    hits = {((arm.file, arm.line), arm.regex): dict(counts) for arm, counts in found.patterns.items()}
    assert hits[at(root, "red_flags/chest.co", '"\\\\bchest pain'), "\\bchest pain\\b"] == {"en": 2}
    assert hits[at(root, "red_flags/chest.co", '"\\\\bdor no'), "\\bdor no peito\\b"] == {"pt-BR": 1}
    assert hits[at(root, "scope/dosing.co", '"\\\\bpuedo'), "\\bpuedo tomar dos\\b"] == {"es-419": 1}


def test_a_pattern_that_no_text_has_is_dead(found: Coverage) -> None:
    dead = {arm.regex for arm in found.dead}
    assert "\\bme duele el pecho\\b" in dead
    assert "\\bchest pain\\b" not in dead


def test_both_ways_of_an_if_are_statements(found: Coverage, root: Path) -> None:
    gives_up = found.statements[at(root, "red_flags/rash.co", "    return []")]
    goes_on = found.statements[at(root, "red_flags/rash.co", "  return find_all")]
    assert dict(goes_on) == {"en": 1}
    assert dict(gives_up) == {"en": 1}


def test_templates_are_counted_where_they_answer(found: Coverage) -> None:
    assert dict(found.templates["emergency-medical"]) == {"en": 2, "pt-BR": 1}
    assert dict(found.templates["out-of-scope-dosing"]) == {"es-419": 1}
    assert not found.templates["out-of-domain"]


def test_a_traced_policy_decides_as_the_policy_does(root: Path) -> None:
    policy, told = Policy.load(root), list[str]()
    traced = policy.traced(told.append)
    for _, text in TURNS:
        assert traced.check(text) == policy.check(text)
    assert set(told) <= set(policy.places())
    assert told


class Lines(HTMLParser):
    """The classes of a page's source lines, and whatever it would load."""

    def __init__(self) -> None:
        super().__init__()
        self.kinds: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "li":
            self.kinds.append(given.get("class") or "")
        self.loads += [
            value or "" for name, value in attrs if name in ("src", "href") and not (value or "").startswith("#")
        ]


def test_the_page_colours_the_source_and_loads_nothing(found: Coverage, root: Path) -> None:
    reader = Lines()
    reader.feed(page(found, read_texts(root)))
    assert reader.loads == []
    assert {"hit", "dead"} <= set(reader.kinds)


def test_what_a_page_shows_is_escaped(tmp_path: Path) -> None:
    chest = pack.CHEST.replace("chest pain\\\\b", "chest <b>pain</b>\\\\b").replace(
        "# Chest pain.", "# <script>x</script>"
    )
    root = pack.write(tmp_path, {"red_flags/chest.co": chest})
    html = page(cover(Policy.load(root), [], load_settings()), read_texts(root))
    assert "<script>x" not in html
    assert "&lt;script&gt;x" in html
    assert "<b>pain" not in html


def test_the_data_is_json(found: Coverage) -> None:
    data = json.loads(json.dumps(found.to_json()))
    assert data["texts"] == {"en": 3, "pt-BR": 1, "es-419": 2}
    assert data["summary"]["templates"]["all"][0] == 3


def test_a_dead_pattern_says_whether_an_example_has_it(root: Path) -> None:
    found = cover(Policy.load(root), [Turn.of("a new rash", locale="en")], load_settings())
    lives = {arm.regex: found.life(arm) for arm in found.patterns}
    assert lives["\\bnew rash\\b"] == "texts"
    assert lives["\\bme duele el pecho\\b"] == "examples"
    assert lives["\\bnothing new\\b"] == "nothing"
    assert found.by_rule()["urgent rash"] == {"texts": 1, "examples": 2, "nothing": 1}
    assert found.by_file()["red_flags/rash.co"].total() == 4
