"""Broad drift between two sides: every watched metric, whole and by locale, tested on the cases that changed.

Both sides decide the same cases, so only the pairs that changed say anything. A drift is called where

- the exact one-sided McNemar test on them (McNemar 1947; for costs the sign-flip test, which is the same thing with
  weights) has p <= `ALPHA` after Holm's correction (Holm 1979) for all tests of its family, and
- it is at least `SIZE`.

There are two families: the tests of all cases, and those of the locales. Intervals are at 95 %: of a difference of
rates by Agresti and Min (2005, Statistics in Medicine 24:729), of costs by a paired bootstrap.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, erfc, log2, prod, sqrt
from typing import Any, Literal

from carerails.contracts import LOCALES, Frozen
from carerails.evals.rows import Row
from carerails.evals.stats import mean_interval

#: Error probability of a family. docs/gate.md says what it was weighed against: an engine of which one case in a
#: hundred flips at random raises a false alarm in one run of some 3,400, and 13 flips to one side are seen.
ALPHA = 0.001
#: The least drift that is called: half a point, or as much cost a case.
SIZE = 0.005
#: Watched metrics, and whether more of them is better.
WATCHED: Mapping[str, bool] = {
    "recall": True,
    "false_alarm": False,
    "over_refusal": False,
    "refused": True,
    "right": True,
    "answered": True,
    "citation_coverage": True,
    "citation_correct": True,
}
COST = "cost"
WHOLE = "all"
_Z95 = 1.959963984540054
#: Sums of flipped costs beyond which their distribution is taken for normal.
_EXACT = 4_000_000

Way = Literal["worse", "better", ""]


class Drift(Frozen):
    """How a metric changed on the pairs of a part.

    Attributes:
        part: all, or a locale.
        worse: pairs that changed for the worse.
        difference: of rates, or of mean costs a case: now less before.
        low: of its 95 % interval.
        p: that so many pairs or more change this way by chance, corrected for all tests of the family.
        way: worse or better where a drift is called.
        visible: the least difference that could be called on so many pairs.
    """

    metric: str
    part: str
    pairs: int
    worse: int
    better: int
    difference: float
    low: float
    high: float
    p: float
    way: Way
    visible: float


@dataclass
class Drifts:
    """Takes pairs one at a time and keeps only counts."""

    _moves: dict[tuple[str, str], list[int]] = field(default_factory=dict[tuple[str, str], "list[int]"])
    _costs: dict[str, Counter[int]] = field(default_factory=dict[str, "Counter[int]"])

    def add(self, was: Row, now: Row) -> None:
        """Count a pair, whole and in its locale."""
        for part in (WHOLE, now.locale):
            for metric in WATCHED:
                before, after = hit(was, metric), hit(now, metric)
                if before is not None and after is not None:
                    moves = self._moves.setdefault((metric, part), [0, 0, 0])
                    moves[0] += 1
                    moves[1] += after > before
                    moves[2] += after < before
            if was.cost is not None and now.cost is not None:
                self._costs.setdefault(part, Counter())[now.cost - was.cost] += 1

    @property
    def labelled(self) -> int:
        """Pairs with a gold label."""
        return self._costs.get(WHOLE, Counter()).total() if self._costs else 0

    def tested(self) -> list[Drift]:
        """All tests, each corrected within its family."""
        return [
            drift
            for family in ((WHOLE,), LOCALES)
            for drift in _tested([one for part in family for one in self._tests(part)])
        ]

    def _tests(self, part: str) -> Iterable[_Test]:
        for metric, more_is_better in WATCHED.items():
            if (metric, part) in self._moves:
                yield _rates(metric, part, *self._moves[metric, part], more_is_better=more_is_better)
        if part in self._costs:
            yield _cost(part, self._costs[part])


@dataclass(frozen=True)
class _Test:
    metric: str
    part: str
    pairs: int
    worse: int
    better: int
    difference: float
    low: float
    high: float
    p_worse: float
    p_better: float


def hit(row: Row, metric: str) -> bool | None:
    """Whether a case counts as a hit: of what is better all must be one, of what is worse one is enough."""
    count = row.metrics.get(metric)
    if count is None or count[1] == 0:
        return None
    return count[0] == count[1] if WATCHED[metric] else count[0] > 0


def flips_needed(tests: int) -> int:
    """Flips, all to one side, that the strictest step of Holm's correction for so many tests calls a drift."""
    return ceil(log2(max(tests, 1) / ALPHA))


def sign_test(more: int, less: int) -> float:
    """The exact one-sided McNemar test: the probability of `more` or more of the changed pairs going one way."""
    if more + less == 0:
        return 1.0
    from scipy import stats  # pyright: ignore[reportMissingTypeStubs]

    found: Any = stats.binomtest(more, more + less, 0.5, alternative="greater")  # pyright: ignore[reportUnknownMemberType]
    return float(found.pvalue)


def sign_flip_test(differences: Mapping[int, int]) -> float:
    """The probability of a sum as high or higher, were the sign of every difference a coin's (Fisher 1935).

    A bootstrap would be too sure of few changed pairs: of 9 that all went one way it says e**-9, a coin 2**-9.
    """
    import numpy as np
    from scipy import stats  # pyright: ignore[reportMissingTypeStubs]

    binom: Any = stats.binom  # pyright: ignore[reportUnknownMemberType]
    sizes = Counter[int]()
    for difference, count in differences.items():
        if difference:
            sizes[abs(difference)] += count
    observed = sum(difference * count for difference, count in differences.items())
    if not sizes:
        return 1.0
    if prod(count + 1 for count in sizes.values()) > _EXACT:
        spread = sqrt(sum(size * size * count for size, count in sizes.items()))
        return erfc((observed - min(sizes)) / spread / sqrt(2)) / 2
    sums, chances = np.zeros(1), np.ones(1)
    for size, count in sizes.items():
        ups = np.arange(count + 1)
        sums = (sums[:, None] + size * (2 * ups - count)).ravel()
        chances = (chances[:, None] * binom.pmf(ups, count, 0.5)).ravel()
    return min(1.0, float(chances[sums >= observed].sum()))


def holm(values: Sequence[float]) -> list[float]:
    """p values corrected for their number (Holm 1979), in the order given."""
    corrected = [0.0] * len(values)
    highest = 0.0
    for rank, index in enumerate(sorted(range(len(values)), key=lambda index: values[index])):
        highest = max(highest, min(1.0, values[index] * (len(values) - rank)))
        corrected[index] = highest
    return corrected


def paired_interval(pairs: int, up: int, down: int) -> tuple[float, float]:
    """95 % interval of a difference of paired rates (Agresti and Min 2005): Wald's, with half a pair in each cell."""
    total = pairs + 2
    middle = (up - down) / total
    reach = _Z95 * sqrt(up + down + 1 - (up - down) ** 2 / total) / total
    return middle - reach, middle + reach


def _rates(metric: str, part: str, pairs: int, up: int, down: int, *, more_is_better: bool) -> _Test:
    worse, better = (down, up) if more_is_better else (up, down)
    low, high = paired_interval(pairs, up, down)
    p_worse, p_better = sign_test(worse, better), sign_test(better, worse)
    return _Test(metric, part, pairs, worse, better, (up - down) / pairs, low, high, p_worse, p_better)


def _cost(part: str, differences: Counter[int]) -> _Test:
    worse = sum(count for difference, count in differences.items() if difference > 0)
    better = sum(count for difference, count in differences.items() if difference < 0)
    mirrored = {-difference: count for difference, count in differences.items()}
    p_worse, p_better = sign_flip_test(differences), sign_flip_test(mirrored)
    return _Test(
        COST, part, differences.total(), worse, better, *mean_interval(differences), p_worse=p_worse, p_better=p_better
    )


def _tested(family: Sequence[_Test]) -> Iterable[Drift]:
    needed = flips_needed(len(family))
    p_worse, p_better = holm([test.p_worse for test in family]), holm([test.p_better for test in family])
    for test, worse, better in zip(family, p_worse, p_better, strict=True):
        large = abs(round(test.difference, 12)) >= SIZE
        way: Way = "worse" if large and worse <= ALPHA else "better" if large and better <= ALPHA else ""
        yield Drift(
            metric=test.metric,
            part=test.part,
            pairs=test.pairs,
            worse=test.worse,
            better=test.better,
            difference=round(test.difference, 6),
            low=round(test.low, 6),
            high=round(test.high, 6),
            p=min(worse, better),
            way=way,
            visible=max(SIZE, needed / test.pairs),
        )
