"""How a text is worded: features that several texts share, and what heads learn from them beside meaning."""

from __future__ import annotations

import numpy as np
import pytest

from carerails.semantic.heads import Heads, fit
from carerails.semantic.wording import Wording

TEXTS = [
    "may i take 2 pills?",
    "may i take 40 more",
    "may i stop taking it?",
    "she stops the bus",
    "the bus",
    "the bus?",
]


def test_words_pairs_and_beginnings_that_three_texts_share_are_features():
    names = Wording.of(TEXTS).names
    assert {"may", "i", "may i", "?", "the bus"} <= set(names)
    assert "0" not in names, "two texts have a number"
    shared = Wording.of(["pills may help"] * 3).names
    assert set(shared) == {"pills", "may", "help", "pills may", "may help", "pills _ help", "pill-", "pills-"}


def test_all_numbers_are_one_word():
    assert "take 0" in Wording.of(["take 2", "take 17", "take 300"]).names


def test_a_row_is_of_length_1_or_of_zeros_and_rare_features_weigh_more():
    wording = Wording.of(TEXTS)
    rows = wording.rows([*TEXTS, "", "unheard of"]).toarray()
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1] * len(TEXTS) + [0, 0], abs=1e-6)
    common, rare = wording.names.index("i"), wording.names.index("the bus")
    texts = Wording.of([*TEXTS, *["i said so"] * 9])
    assert texts.rarity[texts.names.index("i")] < texts.rarity[texts.names.index("the bus")]
    assert wording.rarity[common] == wording.rarity[rare] == pytest.approx(np.log(2))


def test_one_text_is_as_its_row_is():
    wording = Wording.of(TEXTS)
    for text, row in zip(TEXTS, wording.rows(TEXTS).toarray(), strict=True):
        places, values = wording.of_one(text)
        assert list(places) == sorted(places)
        assert row[places] == pytest.approx(values)
        assert np.count_nonzero(row) == len(places)


def learnt(texts: list[str] | None) -> Heads:
    """Texts that mean the same to the encoder; half of them ask for leave."""
    vectors = np.full((40, 512), 512**-0.5, dtype=np.float32)
    told = np.where(np.arange(40) < 20, 1.0, -1.0).astype(np.float32)[:, None]
    return fit(vectors, told, [number % 5 for number in range(40)], 0.25, texts)


def test_heads_tell_apart_what_only_wording_tells_apart_and_are_kept_with_it():
    texts = [f"may i take pill number {n}" if n < 20 else f"i was told of pill number {n}" for n in range(40)]
    vector = np.full(512, 512**-0.5, dtype=np.float32)
    heads = learnt(texts)
    for kept in (heads, Heads.from_bytes(heads.to_bytes())):
        asked, told = (float(kept.log_odds(vector, text)[0][0]) for text in ("may i", "i was told"))
        assert asked > 1 > -1 > told
    meaning = learnt(None)
    assert meaning.log_odds(vector, "may i")[0] == meaning.log_odds(vector, "i was told")[0]
    again = Heads.from_bytes(meaning.to_bytes())
    assert again.log_odds(vector, "may i")[0] == meaning.log_odds(vector)[0]


def test_what_was_left_out_is_scored_without_its_wording():
    """In closed form as by a fit without the fold, but for the rarity of features, which all texts tell."""
    texts = [f"may i take pill number {n}" if n < 20 else f"i was told of pill number {n}" for n in range(40)]
    heads = learnt(texts)
    assert (heads.held_out[:20, 0] > 0).all()
    assert (heads.held_out[20:, 0] < 0).all()
