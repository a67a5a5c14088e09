"""A configuration of a wild kind is read as far as it goes, never run, and never a crash."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nemoguardrails.colang import parse_colang_file

from carerails.errors import ToMend, UsageError
from carerails.importing import import_project
from carerails.importing.actions import read_actions
from carerails.importing.colang1 import read_colang1
from carerails.importing.colang2 import read_colang2
from carerails.importing.convert import plan_of
from carerails.importing.found import Project
from carerails.importing.patterns import of_text
from carerails.importing.settings import read_settings
from carerails.lint import at_least, lint
from carerails.policy import Policy
from carerails.text import normalise

READERS: list[Callable[[str, str, Project], None]] = [read_actions, read_colang1, read_colang2, read_settings]
#: Pieces of all four languages, so that made-up files come near to what is real.
PIECES = [
    *("define user", "define bot", "define flow", "define subflow", "flow ", "  user x", "  bot refuse", "when user x"),
    *('user said "a"', 'or user said "b', 'bot say "no"', 'regex("(?i)x")', 'search("x", $t)'),
    *("  if $x", "if not $x == True", "    stop", "  $x = execute f(a=$b)", "  $x = await FAction(text=$input_text)"),
    *("@action()", "def f(t):", '  return re.search("(", t)', "  return any(w in t for w in W)"),
    *("rails:", "  input:", "    flows:", "      - regex check input", "  config:", ": [", "&a [*a]"),
    *('    regex_detection: {input: {patterns: ["(", "a.*"]}}', '"""', "'", '"', "#", "\\", "{", "}", "$", "é", "\t"),
]
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=25).map("\n".join)


@given(st.lists(TEXTS, min_size=1, max_size=3))
@settings(max_examples=400, deadline=None)
def test_no_text_breaks_a_reader(texts: list[str]):
    project = Project()
    for number, text in enumerate(texts):
        for read in READERS:
            read(f"file{number}", text, project)
    plan_of(project)
    assert all(left.line >= 1 and left.why for left in project.left)


WILD: dict[str, bytes | str] = {
    "config.yml": "rails: [1, 2]\nmodels: &a [*a]\n7: x\nnull: y\n",
    "a.yml": "- just\n- a list\n",
    "b.yml": "rails:\n  input: nonsense\n  config: {regex_detection: [1], other: 2}\n",
    "c.yml": "a: " + "[" * 3000 + "]" * 3000,
    "d.yml": "rails:\n  input: {flows: [1, null, {a: b}, regex check input]}\n"
    "  config:\n    regex_detection: {input: {patterns: [1, '(']}}\n",
    "e.yml": "x: !!python/object/apply:os.system ['touch /should/not/exist']\n",
    "empty.yml": "",
    "binary.co": b"\xff\xfe\x00\x01",
    "bom.co": b'\xef\xbb\xbfdefine user greet\r\n  "hi"\r\n',
    "nul.co": 'define user \x00\n  "\x00 \x1b[2J"\n',
    "names.co": 'flow user and or as 9 x.y-z É $t -> $u\n  user said "same words twice over"\n'
    "flow a\n  user and or as 9 x.y-z É\n  bot refuse\n"
    'flow user AND or AS 9 xyz e\n  user said "other words {b} $dollar \\"q\\" \\\\ back"\n'
    'flow b\n  user AND or AS 9 xyz e\n  bot say "Sorry {$x}"\n',
    "long.co": "define user long\n" + f'  "{"word " * 3000}"\n' + "define flow\n  user long\n  bot refuse\n",
    "deep.co": "".join(" " * n + "if $x\n" for n in range(900)),
    "deep.py": "x = " + "[" * 300 + "]" * 300 + "\n",
    "run.py": "open('ran', 'w').write('x')\nraise SystemExit(3)\n",
    "kb/notes.md": "# notes",
    ".hidden/secret.yml": "models: [x]\n",
}


@pytest.fixture
def wild(tmp_path: Path) -> Path:
    root = tmp_path / "wild"
    for name, content in WILD.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    (root / "loop").symlink_to(root, target_is_directory=True)
    (root / "gone.co").symlink_to(root / "nowhere.co")
    (root / "folder.co").mkdir()
    os.mkfifo(root / "pipe.co")
    return root


def test_everything_wild_at_once(wild: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    outcome = import_project(wild, tmp_path / "rails")
    places = {(left.file, left.why) for left in outcome.left}
    assert ("binary.co", "is not UTF-8 text") in places
    assert any(file == "long.co" and "longer than 200" in why for file, why in places)
    assert ("c.yml", "is not YAML that can be read") in places
    assert ("e.yml", "is not YAML that can be read") in places
    assert any(file == "kb/notes.md" for file, _ in places)
    assert not any(".hidden" in file or "loop" in file for file, _ in places)
    assert {each.name for each in outcome.made if each.kind == "rule"} == {"scope x y z e", "scope xyz e"}
    assert {finding.code for finding in at_least(lint(tmp_path / "rails"), "warning")} <= {"few-examples"}
    assert not (tmp_path / "ran").exists()


def test_a_file_beyond_measure_is_left(tmp_path: Path):
    root = tmp_path / "big"
    root.mkdir()
    (root / "big.co").write_bytes(b"#" * 2_000_001)
    (root / "config.yml").write_text("models: []\n", encoding="utf-8")
    outcome = import_project(root, tmp_path / "rails")
    assert [left.file for left in outcome.left if "longer" in left.why] == ["big.co"]


def test_no_project_is_a_clear_error_and_writes_nothing(tmp_path: Path):
    (tmp_path / "empty").mkdir()
    for source in (tmp_path / "empty", tmp_path / "nowhere"):
        with pytest.raises(UsageError, match=r"\.co|no such"):
            import_project(source, tmp_path / "rails")
    assert not (tmp_path / "rails").exists()


def test_a_target_that_cannot_be_written(tmp_path: Path, wild: Path, monkeypatch: pytest.MonkeyPatch):
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "mkdir", full)
    with pytest.raises(UsageError, match="No space left"):
        import_project(wild, tmp_path / "rails")


NAMED = ["a", 'b "q"', "x $y {z}", "É or and", "flow", "in scope", "user", "9 9", "long " * 30, "..", "/etc/x", "main"]
SPOKEN = [
    "hi there",
    "what \\d is $this {b}?",
    'say "x" now',
    "\\",
    "{{x}}",
    "ñandú às 5?",
    "$",
    "a|b(c)*",
    "can I?",
    "😀 hi",
]


@pytest.mark.parametrize("seed", range(10))
def test_whatever_is_named_and_said_the_folder_compiles_in_both_parsers(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def no_lint(_: Path) -> list[ToMend]:
        return []

    monkeypatch.setattr("carerails.importing.write._findings", no_lint)
    pick = Random(seed).choice
    old = [
        f'define user {(name := pick(NAMED))}\n  "{pick(SPOKEN)}"\n  "{pick(SPOKEN)}"\n'
        f'define bot refuse {name}\n  "{pick(SPOKEN)}"\ndefine flow\n  user {name}\n  bot refuse {name}\n'
        for _ in range(4)
    ]
    new = [
        f'flow user {(name := pick(NAMED))}\n  user said "{pick(SPOKEN)}" or user said "{pick(SPOKEN)}"\n'
        f'flow {pick(NAMED)} $t\n  if search("{pick(SPOKEN)}", $t)\n    abort\n'
        f'flow {pick(NAMED)}\n  user {name}\n  bot say "Sorry, {pick(SPOKEN)}"\n'
        for _ in range(4)
    ]
    root = tmp_path / "project"
    root.mkdir()
    (root / "old.co").write_text("".join(old), encoding="utf-8")
    (root / "new.co").write_text("".join(new), encoding="utf-8")
    outcome = import_project(root, tmp_path / "rails")
    policy = Policy.load(tmp_path / "rails")
    assert len(policy.rules) == sum(each.kind == "rule" for each in outcome.made) > 0
    for path in (tmp_path / "rails").rglob("*.co"):
        if "examples" not in path.parts:
            assert parse_colang_file(path.name, path.read_text(encoding="utf-8"), version="2.x")["flows"]
    for example in policy.examples:  # what a rule was made of, it hits
        if example.category != "in-scope":
            assert not (of_text(example.text).regex and not policy.check(normalise(example.text)[0].text))


def test_two_projects_in_one_directory_are_told(tmp_path: Path):
    for name in ("one", "two"):
        (tmp_path / "both" / name).mkdir(parents=True)
        (tmp_path / "both" / name / "config.yml").write_text("colang_version: '1.0'\n", encoding="utf-8")
    outcome = import_project(tmp_path / "both", tmp_path / "rails")
    assert [left.file for left in outcome.left] == ["two/config.yml"]
