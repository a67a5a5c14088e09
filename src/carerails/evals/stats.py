"""Statistics on counts and costs. scipy does the work and is imported on first use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from carerails.contracts import Frozen


class Rate(Frozen):
    """`hits` of `of`, with a 95 % Wilson interval; all None where there is nothing to count."""

    hits: int
    of: int
    value: float | None
    low: float | None
    high: float | None


def rate(hits: int, of: int) -> Rate:
    """A proportion with its 95 % Wilson score interval (Wilson 1927; scipy.stats.binomtest)."""
    if of == 0:
        return Rate(hits=0, of=0, value=None, low=None, high=None)
    from scipy import stats  # pyright: ignore[reportMissingTypeStubs]

    interval: Any = stats.binomtest(hits, of).proportion_ci(0.95, method="wilson")  # pyright: ignore[reportUnknownMemberType]
    return Rate(hits=hits, of=of, value=hits / of, low=float(interval.low), high=float(interval.high))


def mean_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Mean with its 95 % percentile bootstrap interval (Efron 1979; 2,000 resamples, fixed seed)."""
    import numpy as np

    if not values:
        return 0.0, 0.0, 0.0
    sample = np.asarray(values, dtype=float)
    picks = np.random.default_rng(7).integers(0, len(sample), size=(2000, len(sample)), dtype=np.int32)
    means = sample[picks].mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(sample.mean()), float(low), float(high)


def percentile(values: Sequence[float], share: float) -> float | None:
    """The value below which `share` of the values lie (nearest rank); None of nothing."""
    if not values:
        return None
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
