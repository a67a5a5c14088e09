"""Which units carry instructions for the model, by the rails of `rails/screening`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from carerails.contracts import Message, Turn, Unit
from carerails.matching import Scan
from carerails.policy import Policy
from carerails.resources import data_dir
from carerails.screening.decoding import readings
from carerails.text import Prepared, prepare

#: The directory below the rails that is the policy of screening.
SCREENING: Final = "screening"
#: Stands before every unit, so that a rule can tell where one begins; no fold takes it away.
BAR: Final = "| "
#: What a rule may name to say that something begins; it belongs to what stands before.
_BEFORE: Final = '|.!?:;>,*-)"] '
#: Characters of one source that are scanned; a longer one is scanned in pieces.
_LONGEST: Final = 100_000

Hits = dict[str, tuple[str, ...]]


class Carriers:
    """Finds instructions to the model. Never changes; may be used from any thread.

    Args:
        policy: the rules of screening; None: those that are shipped.

    Raises:
        CompileError: the rails do not compile.
    """

    def __init__(self, policy: Policy | None = None) -> None:
        self.policy = policy or Policy.load(screening_rails())

    def find(self, units: Sequence[Unit]) -> Hits:
        """The rules that each carrier hits, by the carrier's key.

        Units of one source are read alone and one after the other: an instruction may be split over several.
        """
        hits: Hits = {}
        for source in dict.fromkeys(unit.source for unit in units):
            for piece in _pieces([unit for unit in units if unit.source == source]):
                self._scan(piece, hits)
        return hits

    def _scan(self, units: Sequence[Unit], hits: Hits) -> None:
        """What the units say, what they say when read on, and what their encoded parts say."""
        texts = [_Text.of(units, BAR), _Text.of(units, "")]
        decoded = [(unit, reading) for unit in units for reading in readings(unit.text)]
        messages = [*(text.joined for text in texts), *(BAR + reading for _, reading in decoded)]
        prepared = prepare(
            Turn(messages=tuple(Message(role="user", content=text) for text in messages)), max_chars=10**9
        )
        found = self.policy.check(prepared.text)
        if not found:
            return
        scan = self.policy.scan(prepared.text)
        for hit in found:
            for key in self._keys(hit.rule, hit.terms, prepared, scan, texts, [unit for unit, _ in decoded]):
                hits[key] = tuple(dict.fromkeys((*hits.get(key, ()), hit.rule)))

    def _keys(
        self,
        rule: str,
        terms: Sequence[str],
        prepared: Prepared,
        scan: Scan,
        texts: Sequence[_Text],
        decoded: Sequence[Unit],
    ) -> Iterable[str]:
        """The units on which the hits of a rule lie."""
        for match in self.policy.locate(rule, terms, prepared.text, scan):
            begun = prepared.text[match.start : match.end].lstrip(_BEFORE)
            span = prepared.locate(match.end - len(begun), match.end)
            if span is None:
                continue
            if span.message >= len(texts):
                yield decoded[span.message - len(texts)].key
            else:
                yield from texts[span.message].at(span.start, span.end)


class _Text:
    """Units joined into one text, and the way back."""

    def __init__(self, joined: str, ends: Sequence[int], keys: Sequence[str]) -> None:
        self.joined, self._ends, self._keys = joined, ends, keys

    @classmethod
    def of(cls, units: Sequence[Unit], before: str) -> _Text:
        joined = ""
        ends: list[int] = []
        for unit in units:
            joined += f"{before}{unit.text} "
            ends.append(len(joined))
        return cls(joined, ends, [unit.key for unit in units])

    def at(self, start: int, end: int) -> Iterable[str]:
        """Keys of the units that a range touches. The bar of a unit is the unit's."""
        begin = 0
        for key, stop in zip(self._keys, self._ends, strict=True):
            if start < stop - 1 and end > begin:
                yield key
            begin = stop


def screening_rails(rails: Path | None = None) -> Path:
    """The rails of screening that belong to a directory of rails; the shipped ones, where it has none."""
    own = rails / SCREENING if rails and rails.is_dir() else None
    return own if own and (own / "main.co").is_file() else data_dir("rails") / SCREENING


def _pieces(units: Sequence[Unit]) -> Iterable[Sequence[Unit]]:
    """Units in pieces that are scanned at once; the last unit of one begins the next, so that no split is missed."""
    piece: list[Unit] = []
    size = 0
    for unit in units:
        if piece and size + len(unit.text) > _LONGEST:
            yield piece
            piece, size = piece[-1:], len(piece[-1].text)
        piece.append(unit)
        size += len(unit.text)
    if piece:
        yield piece
