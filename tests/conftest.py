"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.kit import small_rails

os.environ["NEMO_GUARDRAILS_NO_USAGE_STATS"] = "1"


@pytest.fixture(scope="session")
def rails(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small rails of seven rules."""
    return small_rails(tmp_path_factory.mktemp("small"))
