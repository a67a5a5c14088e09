"""The whole check (normalise, rules, decision, evidence) by engine and length, benign and with a hit, side by side."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Sequence

from carerails.contracts import Turn
from carerails.engine import FailSafeEngine, open_engine
from carerails.evals.cases import load_slice

ENGINES = ("native", "nemo")


def run(_: int) -> None:
    """Print p50 and p95 by engine, and the ratio."""
    asyncio.run(_run())


def _texts() -> dict[str, tuple[Sequence[str], tuple[int, ...]]]:
    """Texts by kind, with how many repeats each engine gets."""
    ordinary = [case.text for case in load_slice("over-refusal").cases if case.text]
    acute = [case.text for case in load_slice("escalation").cases if case.must_escalate and case.text]
    prose = " ".join(ordinary * 20)
    return {
        "benign, 80 characters": ([text[:80] for text in ordinary][:200], (5, 1)),
        "with a red flag": (acute[:200], (5, 1)),
        "benign, 4,000": ([prose[start : start + 4000] for start in range(0, 40_000, 1000)], (3, 1)),
        "benign, 100,000": ([(prose * 5)[start : start + 100_000] for start in (0, 500, 1000)], (1, 1)),
        "adversarial, 100,000": (_adversarial(acute), (1, 1)),
    }


def _adversarial(acute: Sequence[str]) -> list[str]:
    """All that costs most: hits everywhere, one-letter words, leet, stretched letters, combining marks."""
    dense = " ".join([*acute] * 50)[:100_000]
    return [dense, "a " * 50_000, "k1ll " * 20_000, "a" * 100_000, "e\u0301" * 50_000, dense[:50_000] + "d" * 50_000]


async def _run() -> None:
    async with open_engine("native") as native, open_engine("nemo") as nemo:
        print(f"{'':<24}{'native p50':>12}{'p95':>10}{'nemo p50':>14}{'p95':>12}   ratio of p50")
        for kind, (texts, repeats) in _texts().items():
            first, second = [await _time(e, texts, n) for e, n in zip((native, nemo), repeats, strict=True)]
            cells = "".join(f"{value:>12,.0f}" for value in (*first[:2], *second[:2]))
            failed = "".join(
                f"  {name}: {n} failed" for name, (_, _, n) in zip(ENGINES, (first, second), strict=True) if n
            )
            print(f"{kind:<24}{cells} us  {second[0] / first[0]:.0f}{failed}")


async def _time(engine: FailSafeEngine, texts: Sequence[str], repeats: int) -> tuple[float, float, int]:
    """Median and 95th percentile, in microseconds, and how many checks failed: those end early, or at the deadline."""
    turns = [Turn.of(text, locale="en") for text in texts]
    for turn in turns[:20]:
        await engine.check(turn)
    times: list[float] = []
    failed = 0
    for _ in range(repeats):
        for turn in turns:
            begin = time.perf_counter_ns()
            decision = await engine.check(turn)
            times.append((time.perf_counter_ns() - begin) / 1000)
            failed += decision.failed
    times.sort()
    return statistics.median(times), times[int(len(times) * 0.95)], failed
