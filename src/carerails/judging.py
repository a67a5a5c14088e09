"""Asking a judge: once a turn, under a deadline, and whatever it does wrong is a failure that the profile resolves."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from carerails.config import JudgeProfile
from carerails.contracts import OPINIONS, Failure, Locale, Opinion, Outcome, SemanticJudge, Turn
from carerails.errors import UsageError
from carerails.llm import EndpointError

#: Every answer has all of these, so that a rule finds a list whatever the judge has an opinion on.
_KEYS: dict[str, tuple[str, Outcome]] = {
    f"{name}_{outcome}".replace("-", "_"): (name, outcome)
    for name, outcomes in OPINIONS.items()
    for outcome in outcomes
}


class Judging:
    """A judge and the operating points that its opinions must reach.

    Raises:
        UsageError: the profile has no operating point for the judge, or one that the judge has no opinion on.
    """

    def __init__(self, judge: SemanticJudge, profile: JudgeProfile) -> None:
        if judge.name not in profile.points:
            raise UsageError(f"the profile has no points for judge {judge.name!r}", f"judge: points: {judge.name}: ...")
        self.judge, self.profile = judge, profile
        self.points: Mapping[str, Mapping[Outcome, float | Mapping[Locale, float]]] = profile.points[judge.name]
        for name in self.points.keys() - judge.opinions:
            raise UsageError(f"judge {judge.name!r} has no opinion on {name!r}", f"remove judge: points: {name}")

    def asking(self, turn: Turn, text: str, locale: Locale) -> Asking:
        """What an engine asks while it decides one turn."""
        return Asking(self, turn, text, locale)

    def holds(self, opinion: Opinion, outcome: Outcome, locale: Locale) -> bool:
        """Whether the score reaches the point of an outcome; without a point it never does."""
        point = self.point(opinion.name, outcome, locale)
        return point is not None and opinion.score >= point

    def point(self, name: str, outcome: Outcome, locale: Locale) -> float | None:
        """The score from which on an opinion has that outcome; None: from none."""
        point = self.points.get(name, {}).get(outcome)
        return point.get(locale) if isinstance(point, Mapping) else point


class Asking:
    """An `Ask` for one turn. It never raises: see `failure`.

    Attributes:
        opinions: what the judge holds, once it was asked.
        failure: why it could not say.
    """

    def __init__(self, judging: Judging, turn: Turn, text: str, locale: Locale) -> None:
        self._judging, self._turn, self._text = judging, turn, text
        self._locale: Locale = locale
        self._answer: dict[str, Sequence[str]] | None = None
        self.opinions: tuple[Opinion, ...] = ()
        self.failure: Failure | None = None

    async def __call__(self) -> Mapping[str, Sequence[str]]:
        """By `NAME_OUTCOME`, the terms of what reaches its point. The judge is asked the first time only."""
        if self._answer is None:
            self.opinions = await self._asked()
            self._answer = {key: self._terms(*judged) for key, judged in _KEYS.items()}
        return self._answer

    def about(self, category: str, outcome: Outcome) -> Opinion | None:
        """The opinion that a judged rule of that category and outcome goes by."""
        may = [opinion for opinion in self.opinions if outcome in OPINIONS[opinion.name]]
        own = next((opinion for opinion in may if opinion.name == category), None)
        return own if own or outcome == "refuse" else next(iter(may), None)

    def _terms(self, name: str, outcome: Outcome) -> list[str]:
        held = (o for o in self.opinions if o.name == name and self._judging.holds(o, outcome, self._locale))
        return [term for opinion in held for term in opinion.terms]

    async def _asked(self) -> tuple[Opinion, ...]:
        judge, profile = self._judging.judge, self._judging.profile
        try:
            said = judge.judge(self._turn, self._text)
            opinions = await (said if judge.synchronous else asyncio.wait_for(said, profile.deadline_s))
        except (asyncio.TimeoutError, TimeoutError):
            self.failure = Failure(seam="judge", kind="timeout", detail=f"{profile.deadline_s:g} s")
        except EndpointError as error:
            self.failure = Failure(seam="judge", kind=error.kind, detail=error.detail)
        except Exception as error:
            # The message of a foreign exception may quote the user: its type is all that is kept.
            self.failure = Failure(seam="judge", kind="exception", detail=type(error).__name__)
        else:
            wrong = _wrong(opinions, judge.opinions, self._text)
            if not wrong:
                return tuple(opinions)
            self.failure = Failure(seam="judge", kind="malformed", detail=wrong)
        return ()


def _wrong(opinions: object, names: Iterable[str], text: str) -> str:
    """What is wrong with a judge's answer; empty where nothing is. Never quotes it."""
    if not isinstance(opinions, Sequence) or not all(
        isinstance(opinion, Opinion) for opinion in cast("Sequence[object]", opinions)
    ):
        return "no list of opinions"
    said = list(cast("Sequence[Opinion]", opinions))
    if sorted(opinion.name for opinion in said) != sorted(names):
        return "not one opinion a name"
    for opinion in said:
        # A model can be built past its checks.
        if type(opinion.score) is not float or not 0 <= opinion.score <= 1:
            return f"{opinion.name}: the score is none"
        if not opinion.terms or not all(term and term in text for term in opinion.terms):
            return f"{opinion.name}: terms that do not stand in the text"
    return ""
