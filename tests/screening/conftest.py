"""Fixtures of the tests of screening."""

from __future__ import annotations

import pytest

from carerails.screening.local import LocalModel


@pytest.fixture(scope="session")
def local() -> LocalModel:
    """The shipped rails, loaded once, without the extra."""
    return LocalModel(semantic=False)
