"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from carerails.policy import Policy
from carerails.resources import data_dir
from tests.kit import small_rails

os.environ["NEMO_GUARDRAILS_NO_USAGE_STATS"] = "1"


@pytest.fixture(scope="session", autouse=True)
def shipped() -> list[Policy]:
    """The rails that are shipped, held so that no test need load them again."""
    home = data_dir("rails")
    return [Policy.load(home), Policy.load(home / "output"), Policy.load(home / "screening")]


@pytest.fixture(scope="session")
def rails(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small rails of seven rules."""
    return small_rails(tmp_path_factory.mktemp("small"))
