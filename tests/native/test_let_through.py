"""What a scope rule leaves aside (food, an alarm, a reason, a leaflet) lets no ask through that stands beside it.

`let_through.jsonl` has asks about doses, illnesses and treatments that hold an exception's words, of which one in three
was answered once, and ordinary questions that the same exceptions are for. Their authors had read the exceptions.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from carerails.contracts import LOCALES, Locale, Turn
from carerails.engine import open_engine

ROWS = [
    json.loads(line) for line in Path(__file__).with_name("let_through.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("refused", [True, False])
def test_an_exception_lets_through_what_it_is_for_and_nothing_else(locale: Locale, refused: bool):
    engine = open_engine("native", floor=False)
    texts = [row["text"] for row in ROWS if row["locale"] == locale and row["refused"] == refused]
    assert len(texts) > 20
    stopped = [engine.check_now(Turn.of(text, locale=locale)).decision in ("refuse", "escalate") for text in texts]
    assert [text for text, stop in zip(texts, stopped, strict=True) if stop != refused] == []
