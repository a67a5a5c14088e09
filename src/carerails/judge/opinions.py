"""The model as the judge that the rails ask, and what stands in for it while its endpoint is left alone."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from carerails.breaker import BreakerOpen
from carerails.config import JudgeProfile
from carerails.contracts import JUDGED, Locale, Near, Opinion, Outcome, SemanticJudge, Turn
from carerails.errors import UsageError
from carerails.judge.model import RubricModel
from carerails.judge.verdict import Verdict
from carerails.judging import Judging
from carerails.text import detect_locale, unanswered

#: Where an explanation points to; other judges point below the rails.
RUBRIC = "config/judge/rubric.yml"


class ModelJudge:
    """A `SemanticJudge` that asks a model.

    Args:
        model: asked for a verdict.
        profile: the operating points, and what becomes of turns that the model is not asked about.
        beneath: the local judge, where it is installed.

    Raises:
        UsageError: the rubric lacks a score that the rails know; no points; or only a share of the turns is asked about
            and there is no local judge for the others.
    """

    name = "model"
    opinions = frozenset(JUDGED)
    synchronous = False

    def __init__(self, model: RubricModel, profile: JudgeProfile, beneath: SemanticJudge | None = None) -> None:
        if missing := self.opinions - set(model.rubric.scores):
            raise UsageError(f"the rubric has no score {min(missing)!r}", "add it to config/judge/rubric.yml")
        if beneath is None and profile.model.sampling_rate < 1:
            raise UsageError(
                "only a share of the turns is asked about, and there is no local judge for the others",
                "pip install 'carerails[semantic]', or judge: model: sampling_rate: 1.0",
            )
        self.model, self._settings = model, profile.model
        self._beneath = StandIn(beneath, Judging(self, profile), profile) if beneath else None
        parts = (model.fingerprint, beneath.fingerprint if beneath else "")
        self.fingerprint = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]

    async def start(self) -> None:
        """Load client, redactor and local judge."""
        self.model.start()
        if self._beneath:
            await self._beneath.judge.start()

    async def close(self) -> None:
        """Close the connections of the running event loop."""
        await self.model.close()
        if self._beneath:
            await self._beneath.judge.close()

    async def judge(self, turn: Turn, text: str) -> Sequence[Opinion]:
        """One opinion a name.

        Raises:
            EndpointError: no verdict.
            BreakerOpen: the endpoint is left alone, and nobody stands in.
        """
        locale = turn.locale or turn.previous_locale or detect_locale(" ".join(unanswered(turn)))
        if self._beneath and not is_sampled(text, self._settings.sampling_rate):
            return await self._beneath.opinions(turn, text, locale, lifted=False)
        try:
            verdict = await self.model.verdict(turn, locale)
        except BreakerOpen:
            if self._beneath is None or self._settings.when_open == "fail":
                raise
            return await self._beneath.opinions(turn, text, locale, lifted=True)
        return self._opinions(verdict, text, locale)

    def _opinions(self, verdict: Verdict, text: str, locale: Locale) -> list[Opinion]:
        """The scores; the danger that the category is of shows what the rubric says of it."""
        danger = self.model.rubric.danger_of.get(verdict.category)
        return [
            Opinion(
                name=name,
                score=verdict.scores[name],
                terms=lines(text),
                near=(self._near(verdict.category, verdict.scores[name], locale),) if name == danger else (),
            )
            for name in JUDGED
        ]

    def _near(self, category: str, score: float, locale: Locale) -> Near:
        rubric = self.model.rubric
        said = rubric.danger[rubric.danger_of[category]].categories[category].examples[locale]
        return Near(text=said, category=category, file=RUBRIC, line=self.model.lines[category], alike=score)


class StandIn:
    """The local judge in the model's place: what reaches its own points is said by the model's points.

    Args:
        judge: the local one.
        above: the model's points.
        profile: has those of the local judge.
    """

    def __init__(self, judge: SemanticJudge, above: Judging, profile: JudgeProfile) -> None:
        self.judge, self._above, self._own = judge, above, Judging(judge, profile)

    async def opinions(self, turn: Turn, text: str, locale: Locale, *, lifted: bool) -> list[Opinion]:
        """One opinion a name of the model; without one of the local judge, it holds nothing.

        Args:
            turn: as the caller has it.
            text: its normalised views.
            locale: whose points count.
            lifted: whether what would only be asked about escalates.
        """
        said = {opinion.name: opinion for opinion in await self.judge.judge(turn, text)}
        return [
            Opinion(
                name=name,
                score=self._score(said.get(name), locale, lifted),
                terms=said[name].terms if name in said else lines(text),
                near=said[name].near if name in said else (),
            )
            for name in JUDGED
        ]

    def _score(self, opinion: Opinion | None, locale: Locale, lifted: bool) -> float:
        if opinion is None:
            return 0.0
        outcomes = JUDGED[opinion.name]
        reached: Outcome | None = next(
            (outcome for outcome in outcomes if self._own.holds(opinion, outcome, locale)), None
        )
        if reached is None:
            return 0.0
        if lifted and reached == "check-in":
            reached = outcomes[0]
        return self._above.point(opinion.name, reached, locale) or 0.0


def is_sampled(text: str, rate: float) -> bool:
    """Whether a text is among the share that is asked about: always the same answer for the same text."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") < rate * 2**64


def lines(text: str) -> tuple[str, ...]:
    """The views, as terms: a model does not say which part of them it goes by."""
    return tuple(line for line in text.split("\n") if line.strip()) or (text,)
