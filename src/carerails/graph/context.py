"""From a question to what the drafter may use: cards found, screened, and every fate kept."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass
from typing import cast

from carerails.contracts import FailureKind, Locale, NoContext, Passage, Redacted, Retrieval, Screening
from carerails.graph.faults import Fault, attempt
from carerails.graph.screened import ScreenedTurns
from carerails.graph.seams import Seams
from carerails.graph.settings import AgentSettings
from carerails.graph.state import WITHHELD

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Found:
    """The context of one turn.

    Attributes:
        no_context: why no card was found; None also where screening left nothing of those that were.
        faults: what failed so that there is no context that may be used.
        unjudged: what could not be judged, and was left out: the turn goes on, and says so.
    """

    passages: tuple[Passage, ...] = ()
    no_context: NoContext | None = None
    faults: tuple[Fault, ...] = ()
    unjudged: tuple[Fault, ...] = ()


class Finder:
    """Asks the retriever, and the screener about what it finds."""

    def __init__(self, seams: Seams, settings: AgentSettings, screened: ScreenedTurns) -> None:
        self._seams, self._settings, self._screened = seams, settings, screened

    async def find(self, thread: str, turn: int, question: str, locale: Locale) -> Found:
        """The context of a turn. Never raises but for cancellation."""
        found = await attempt(
            "retriever",
            lambda: self._seams.retriever.retrieve(question, locale),
            Retrieval,
            self._settings.retrieve_s,
        )
        if isinstance(found, Fault):
            return Found(faults=(found,))
        screener = self._seams.screener
        if screener is None or not found.passages:
            return Found(found.passages, found.no_context)
        screening = await attempt(
            "screener",
            lambda: screener.screen(question, locale, found.passages),
            Screening,
            self._settings.screen_s,
        )
        if isinstance(screening, Fault):
            return Found(faults=(screening,))
        unjudged = (*_failures(screening), *await self._kept(thread, turn, locale, screening))
        if not screening.passages and screening.failed:
            return Found(faults=unjudged)
        return Found(screening.passages, unjudged=unjudged)

    async def _kept(self, thread: str, turn: int, locale: Locale, screening: Screening) -> tuple[Fault, ...]:
        """Keep the fates. That it fails is told, and keeps no answer from the user."""
        try:
            texts = {key: self._clean(text, locale) for key, text in screening.texts.items()}
            await self._screened.put(thread, turn, screening.units, screening.model, texts)
        except Exception as error:
            log.error("what was screened could not be kept: %s", type(error).__name__)
            return (Fault.of("store", error),)
        return ()

    def _clean(self, text: str, locale: Locale) -> str:
        clean = cast("object", self._seams.redactor.redact(text, locale))
        return clean.text if isinstance(clean, Redacted) else WITHHELD


def _failures(screening: Screening) -> tuple[Fault, ...]:
    """One fault for each way in which units failed, with their number."""
    kinds: Counter[FailureKind] = Counter(unit.failure for unit in screening.failed if unit.failure)
    return tuple(
        Fault(where="screener", kind=kind, detail=f"{count} of {len(screening.units)} units")
        for kind, count in kinds.items()
    )
