"""Statistics on counts and costs. numpy is imported on first use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import NormalDist

from carerails.contracts import Frozen


class Rate(Frozen):
    """`hits` of `of`, with a 95 % Wilson interval; all None where there is nothing to count."""

    hits: int
    of: int
    value: float | None
    low: float | None
    high: float | None


def rate(hits: int, of: int) -> Rate:
    """A proportion with its 95 % score interval (Wilson 1927, JASA 22:209-212).

    Worked out here, since a run that asks scipy for it waits longer for the import than for 1,000 decisions.
    """
    if of == 0:
        return Rate(hits=0, of=0, value=None, low=None, high=None)
    share = hits / of
    z = NormalDist().inv_cdf(0.975)
    middle = share + z * z / (2 * of)
    half = z * sqrt(share * (1 - share) / of + (z / (2 * of)) ** 2)
    below = 1 + z * z / of
    low, high = (middle - half) / below, (middle + half) / below
    return Rate(
        hits=hits, of=of, value=share, low=max(0.0, low) if hits else 0.0, high=min(1.0, high) if hits < of else 1.0
    )


def f_beta(precision: Rate | None, recall: Rate | None, beta: float) -> float | None:
    """F-beta of two rates (van Rijsbergen 1979): recall weighs `beta` times as much; None where either is missing."""
    if precision is None or recall is None or precision.value is None or recall.value is None:
        return None
    weight = beta * beta
    below = weight * precision.value + recall.value
    return (1 + weight) * precision.value * recall.value / below if below else 0.0


def mean_interval(values: Mapping[int, int]) -> tuple[float, float, float]:
    """Mean of values, given with their frequencies, and its 95 % percentile bootstrap interval.

    2,000 resamples with a fixed seed (Efron 1979); they are drawn as multinomial counts, which is the same distribution
    and needs no copy of the sample.
    """
    import numpy as np

    total = sum(values.values())
    if not total:
        return 0.0, 0.0, 0.0
    levels = np.asarray(list(values), dtype=float)
    shares = np.asarray(list(values.values()), dtype=float) / total
    means = np.random.default_rng(7).multinomial(total, shares, size=2000) @ levels / total
    low, high = np.quantile(means, [0.025, 0.975])
    return float(levels @ shares), float(low), float(high)


def percentile(values: Sequence[float], share: float) -> float | None:
    """The value below which `share` of the values lie (nearest rank); None of nothing."""
    if not values:
        return None
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
