"""The adapter: a guard with one validator a rule, all `NOOP`, for only that tells the truth; no history, no metrics."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import cached_property, lru_cache
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

from carerails.contracts import Findings, Locale, RuleHit
from carerails.errors import EngineError
from carerails.policy import Policy
from carerails.resources import data_dir


class GuardrailsAIEngine:
    """`RuleEngine` on Guardrails AI. It runs in its own environment (`carerails engines install guardrails-ai`).

    Raises:
        importlib.metadata.PackageNotFoundError: it is not installed here.
    """

    name = "guardrails-ai"
    capabilities = frozenset({"escalate", "refuse", "check-in", "evidence"})

    def __init__(self, rails: Path | None = None) -> None:
        self.version = metadata.version("guardrails-ai")
        self._rails = rails
        self._guard: Any = None

    @cached_property
    def policy(self) -> Policy:
        """The compiled rails."""
        return Policy.load(self._rails or data_dir("rails"))

    async def start(self) -> None:
        """Make the guard."""
        _stay_at_home()
        library: Any = import_module("guardrails")  # it is not here where types are checked
        make = _validator(self.policy)
        self._guard = library.Guard().use(
            *(make(rule=rule, on_fail=library.OnFailAction.NOOP) for rule in self.policy.rules)
        )

    async def close(self) -> None:
        """Forget the guard."""
        self._guard = None

    async def evaluate(self, text: str) -> Findings:
        """The rules whose validators fail.

        Raises:
            EngineError: the guard raised, or says at once that the text passed and that it did not.
        """
        if self._guard is None:
            raise EngineError("missing", "the engine is not started")
        if not text.strip():
            return Findings()  # the guard raises where there is nothing to validate
        error = ""
        outcome: Any = None
        try:
            outcome = self._guard.validate(text)
        except Exception as raised:  # its message quotes the text
            error = type(raised).__name__
        if error:
            raise EngineError("exception", error)
        failed = [s for s in outcome.validation_summaries or () if s.validator_status == "fail"]
        hits = tuple(
            RuleHit(rule=rule, terms=tuple(terms)) for rule, terms in (json.loads(s.failure_reason) for s in failed)
        )
        if outcome.validation_passed is not (not hits) or outcome.error:
            raise EngineError("malformed", "the guard contradicts its validators")
        return Findings(hits=hits)

    async def render(self, slug: str, locale: Locale, numbers: Mapping[str, str]) -> str:
        """Templates are the rails'."""
        raise EngineError("missing", "the rails render")


def _validator(policy: Policy) -> Any:
    """A validator that fails where its rule hits, and says with what terms."""
    base: Any = import_module("guardrails.validator_base")

    @lru_cache(maxsize=1)
    def hits(text: str) -> Mapping[str, tuple[str, ...]]:
        return {hit.rule: hit.terms for hit in policy.check(text)}

    class RailsRule(base.Validator):
        def __init__(self, rule: str, on_fail: Any = None) -> None:
            super().__init__(on_fail=on_fail, rule=rule)  # pyright: ignore[reportUnknownMemberType]
            self._rule = rule

        def validate(self, value: Any, metadata: Any) -> Any:
            found = hits(str(value)).get(self._rule)
            if found is None:
                return base.PassResult()
            return base.FailResult(error_message=json.dumps([self._rule, found]))

    return base.register_validator(name="carerails/rule", data_type="string")(RailsRule)


def _stay_at_home() -> None:
    """Before its import: no history in memory, no metrics, no tracing, whatever its settings file says."""
    os.environ["GUARDRAILS_RUN_SYNC"] = "true"
    os.environ["GUARD_HISTORY_ENABLED"] = "false"
    os.environ["OTEL_SDK_DISABLED"] = "true"
    settings: Any = import_module("guardrails.classes.rc").RC

    def load(*_: object, **__: object) -> Any:
        return settings(enable_metrics=False, use_remote_inferencing=False)

    settings.load = staticmethod(load)
