"""The two engines agree, evidence included: on every case of our slices and on fuzzed turns.

`python -m evals.benchmarks agreement` asks them 20,000 fuzzed turns.
"""

from __future__ import annotations

import asyncio
import random

import pytest
from evals.benchmarks.agreement import differing

from carerails.evals.cases import load_slice, slice_names
from carerails.evals.fuzz import fuzz_turns

CASES = [case for name in slice_names() for case in load_slice(name).cases]


@pytest.mark.parametrize("part", range(4))
def test_on_every_case(part: int):
    chosen = CASES[part::4]
    assert [chosen[number].id for number in asyncio.run(differing(case.turn() for case in chosen))] == []


@pytest.mark.parametrize("seed", range(4))
def test_on_fuzzed_turns(seed: int):
    texts = [case.text for case in CASES if case.text]
    turns = list(fuzz_turns(texts, 150, seed=random.Random(seed).randint(0, 10**6)))
    assert [turns[number] for number in asyncio.run(differing(turns))] == []
