"""The model as a scope classifier: asked only where the rules have nothing to say, so that it can clear no refusal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from carerails.breaker import BreakerOpen
from carerails.contracts import Failure, FailureKind, GuardrailEngine, RefusalSlug, ScopeVerdict, Turn
from carerails.judge.model import RubricModel
from carerails.judge.verdict import Verdict
from carerails.llm import EndpointError


class ModelScope:
    """A `ScopeClassifier`. A model that fails refuses as `default`.

    Args:
        engine: its rules come first: whatever they decide stands, and no call is made.
        model: asked about the rest.
        points: by score of the rubric, from where on it counts; a score without a point never does.
    """

    def __init__(self, engine: GuardrailEngine, model: RubricModel, points: Mapping[str, float]) -> None:
        self._engine, self._model, self._points = engine, model, points

    async def classify(self, turn: Turn) -> ScopeVerdict:
        """Decide whether the turn is in scope. Never raises but for cancellation."""
        try:
            decision = await self._engine.check(turn)
            if decision.decision != "allow":
                return decision.scope()
            return self._verdict(await self._model.verdict(turn, decision.locale))
        except EndpointError as error:
            return _failed(error.kind, error.detail)
        except BreakerOpen:
            return _failed("exception", "the circuit breaker is open")
        except Exception as error:
            # The message of a foreign exception may quote the user: its type is all that is kept.
            return _failed("exception", type(error).__name__)

    def _verdict(self, verdict: Verdict) -> ScopeVerdict:
        """The likeliest reason whose point is reached; a danger is nothing to be answered either."""
        reasons = {name: verdict.scores[name] for name in self._model.rubric.scope.reasons}
        name = max(
            (name for name in reasons if self._counts(name, reasons[name])), key=reasons.__getitem__, default=None
        )
        if name:
            return ScopeVerdict(in_scope=False, reason=slug_of(name), topic=name, confidence=reasons[name])
        danger = max(self._model.rubric.danger, key=verdict.scores.__getitem__)
        if self._counts(danger, verdict.scores[danger]):
            return ScopeVerdict(
                in_scope=False, reason="default", topic=verdict.category, confidence=verdict.scores[danger]
            )
        return ScopeVerdict(in_scope=True, confidence=1.0 - max(reasons.values()))

    def _counts(self, name: str, score: float) -> bool:
        point = self._points.get(name)
        return point is not None and score >= point


def slug_of(name: str) -> RefusalSlug:
    """The slug of a scope reason of the rubric."""
    return cast("RefusalSlug", "out-of-domain" if name == "domain" else f"out-of-scope-{name}")


def _failed(kind: FailureKind, detail: str) -> ScopeVerdict:
    failure = Failure(seam="scope", kind=kind, detail=detail)
    return ScopeVerdict(in_scope=False, reason="default", topic="check-failed", confidence=0.0, failure=failure)
