"""The two engines agree, evidence included: on every case of our slices and on fuzzed turns.

`python -m evals.benchmarks agreement` asks them 20,000 fuzzed turns.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from evals.benchmarks.agreement import differing

from carerails.contracts import TurnDecision
from carerails.engine import open_engine
from carerails.evals.cache import Cache
from carerails.evals.cases import Case, load_slice, slice_names
from carerails.evals.fuzz import fuzz_turns

CASES = [case for name in slice_names() for case in load_slice(name).cases]
#: What NeMo decides takes a minute, and `make gate` asks it too: whoever comes first keeps it for the other, under the
#: hash of rails and code.
KEPT = Path(__file__).parents[1] / "out" / "decisions"


async def decided_by_nemo(cases: Sequence[Case]) -> list[TurnDecision]:
    engine = open_engine("nemo", floor=False)
    kept = Cache.of(KEPT, engine.fingerprint, "nemo", gated=False)
    found = {case.hash: known and known.decision for case in cases for known in [kept.get(case.hash, 0)]}
    if None in found.values():
        async with engine:
            for case in cases:
                if found[case.hash] is None:
                    found[case.hash] = decision = await engine.check(case.turn())
                    kept.put(case.hash, 0, decision)
    kept.close()
    return [decision for case in cases if (decision := found[case.hash])]


@pytest.mark.parametrize("part", range(4))
def test_on_every_case(part: int):
    chosen = CASES[part::4]
    native = open_engine("native")
    theirs = asyncio.run(decided_by_nemo(chosen))
    assert len(theirs) == len(chosen)
    ours = [native.check_now(case.turn()).model_copy(update={"engine": "nemo"}) for case in chosen]
    pairs = zip(chosen, ours, theirs, strict=True)
    assert [case.id for case, one, other in pairs if one.failed or other.failed or one != other] == []


@pytest.mark.parametrize("seed", range(2))
def test_on_fuzzed_turns(seed: int):
    texts = [case.text for case in CASES if case.text]
    turns = list(fuzz_turns(texts, 250, seed=random.Random(seed).randint(0, 10**6)))
    assert [turns[number] for number in asyncio.run(differing(turns))] == []
