"""Two sides of a comparison, paired case by case: one side is indexed, the other goes by one row at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby

from carerails.contracts import Frozen
from carerails.errors import UsageError
from carerails.evals.rows import Row
from carerails.evals.runs import Manifest

#: The slice and the id of a case.
Key = tuple[str, str]
#: Cases of each kind that are named; all are counted.
NAMED = 10


@dataclass(frozen=True)
class Side:
    """A run or a baseline: `rows` begins anew at each call. `about` is what a baseline says of its acceptance."""

    where: str
    manifest: Manifest
    rows: Callable[[], Iterator[Row]]
    about: str = ""


class Cases(Frozen):
    """A number of cases, the first of them by name."""

    count: int
    named: tuple[str, ...]

    @classmethod
    def of(cls, keys: Iterable[Key]) -> Cases:
        """These cases."""
        names = [f"{piece}/{ident}" for piece, ident in keys]
        return cls(count=len(names), named=tuple(names[:NAMED]))

    def __str__(self) -> str:
        left = self.count - len(self.named)
        return ", ".join(self.named) + (f" and {left} more" if left else "")


class Changes(Frozen):
    """How the cases of one side differ from those of the other. `changed`: the same id, another text or gold label."""

    gained: Cases
    lost: Cases
    changed: Cases

    @property
    def any(self) -> bool:
        """Whether the cases differ at all."""
        return bool(self.gained.count or self.lost.count or self.changed.count)


def worst(rows: Iterable[Row]) -> Iterator[Row]:
    """One row a case: of its repeats, which stand beside each other, the worst."""
    for _, repeats in groupby(rows, key=lambda row: (row.slice, row.id)):
        yield max(repeats, key=_badness)


def _badness(row: Row) -> tuple[bool, int, bool, bool]:
    return row.missed, row.cost or 0, row.holds("right") is False, row.failed


def by_case(rows: Iterable[Row]) -> dict[Key, Row]:
    """The rows by case, without their records.

    Raises:
        UsageError: a case stands twice.
    """
    found: dict[Key, Row] = {}
    for row in rows:
        key = (row.slice, row.id)
        if key in found:
            raise UsageError(f"{row.slice}/{row.id} stands twice", "run again")
        found[key] = row.model_copy(update={"record": {}}) if row.record else row
    return found


@dataclass
class Pairing:
    """Pairs the rows of two sides by slice, id and equal hash. What has no partner is in `changes` at the end."""

    base: Mapping[Key, Row]
    _met: set[Key] = field(default_factory=set[Key])
    _gained: list[Key] = field(default_factory=list[Key])
    _changed: list[Key] = field(default_factory=list[Key])

    def pairs(self, now: Iterable[Row]) -> Iterator[tuple[Row, Row]]:
        """Each case of both sides, as it was and as it is."""
        for row in now:
            key = (row.slice, row.id)
            was = self.base.get(key)
            if was is None:
                self._gained.append(key)
                continue
            self._met.add(key)
            if was.hash == row.hash:
                yield was, row
            else:
                self._changed.append(key)

    def changes(self) -> Changes:
        """What had no partner, once all pairs were taken."""
        lost = [key for key in self.base if key not in self._met]
        return Changes(gained=Cases.of(self._gained), lost=Cases.of(lost), changed=Cases.of(self._changed))
