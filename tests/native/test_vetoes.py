"""What a rule leaves aside (a place, a topic, a jest, long ago, a leaflet) silences no emergency that only mentions it.

`silenced.jsonl` has messages in which an exception of a rule was wider than its reason, most of which were missed once,
and everyday messages that the same exceptions are for. Their authors had read the exceptions.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from carerails.contracts import LOCALES, Locale, Turn
from carerails.engine import open_engine

ROWS = [
    json.loads(line) for line in Path(__file__).with_name("silenced.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("escalates", [True, False])
def test_an_exception_silences_what_it_is_for_and_nothing_else(locale: Locale, escalates: bool):
    engine = open_engine("native", floor=False)
    texts = [row["text"] for row in ROWS if row["locale"] == locale and row["escalates"] == escalates]
    assert len(texts) > 80
    alarms = [engine.check_now(Turn.of(text, locale=locale)).severity in ("emergency", "crisis") for text in texts]
    assert [text for text, alarm in zip(texts, alarms, strict=True) if alarm != escalates] == []
