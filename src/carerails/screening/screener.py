"""Screening put together: units, questions, answers, fates; and the same for the claims of a reply.

Whatever model answers, the rails look for instructions too: what they find no model can clear.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType

from carerails.contracts import (
    Asking,
    ChoiceAnswer,
    ClaimFate,
    ClaimReport,
    DecisionModel,
    Grounding,
    Locale,
    NoulAnswer,
    Passage,
    Reply,
    Screening,
    Unit,
    UnitReport,
)
from carerails.screening import questions
from carerails.screening.fates import decided, digest_of, judged
from carerails.screening.local import LocalModel
from carerails.screening.requests import Outcome, answered
from carerails.screening.results import ScreenedResult, left_of
from carerails.screening.settings import ScreeningSettings
from carerails.screening.tokens import estimate
from carerails.screening.units import of_claims, of_passages, of_result


class Screener:
    """A `PassageScreener` and a `ClaimChecker`. Build once; any number of threads and loops may ask it.

    Args:
        settings: None: the defaults.
        rails: the local model, whose rules for instructions always run.
        model: who answers; None: the local one.
        stronger: who is asked about claims that `model` cannot tell; None: nobody.
        tokens: counts the tokens of a text; None: an estimate.
    """

    def __init__(
        self,
        settings: ScreeningSettings | None = None,
        *,
        rails: LocalModel | None = None,
        model: DecisionModel | None = None,
        stronger: DecisionModel | None = None,
        tokens: Callable[[str], int] = estimate,
    ) -> None:
        self.settings = settings or ScreeningSettings()
        self._rails = rails or LocalModel(semantic=self.settings.semantic, head=self.settings.head)
        self._model: DecisionModel = model or self._rails
        self._stronger, self._tokens = stronger, tokens

    @property
    def model_name(self) -> str:
        """Who answers, for the log."""
        return self._model.name

    async def screen(self, question: str, locale: Locale, passages: Sequence[Passage]) -> Screening:
        """What of the passages may enter the context, and what became of every sentence."""
        units = of_passages(passages)
        reports = await self.judge(question, locale, units)
        texts = {unit.key: unit.text for unit in units} if self.settings.keep_text else {}
        return Screening(passages=_kept(passages, units, reports), units=reports, model=self.model_name, texts=texts)

    async def screen_result(
        self, question: str, locale: Locale, result: object, source: str = "", about: str = ""
    ) -> ScreenedResult:
        """What of a tool's result may enter the context, and what became of every field.

        Args:
            question: what the user asked.
            locale: the turn's.
            result: what `json.loads` gives; `of_json` reads what a tool gave as text.
            source: the tool.
            about: what the result is of.

        Raises:
            ValueError: it is nested too deeply to be read.
        """
        units = of_result(result, source, about)
        reports = await self.judge(question, locale, units)
        texts = {unit.key: unit.text for unit in units} if self.settings.keep_text else {}
        return ScreenedResult(left_of(result, units, reports), reports, self.model_name, texts)

    async def judge(self, question: str, locale: Locale, units: Sequence[Unit]) -> tuple[UnitReport, ...]:
        """What becomes of units, in their order. Never raises but for cancellation."""
        asking = Asking(question=question, locale=locale, units=tuple(units))
        asked = questions.of_units(units)
        outcomes = await self._answered(self._model, asking, asked)
        if self._model is not self._rails:
            sought = {name: each for name, each in asked.items() if each.asks == "instructions"}
            outcomes |= _worse(outcomes, await self._answered(self._rails, asking, sought))
        return decided([judged(unit, outcomes, self._tokens) for unit in units], self.settings)

    async def __aenter__(self) -> Screener:
        """Compile what the first text would otherwise wait for."""
        self._rails.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connections of models that have some."""
        for model in (self._model, self._stronger):
            close = getattr(model, "close", None)
            if close:
                await close()

    async def ground(self, reply: Reply, passages: Sequence[Passage]) -> Grounding:
        """What became of every claim of an answer; other replies make none."""
        if reply.kind != "answer":
            return Grounding()
        claims = of_claims(reply, passages)
        locale: Locale = passages[0].locale if passages else "en"
        units = [unit for unit, _ in claims]
        reports = await self._claims(self._model, locale, units)
        unsure = [unit for unit in units if reports[unit.key].fate in ("unsure", "failed")]
        if unsure and self._stronger:
            reports |= await self._claims(self._stronger, locale, unsure)
        return Grounding(claims=tuple(reports[unit.key].report(unit, cards) for unit, cards in claims))

    async def _claims(self, model: DecisionModel, locale: Locale, units: Sequence[Unit]) -> dict[str, _Verdict]:
        asking = Asking(question="", locale=locale, units=tuple(units))
        outcomes = await self._answered(model, asking, questions.of_claims(units))
        least = self.settings.support_confidence
        return {
            unit.key: _Verdict.of(outcomes[questions.name(unit.key, "support")], least, model.name) for unit in units
        }

    async def _answered(
        self, model: DecisionModel, asking: Asking, asked: Mapping[str, questions.Question]
    ) -> dict[str, Outcome]:
        return await answered(model, asking, asked, batch=self.settings.batch, deadline_s=self.settings.timeout_s)


@dataclass(frozen=True, slots=True)
class _Verdict:
    """What one model said of a claim, and what follows."""

    outcome: Outcome
    fate: ClaimFate
    model: str

    @classmethod
    def of(cls, outcome: Outcome, least: float, model: str) -> _Verdict:
        if not isinstance(outcome, ChoiceAnswer):
            return cls(outcome, "failed", model)
        verdict = questions.SUPPORT[outcome.choice]
        if verdict == "cannot-tell" or outcome.confidence < least:
            return cls(outcome, "unsure", model)
        return cls(outcome, "sound" if verdict == "supports" else "unsupported", model)

    def report(self, unit: Unit, cards: tuple[str, ...]) -> ClaimReport:
        answer = self.outcome if isinstance(self.outcome, ChoiceAnswer) else None
        return ClaimReport(
            key=unit.key,
            cards=cards,
            digest=digest_of(unit.text),
            fate=self.fate,
            verdict=questions.SUPPORT[answer.choice] if answer else None,
            confidence=answer.confidence if answer else None,
            failure=self.outcome if isinstance(self.outcome, str) else None,
            evidence=answer.evidence if answer else (),
            model=self.model,
        )


def _worse(ours: Mapping[str, Outcome], rails: Mapping[str, Outcome]) -> dict[str, Outcome]:
    """The answers of the rails where they weigh more: a hit counts, whatever a model said, and also if it failed."""
    found: dict[str, Outcome] = {}
    for name, answer in rails.items():
        other = ours[name]
        if isinstance(answer, str):
            found[name] = answer  # the rails could not look: nobody may say that there is nothing
        elif isinstance(answer, NoulAnswer) and answer.evidence:
            found[name] = answer
        else:
            found[name] = other
    return found


def _kept(passages: Sequence[Passage], units: Sequence[Unit], reports: Sequence[UnitReport]) -> tuple[Passage, ...]:
    """The passages with the sentences that are in the context, in its order; none of a passage that keeps nothing."""
    pairs = [(report, unit.text) for report, unit in zip(reports, units, strict=True) if report.inside]
    pairs.sort(key=lambda pair: pair[0].rank or 0)
    kept: list[Passage] = []
    for card in dict.fromkeys(report.source for report, _ in pairs):
        rows = [(report, text) for report, text in pairs if report.source == card]
        passage = next(passage for passage in passages if passage.card == card)
        sentences = tuple(text for _, text in rows)
        disagrees = tuple(at for at, (report, _) in enumerate(rows) if report.fate == "marked")
        kept.append(passage.model_copy(update={"sentences": sentences, "disagrees": disagrees}))
    return tuple(kept)
