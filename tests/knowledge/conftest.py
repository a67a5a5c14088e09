"""The shipped cards, searched with and without the extra."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from carerails.knowledge.cards import Knowledge, load_cards
from carerails.knowledge.reading import Reader, load_reader
from carerails.knowledge.retrieval import CardRetriever
from carerails.knowledge.semantic import is_installed
from carerails.policy import Policy

BOTH = [
    "words",
    pytest.param("semantic", marks=pytest.mark.skipif(not is_installed(), reason="the extra is not installed")),
]


@pytest.fixture(scope="session")
def knowledge() -> Knowledge:
    return load_cards()


@pytest.fixture(scope="session")
def reader(knowledge: Knowledge) -> Reader:
    return load_reader(knowledge)


@pytest.fixture(scope="package", autouse=True)
def _policies_load_once() -> Iterator[None]:
    """The linter loads the shipped rails, which takes seconds and always gives the same; other tests write rails."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Policy, "load", cache(Policy.load))
        yield


@pytest.fixture(scope="session", params=BOTH)
def retriever(
    request: pytest.FixtureRequest, knowledge: Knowledge, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[CardRetriever]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(Path(tmp_path_factory.getbasetemp()) / "cache"))
        patch.delenv("CARERAILS_CACHE", raising=False)
        yield CardRetriever(knowledge, semantic=request.param == "semantic")


@pytest.fixture(scope="session")
def plain(knowledge: Knowledge) -> CardRetriever:
    """Without the extra, for what asks hundreds of questions."""
    return CardRetriever(knowledge, semantic=False)
