"""Orders, verdicts and guesses as plain as people speak, and the everyday sentences beside them, on the rails alone.

Their author wrote the rules after half of them; those that no rule finds yet are not here.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from carerails.contracts import LOCALES, Locale
from carerails.policy import Policy
from carerails.resources import data_dir
from carerails.text.views import normalise

ROWS = [json.loads(line) for line in Path(__file__).with_name("plain.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("stopped", [True, False])
def test_plain_sentences(locale: Locale, stopped: bool):
    policy = Policy.load(data_dir("rails") / "output")
    texts = [row["text"] for row in ROWS if row["locale"] == locale and row["stopped"] == stopped]
    assert len(texts) > 20
    hit = [bool(policy.check("\n".join(view.text for view in normalise(text)))) for text in texts]
    assert [text for text, stops in zip(texts, hit, strict=True) if stops != stopped] == []
