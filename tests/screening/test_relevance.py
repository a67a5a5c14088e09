"""Relevance by meaning: sources are compared with one another, and by default nothing is left out."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from carerails.contracts import Asking, Unit
from carerails.screening.local import LocalModel
from carerails.screening.relevance import Relevance
from carerails.screening.screener import Screener
from carerails.screening.settings import ScreeningSettings
from carerails.screening.vectors import Vectors
from carerails.semantic import is_installed
from tests.screening.kit import passage

numpy: Any = pytest.importorskip("numpy")


#: How near each text is to the question.
NEAR = {"asked": 1.0, "near": 0.8, "nearly": 0.49, "far": 0.4}


class Scripted:
    """An encoder that knows four texts."""

    def encode(self, texts: list[str]) -> Any:
        cosines = [NEAR[text] for text in texts]
        return numpy.array([[cosine, (1 - cosine**2) ** 0.5] for cosine in cosines])


def levels(*texts: str) -> list[float]:
    units = tuple(Unit(key=f"u{at}", text=text, source=text) for at, text in enumerate(texts, 1))
    asking = Asking(question="asked", locale="en", units=units)
    found = Relevance(Vectors(Scripted())).scores(asking.question, asking.locale, asking.units)
    return [found[unit.key].score for unit in units]


def test_a_source_is_far_beside_a_nearer_one_and_not_by_itself() -> None:
    near, nearly, far = levels("near", "nearly", "far")
    assert near > nearly > 0.5 > far
    assert levels("nearly", "far") == [nearly, levels("far")[0]]
    assert levels("far")[0] > 0.5


PASSAGES = (
    passage("Keep insulin in the fridge.", "Do not freeze it."),
    passage("The museum opens at nine.", "Children enter for free.", card="museum", title="Museums in town"),
)
ASKED = "Where should I store my insulin pens?"


@pytest.mark.skipif(not is_installed(), reason="the extra `semantic` is not installed")
@pytest.mark.parametrize(("least", "kept"), [(0.5, ["storage-insulin"]), (0.0, ["storage-insulin", "museum"])])
def test_what_is_beside_the_point_is_left_out_where_a_number_says_so(least: float, kept: list[str]) -> None:
    by_meaning = LocalModel(semantic=True, head=False)
    by_meaning.start()
    screener = Screener(ScreeningSettings(min_relevance=least), rails=by_meaning)
    found = asyncio.run(screener.screen(ASKED, "en", PASSAGES))
    assert [each.card for each in found.passages] == kept


def test_nothing_is_left_out_by_default(local: LocalModel) -> None:
    found = asyncio.run(Screener(ScreeningSettings(), rails=local).screen(ASKED, "en", PASSAGES))
    assert len(found.passages) == 2
