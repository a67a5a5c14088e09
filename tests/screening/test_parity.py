"""Both runtimes find the same instructions: the rails of screening are one policy for any engine."""

from __future__ import annotations

import asyncio
from importlib.util import find_spec

import pytest

from carerails.contracts import RuleHit
from carerails.evals.screening import UnitCase, load_screening_slice
from carerails.policy import Policy
from carerails.resources import data_dir, rails_files
from carerails.screening.carriers import BAR, screening_rails
from carerails.text import normalise

pytestmark = pytest.mark.skipif(not find_spec("nemoguardrails"), reason="NeMo is not installed")

#: Every n-th case: a turn takes NeMo milliseconds.
STEP = 7


def texts() -> list[str]:
    cases = [case for case in load_screening_slice("screening")[1] if isinstance(case, UnitCase)]
    return ["\n".join(view.text for view in normalise(BAR + case.text)) for case in cases[::STEP]]


def test_both_runtimes_hit_the_same_rules_with_the_same_terms() -> None:
    from carerails_nemo.engine import NemoEngine

    async def hits() -> list[tuple[RuleHit, ...]]:
        engine = NemoEngine(screening_rails())
        await engine.start()
        try:
            return [(await engine.evaluate(text)).hits for text in texts()]
        finally:
            await engine.close()

    policy = Policy.load(screening_rails())
    ours = [policy.check(text) for text in texts()]
    assert asyncio.run(hits()) == ours
    assert sum(map(bool, ours)) > len(ours) / 3


def test_the_runtime_that_hears_users_loads_none_of_these_files() -> None:
    rails = data_dir("rails")
    own = {path.relative_to(rails).parts[0] for path in rails_files(rails)}
    assert "screening" not in own
    assert not any(name.startswith("screening ") for name in Policy.load(rails).rules)
