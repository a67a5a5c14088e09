"""Pytest fixtures of the test kit."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from carerails.testing.endpoint import StubLLM


@pytest.fixture
def stub_llm() -> Generator[StubLLM]:
    """A running endpoint; nothing is scripted."""
    with StubLLM() as server:
        yield server
