"""The `OutputGuard`: the rails on the reply's own words, the table of checks, then the judge. Fail-safe throughout.

A check that raises, hangs or answers nonsense is a failure on the inspection, and a failure is never a pass.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Protocol, cast, runtime_checkable

from carerails.config import Settings, load_settings
from carerails.contracts import (
    Exchange,
    Failure,
    FailureKind,
    GuardrailEngine,
    Inspection,
    Objection,
    Reply,
    Seam,
    SemanticJudge,
    Turn,
    TurnDecision,
)
from carerails.engine import open_engine
from carerails.output.checks import CHECKS, Check
from carerails.output.checks.own import own_words
from carerails.output.settings import JudgeName, OutputSettings
from carerails.policy import Policy
from carerails.resources import data_dir

#: The directory of the rails that look at replies, below the others.
OUTPUT = "output"


class ReplyJudge(Protocol):
    """A second opinion: it may object, and it lifts nothing."""

    async def object_to(self, reply: Reply, exchange: Exchange) -> Iterable[Objection]:
        """What it objects to. May raise, which counts as a failure."""
        ...


@runtime_checkable
class _Managed(Protocol):
    """A judge that is started and closed with the guard."""

    async def start(self) -> None: ...

    async def close(self) -> None: ...


class ReplyGuard:
    """Checks what the model says before anybody reads it.

    Args:
        rails: an engine on the rails of replies; entered and left with the guard.
        settings: the field rules and the deadline.
        judge: asked only where the rest finds nothing; None: nobody.
        checks: the table.
    """

    def __init__(
        self,
        rails: GuardrailEngine,
        settings: OutputSettings,
        judge: ReplyJudge | None = None,
        checks: Mapping[str, Check] = CHECKS,
    ) -> None:
        self._rails, self._settings, self._judge, self._checks = rails, settings, judge, checks

    @property
    def settings(self) -> OutputSettings:
        """The field rules."""
        return self._settings

    @property
    def judged(self) -> bool:
        """Whether a model has the last word."""
        return self._judge is not None

    async def inspect(self, reply: Reply, exchange: Exchange) -> Inspection:
        """What is wrong with the reply. Never raises but for cancellation."""
        found = await self.look(reply, exchange)
        if not found.passed or self._judge is None:
            return found
        try:
            judging = self._judge.object_to(reply, exchange)
            return Inspection(objections=_sound(await asyncio.wait_for(judging, self._settings.deadline_s)))
        except Exception as error:
            return Inspection(failures=(failure("judge", "judge", error),))

    async def look(self, reply: Reply, exchange: Exchange, but: frozenset[str] = frozenset()) -> Inspection:
        """What needs no model: all that `inspect` does before the judge.

        Args:
            reply: or the beginning of one.
            exchange: what it answers.
            but: names of checks that are left out, as a stream does until its end.
        """
        objections: list[Objection] = []
        failures: list[Failure] = []
        phrases = await self._phrases(reply, exchange)
        objections += phrases.objections
        failures += phrases.failures
        for name, check in self._checks.items():
            if name in but:
                continue
            try:
                objections += _sound(check(reply, exchange, self._settings))
            except Exception as error:
                failures.append(failure("citation" if name == "citations" else "output", name, error))
        return Inspection(objections=tuple(objections), failures=tuple(failures))

    async def _phrases(self, reply: Reply, exchange: Exchange) -> Inspection:
        """What the rails find in the reply's own words."""
        try:
            own = own_words(reply.text, exchange)
            if not any(char.isalnum() for char in own):
                return Inspection()
            turn = Turn.of(own, locale=exchange.locale)
            decision = await asyncio.wait_for(self._rails.check(turn), self._settings.deadline_s)
            return Inspection(objections=tuple(_objections(decision)), failures=tuple(_failures(decision)))
        except Exception as error:
            return Inspection(failures=(failure("output", "phrases", error),))

    async def __aenter__(self) -> ReplyGuard:
        await self._rails.__aenter__()
        if isinstance(self._judge, _Managed):
            await self._judge.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._rails.__aexit__(kind, error, trace)
        if isinstance(self._judge, _Managed):
            await self._judge.close()


def _sound(objections: Iterable[object]) -> tuple[Objection, ...]:
    """What a check answers, if it is what a check may answer."""
    found = tuple(objections)
    if not all(isinstance(each, Objection) for each in found):
        raise TypeError("no objection")
    return cast("tuple[Objection, ...]", found)


def failure(seam: Seam, name: str, error: Exception) -> Failure:
    """What an exception is told as: its type, never its message, which may quote the reply."""
    late = isinstance(error, (asyncio.TimeoutError, TimeoutError))
    kind: FailureKind = "timeout" if late else getattr(error, "kind", "exception")
    return Failure(seam=seam, kind=kind, detail=f"{name}: {type(error).__name__}")


def _objections(decision: TurnDecision) -> Iterator[Objection]:
    for found in decision.evidence:
        yield Objection(
            check="phrases",
            reason=found.category,
            rule=found.rule,
            file=f"{OUTPUT}/{found.file}",
            line=found.line,
            terms=found.matched_terms,
        )
    if decision.decision != "allow" and not decision.evidence and not decision.failed:
        # No rule hit, and it is no ordinary text either: too long, not to be read.
        yield Objection(check="phrases", reason=decision.category or "unreadable")


def _failures(decision: TurnDecision) -> Iterator[Failure]:
    if decision.failure:
        yield decision.failure.model_copy(update={"seam": "output"})


def output_rails(rails: Path | None) -> Path:
    """The rails of replies that belong to a directory of rails; the shipped ones, where it has none."""
    own = rails / OUTPUT if rails and rails.is_dir() else None
    return own if own and (own / "main.co").is_file() else data_dir("rails") / OUTPUT


def open_guard(
    engine: str = "native",
    rails: Path | None = None,
    settings: Settings | None = None,
    judge: ReplyJudge | JudgeName | None = None,
) -> ReplyGuard:
    """A guard on an engine of that name, not yet started: use it as `async with`.

    Args:
        engine: as in `carerails engines`.
        rails: the directory of rails; its `output` is what is used.
        settings: profile; None: the default one.
        judge: or its name; None: the one that the profile names.

    Raises:
        UsageError: no such engine, rails that do not load, or a judge that cannot run here.
    """
    settings = settings or load_settings()
    output, home = settings.profile.output, output_rails(rails)
    output = output.model_copy(update={"phones": (*output.phones, *settings.numbers.lines())})
    judge = output.judge if judge is None else judge
    return ReplyGuard(
        open_engine(engine, home, settings, judge=_local(home) if judge == "local" else None),
        output,
        _model(output) if judge == "model" else None if isinstance(judge, str) else judge,
    )


def _local(rails: Path) -> SemanticJudge:
    """The judge that learnt from the examples of these rails and from our cards; asked where the rails want it."""
    from carerails.knowledge.cards import load_cards
    from carerails.output.meaning import LocalReplyJudge, of_cards

    return LocalReplyJudge((*Policy.load(rails).examples, *of_cards(load_cards())))


def _model(settings: OutputSettings) -> ReplyJudge:
    from carerails.output.judge import ModelReplyJudge

    return ModelReplyJudge.from_environment(timeout_s=settings.deadline_s)
