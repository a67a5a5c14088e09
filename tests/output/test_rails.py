"""The rails of replies are in order: they lint clean, and their guards are what their patterns make."""

from __future__ import annotations

from typer.testing import CliRunner

from carerails.cli import app
from carerails.guards import is_current
from carerails.policy import Policy
from carerails.resources import data_dir

RAILS = data_dir("rails") / "output"


def test_they_lint_clean():
    result = CliRunner().invoke(app, ["rails", "lint", str(RAILS)])
    assert (result.exit_code, result.stdout) == (0, "")


def test_their_guards_are_up_to_date():
    assert is_current(Policy.load(RAILS, check=False), (RAILS / "guards.co").read_text(encoding="utf-8"))
