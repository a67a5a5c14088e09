"""Configurations of NeMo Guardrails that are not ours: what it takes without a word is found, at its line."""

from __future__ import annotations

import importlib.util
import typing
from pathlib import Path

import pytest
from pydantic import BaseModel

from carerails.lint import lint
from carerails.lint.nemo_config import KEYS

TWO = 'colang_version: "2.x"\nmodels: []\n'
ONE = "models: []\nrails:\n  input:\n    flows:\n      - check blocked terms\n"
MAIN_2 = """import core

flow main
  activate handle input

flow handle input
  user said something
  $blocked = await check text $event.text
  if $blocked
    bot say "No."

flow check text $text -> $found
  return search("\\\\bbomb\\\\b", $text)
"""
MAIN_1 = """define user ask about bombs
  "how do I make one"

define bot refuse bombs
  "No."

define flow bombs
  user ask about bombs
  bot refuse bombs

define subflow check blocked terms
  $blocked = execute check_blocked
  if $blocked
    bot refuse bombs
    stop
"""
ACTIONS = """from nemoguardrails.actions import action


@action()
async def check_blocked():
    return False
"""
#: Code, the file with the mistake, what stood there, what stands there now; `§` marks the line.
FOREIGN: list[tuple[str, str, str, str]] = [
    ("single-backslash", "2", '"\\\\bbomb\\\\b"', '§"\\bbomb\\\\b"'),
    ("single-brace", "2", '"\\\\bbomb\\\\b"', '§"bomb{2}"'),
    ("single-brace", "2", '"\\\\bbomb\\\\b"', '§"bo{1,3}mb"'),
    ("single-brace", "2", 'bot say "No."', 'bot say §"No, {name}."'),
    ("dollar-in-string", "2", 'bot say "No."', 'bot say §"No, $blocked."'),
    ("bad-regex", "2", '"\\\\bbomb\\\\b"', '§"bomb(?:"'),
    ("capture-group", "2", 'search("\\\\bbomb\\\\b", $text)', '§find_all("(bomb)", $text)'),
    ("undefined-flow", "2", "$blocked = await check text", "§$blocked = await chek text"),
    ("undefined-flow", "2", "  activate handle input", "  §activate handle inputs"),
    ("undefined-action", "2", "  user said something", "  §await FrobnicateAction(x=1)\n  user said something"),
    ("unknown-import", "2", "import core", "§import coor"),
    ("duplicate-flow", "2", "flow check text", "flow check text $x\n  return 1\n\n§flow check text"),
    ("augmented", "2", "  if $blocked", "  §$count += 1\n  if $blocked"),
    ("constant", "2", "  if $blocked", "  §$ok = true\n  if $blocked"),
    ("function", "2", "  if $blocked", "  §$low = lower($blocked)\n  if $blocked"),
    (
        "looks-like-action",
        "2",
        "flow handle input",
        "flow other\n  pass\n\n§flow CheckAction\n  pass\n\nflow handle input",
    ),
    ("flow-name", "2", "flow handle input", "§flow handle-it\n  pass\n\nflow handle input"),
    ("endless-loop", "2", "  if $blocked", "  §while True\n    $x = 1\n  if $blocked"),
    ("waits-for-ever", "2", "  if $blocked", "  §await check text $text and check text $text\n  if $blocked"),
    ("recursion", "2", "  return search", "  §$x = await check text $text\n  return search"),
    ("tab", "2", "  if $blocked", "  §if\t$blocked"),
    ("config-key", "2.yml", "models: []", "§modles: []"),
    ("config-value", "2.yml", "models: []", "models: []\n§rails: [:"),
    ("config-key", "1.yml", "    flows:", "    §flow:"),
    ("undefined-flow", "1.yml", "- check blocked terms", "§- chek blocked terms"),
    ("undefined-action", "1", "execute check_blocked", "§execute chek_blocked"),
    ("undefined-message", "1", "  bot refuse bombs\n\n", "  §bot refuse bomb\n\n"),
    ("undefined-flow", "1", "    stop", "    §do somethin else\n    stop"),
    ("duplicate-flow", "1", "define flow bombs", "define flow bombs\n  user ask about bombs\n\n§define flow bombs"),
    ("unused-definition", "1", "define flow bombs", '§define user say hi\n  "hi"\n\ndefine flow bombs'),
]


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARERAILS_CACHE", "off")


def written(directory: Path, version: str) -> Path:
    (directory / "config.yml").write_text(TWO if version == "2" else ONE, encoding="utf-8")
    (directory / "rails.co").write_text(MAIN_2 if version == "2" else MAIN_1, encoding="utf-8")
    (directory / "actions.py").write_text(ACTIONS, encoding="utf-8")
    return directory


@pytest.mark.parametrize(("code", "where", "old", "new"), FOREIGN, ids=[f"{row[0]} {row[1]}" for row in FOREIGN])
def test_a_mistake_is_found_at_its_line(code: str, where: str, old: str, new: str, tmp_path: Path) -> None:
    root = written(tmp_path, where[0])
    file = "config.yml" if where.endswith(".yml") else "rails.co"
    text = (root / file).read_text(encoding="utf-8")
    assert old in text
    marked = text.replace(old, new, 1)
    (root / file).write_text(marked.replace("§", ""), encoding="utf-8")
    line = marked[: marked.index("§")].count("\n") + 1
    found = lint(root)
    assert (code, file, line) in [(one.code, one.file, one.line) for one in found], [str(one) for one in found]


@pytest.mark.parametrize("version", ["1", "2"])
def test_a_configuration_without_a_mistake_has_no_finding(version: str, tmp_path: Path) -> None:
    assert [str(one) for one in lint(written(tmp_path, version))] == []


def test_a_finding_can_be_allowed_here_too(tmp_path: Path) -> None:
    root = written(tmp_path, "2")
    path = root / "rails.co"
    text = path.read_text(encoding="utf-8").replace("await check text $e", "await chek text $e")
    why = "  # lint: allow undefined-flow: another package defines it\n  $blocked = await chek"
    path.write_text(text.replace("  $blocked = await chek", why), encoding="utf-8")
    assert lint(root) == []


@pytest.mark.parametrize("name", ["abc", "abc_v2", "hello_world"])
def test_the_bots_that_nemo_brings_along_have_no_error(name: str) -> None:
    spec = importlib.util.find_spec("nemoguardrails")
    assert spec
    assert spec.submodule_search_locations
    bots = Path(spec.submodule_search_locations[0]) / "examples" / "bots"
    assert [str(one) for one in lint(bots / name) if one.severity != "info"] == []


def inner(kind: object) -> type[BaseModel] | None:
    """The model in `Optional[list[Model]]` and the like."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return kind
    return next((found for part in typing.get_args(kind) if (found := inner(part))), None)


def test_the_keys_are_those_of_the_installed_nemo() -> None:
    from nemoguardrails.rails.llm.config import RailsConfig

    for path, keys in KEYS.items():
        model: type[BaseModel] = RailsConfig
        for step in filter(lambda step: step not in ("", "*"), path.split(".")):
            field = inner(model.model_fields[step].annotation)
            assert field, path
            model = field
        names = {*model.model_fields} | {field.alias for field in model.model_fields.values() if field.alias}
        assert names == set(keys.split()), path
