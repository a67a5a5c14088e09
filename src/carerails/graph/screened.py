"""What became of every unit and every claim of a turn, kept so that a wrong discard can be found. Hashes, no texts."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from carerails.contracts import ClaimReport, UnitReport
from carerails.graph.store import Statement, Store

Kind = Literal["unit", "claim"]
_REPORTS: Mapping[str, type[UnitReport | ClaimReport]] = {"unit": UnitReport, "claim": ClaimReport}


class Screened(NamedTuple):
    """One unit or claim of a turn; `model` answered, `text` is redacted, and None where the deployment keeps none."""

    turn: int
    report: UnitReport | ClaimReport
    model: str
    text: str | None


class ScreenedTurns:
    """All of them, by thread."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def put(
        self,
        thread: str,
        turn: int,
        reports: Sequence[UnitReport] | Sequence[ClaimReport],
        model: str,
        texts: Mapping[str, str] | None = None,
    ) -> None:
        """Keep them; a turn that is taken again after a crash is screened again, and the last time counts."""
        rows = [_row(thread, turn, report, model, (texts or {}).get(report.key)) for report in reports]
        if rows:
            await self._store.write(*rows)

    async def of(self, thread: str, turn: int | None = None) -> tuple[Screened, ...]:
        """Those of a thread, or of one of its turns, in order."""
        rows = await self._store.read(
            "SELECT turn, kind, body, model, text FROM carerails_screened"
            " WHERE thread = ? ORDER BY turn, kind DESC, place",
            thread,
        )
        found = (
            Screened(number, _REPORTS[kind].model_validate_json(body), model, text)
            for number, kind, body, model, text in rows
        )
        return tuple(each for each in found if turn in (None, each.turn))


def _row(thread: str, turn: int, report: UnitReport | ClaimReport, model: str, text: str | None) -> Statement:
    kind: Kind = "unit" if isinstance(report, UnitReport) else "claim"
    return (
        "INSERT INTO carerails_screened (thread, turn, kind, place, body, model, text, created)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (thread, turn, kind, place) DO UPDATE"
        " SET body = excluded.body, model = excluded.model, text = excluded.text, created = excluded.created",
        (thread, turn, kind, int(report.key[1:]), report.model_dump_json(), model, text, time.time()),
    )
