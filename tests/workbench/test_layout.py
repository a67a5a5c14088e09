"""`rails fmt`: one layout, the same meaning, and a second time nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from carerails.cli import app
from carerails.colang import CompileError
from carerails.resources import data_dir, rails_files
from carerails.workbench.layout import formatted

CASES = [
    ("spaces at ends", "flow f $t -> $y\n  return 1  \n\n\n", "flow f $t -> $y\n  return 1\n"),
    ("line ends", "flow f\r\n  return 1\r\n", "flow f\n  return 1\n"),
    ("blank lines", "\n\nflow f\n  return 1\n\n\n\nflow g\n  return 2", "flow f\n  return 1\n\nflow g\n  return 2\n"),
    (
        "indentation",
        "flow f $t\n    if $t\n       return 1\n    return 2\n",
        "flow f $t\n  if $t\n    return 1\n  return 2\n",
    ),
    ("assignment", "flow f\n  $x=1\n  return $x\n", "flow f\n  $x = 1\n  return $x\n"),
    ("operators", 'flow f $t\n  return "a"+$t  +"b"\n', 'flow f $t\n  return "a" + $t + "b"\n'),
    ("commas", "flow f\n  return [1,2 ,3]\n", "flow f\n  return [1, 2, 3]\n"),
    ("brackets", 'flow f $t\n  return search( "a", $t )\n', 'flow f $t\n  return search("a", $t)\n'),
    (
        "named arguments",
        "flow f $a\n  $x = await f $a=1\n  return $x\n",
        "flow f $a\n  $x = await f $a=1\n  return $x\n",
    ),
    (
        "meta",
        '@meta( kind="scope",priority=1 )\nflow f\n  return 1\n',
        '@meta(kind="scope", priority=1)\nflow f\n  return 1\n',
    ),
    ("sign", "flow f $t\n  return $t[-1]\n", "flow f $t\n  return $t[-1]\n"),
    ("strings stay", 'flow f\n  return "a+b ,  c="\n', 'flow f\n  return "a+b ,  c="\n'),
    ("comments stay", "# a  b\nflow f\n  # c\n  return 1 # d\n", "# a  b\nflow f\n  # c\n  return 1  # d\n"),
    (
        "further lines move along",
        'flow f\n      $x = ["a",\n        "b"]\n      return $x\n',
        'flow f\n  $x = ["a",\n    "b"]\n  return $x\n',
    ),
    ("docstrings stay", 'flow f\n  """a\n     b"""\n  return 1\n', 'flow f\n  """a\n     b"""\n  return 1\n'),
    ("main stays", "flow main\n  match  X()\n  send Y( a=1 )\n", "flow main\n  match  X()\n  send Y( a=1 )\n"),
]


@pytest.mark.parametrize(("text", "right"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_file_gets_the_one_layout_and_keeps_it(text: str, right: str) -> None:
    assert formatted("rules.co", text) == right
    assert formatted("rules.co", right) == right


def test_examples_are_only_tidied_at_their_ends() -> None:
    text = 'flow examples of x\n  # en\n  user said "a ,b"  \n\n\n    or user said "c+d"\n'
    right = 'flow examples of x\n  # en\n  user said "a ,b"\n\n    or user said "c+d"\n'
    assert formatted("examples/x.co", text) == right


def test_what_cannot_be_parsed_is_left_alone() -> None:
    with pytest.raises(CompileError):
        formatted("rules.co", "flow f\n  return (1\n")


def test_our_rails_have_the_layout() -> None:
    for main in sorted(data_dir("rails").rglob("main.co")):
        for path in rails_files(main.parent):
            text = path.read_text(encoding="utf-8")
            assert formatted(path.relative_to(main.parent).as_posix(), text) == text, path


def test_the_command_checks_then_writes_then_is_content(tmp_path: Path) -> None:
    file = tmp_path / "rules.co"
    file.write_text("flow f\n  $x=1\n  return $x\n", encoding="utf-8")
    run = CliRunner()
    assert run.invoke(app, ["rails", "fmt", "--check", str(tmp_path)]).exit_code == 1
    assert file.read_text(encoding="utf-8") == "flow f\n  $x=1\n  return $x\n"
    assert run.invoke(app, ["rails", "fmt", str(tmp_path)]).exit_code == 0
    assert file.read_text(encoding="utf-8") == "flow f\n  $x = 1\n  return $x\n"
    assert run.invoke(app, ["rails", "fmt", "--check", str(tmp_path)]).exit_code == 0
