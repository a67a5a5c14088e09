"""The facts of the shipped policy, gathered once, and where they come from."""

from __future__ import annotations

from pathlib import Path

import pytest

import carerails
from carerails.posture.check import Places
from carerails.posture.facts import Facts, gather
from carerails.resources import data_dir

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def places() -> Places:
    told = (Path(str(carerails.__file__)), ROOT / "README.md")
    return Places(data_dir("rails"), data_dir("config"), data_dir("evals") / "slices", told)


@pytest.fixture(scope="session")
def facts(places: Places) -> Facts:
    return gather(places.rails, places.config, places.slices)
