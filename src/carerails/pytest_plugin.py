"""The pytest plugin: `pytest evals --engine native` runs every case of a slice as an item. See docs/pytest.md.

It is loaded by every pytest run of an environment that has carerails. So without `--engine` it defines no option and
imports nothing, and a name that another plugin or a conftest defines is theirs.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest

PREFIX = "carerails-"
#: What each option is; the name without the prefix is left out where it is another plugin's.
OPTIONS: dict[str, dict[str, Any]] = {
    "engine": {"metavar": "NAME", "help": "collect slices of cases, and decide them on this engine"},
    "rails": {"metavar": "DIR", "help": "rails directory, or an exported policy.json"},
    "gated": {"action": "store_true", "help": "behind the always-on gate, as deployed"},
}
TAKEN = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config, parser: pytest.Parser, args: list[str]
) -> Generator[None, Any, Any]:
    """Define the options: when every plugin and conftest has defined its own, so that no name clashes."""
    result = yield
    said = {arg.partition("=")[0] for arg in args}
    if said & {"--engine", f"--{PREFIX}engine", "-h", "--help"}:
        group = parser.getgroup("carerails", "carerails: slices of cases")
        for name, attributes in OPTIONS.items():
            taken = _is_taken(parser, name, attributes)
            group.addoption(*_names(name, taken), dest=f"carerails_{name}", **attributes)
            if name == "engine":
                early_config.stash[TAKEN] = taken and "--engine" in said and _has_slices(args)
    return result


def pytest_configure(config: pytest.Config) -> None:
    """Begin to collect slices, where an engine is named."""
    if getattr(config.option, "carerails_engine", None):
        from carerails.evals.collecting import SlicePlugin

        config.pluginmanager.register(SlicePlugin(config), "carerails-slices")


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say why nothing is collected where another plugin has our option."""
    if not config.stash.get(TAKEN, False):
        return None
    return f"carerails: --engine is another plugin's option here; to run slices, write --{PREFIX}engine NAME"


def _names(name: str, taken: bool) -> list[str]:
    return [f"--{PREFIX}{name}", *([] if taken else [f"--{name}"])]


def _is_taken(parser: pytest.Parser, name: str, attributes: dict[str, Any]) -> bool:
    """Whether somebody has defined the option: a parser hands back what it does not know."""
    value = "" if attributes.get("action") == "store_true" else "=x"
    return not parser.parse_known_and_unknown_args([f"--{name}{value}"])[1]


def _has_slices(args: Sequence[str]) -> bool:
    """Whether what is to be run looks like ours."""
    paths = [Path(arg) for arg in args if not arg.startswith("-")]
    return any(
        path.suffix == ".jsonl" or "slices" in path.parts or (path / "slices").is_dir()
        for path in paths
        if path.exists()
    )
