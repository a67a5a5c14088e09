"""The adapter: each rule that is one regex is a pattern of `regex check input`, its name a comment in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import yaml

from carerails.contracts import Findings, Ruling
from carerails.errors import EngineError, UsageError
from carerails.patterns import CHECK_IN, PatternEngine
from carerails_iorails.self_check import FLOW, SelfCheck, model_here, section
from carerails_model.asking import TIMEOUT_S
from nemo_runner import discreet, hush, no_telemetry

#: Comes back verbatim with the pattern that matched.
_NAMED = re.compile(r"\(\?#([^)]*)\)")


class IORailsEngine(PatternEngine):
    """`RuleEngine` on `nemoguardrails.Guardrails` with `require_iorails`.

    Where the environment names an endpoint, a model checks the rules that are no pattern (`self_check.py`). What it
    blocks is refused: yes or no has no word for an emergency.

    Raises:
        importlib.metadata.PackageNotFoundError: NeMo Guardrails is not installed.
    """

    name = "iorails"

    def __init__(self, rails: Path | None = None) -> None:
        super().__init__(rails)
        self.version = metadata.version("nemoguardrails")
        self._manager: Any = None
        self._self_check: SelfCheck | None = None
        self._model = model_here()
        if self._model:
            self.version += f"+{self._model}"
            self.capabilities = self.capabilities | {"sampled"}
            self.deadline_s = TIMEOUT_S + 1

    @property
    def unsupported(self) -> Mapping[str, str]:
        """What neither a pattern nor the self check expresses, with the reason."""
        if not self._model:
            return self.no_pattern
        return {
            name: why if why == CHECK_IN else f"{why}; the self check refuses, and cannot escalate"
            for name, why in self.no_pattern.items()
            if self.policy.rules[name].meta.outcome != "refuse"
        }

    def config(self) -> str:
        """The configuration, as YAML that a team could run without us."""
        patterns = [f"(?#{name}){regex}" for name, regex in self.regexes.items()]
        more: dict[str, Any] = section(self.policy, self.no_pattern, self._model) if self._model else {"models": []}
        rails = {
            "input": {"flows": ["regex check input", *([FLOW] if self._model else [])]},
            "config": {"regex_detection": {"input": {"patterns": patterns}}},
        }
        return str(yaml.safe_dump({**more, "rails": rails}, allow_unicode=True, width=1_000_000))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]

    async def start(self) -> None:
        """Load the configuration.

        Raises:
            UsageError: IORails does not take it.
        """
        no_telemetry()
        from nemoguardrails import Guardrails, RailsConfig

        nemo: Any = Guardrails
        configs: Any = RailsConfig
        try:
            config = configs.from_content(yaml_content=self.config())
            self._manager = nemo(config, require_iorails=True).rails_engine.rails_manager
        except Exception as error:
            raise UsageError(f"IORails cannot run the rails: {type(error).__name__}", "see docs/engines.md") from None
        if self._model:
            self._self_check = SelfCheck(lambda: nemo(config, require_iorails=True))
        hush()
        self._started = True

    async def close(self) -> None:
        """Forget the rails, and close the connections of this event loop."""
        await super().close()
        if self._self_check:
            await self._self_check.close()

    async def evaluate(self, text: str) -> Findings:
        """The rules whose patterns matched; a refusal where none did and the self check blocks.

        Raises:
            EngineError: IORails failed, or does not say what matched.
        """
        if not self._started:
            raise EngineError("missing", "the engine is not started")
        failure = ""
        with discreet():
            try:  # past its queue, which drops what is over 256
                messages = [{"role": "user", "content": text}]
                matched = _matched(await self._manager.is_input_safe(messages, enabled=["regex check input"]))
            except EngineError:
                raise
            except Exception as error:  # its message may quote the text
                failure, matched = type(error).__name__, []
        if failure:
            raise EngineError("exception", failure)
        if not matched and self._self_check and text.strip() and await self._self_check.blocks(text):
            return Findings(rulings=(Ruling(outcome="refuse", slug="default", category="self-check"),))
        return self.findings(matched, text)


def _matched(result: Any) -> list[str]:
    """The names in the patterns that matched; none where it says that the text passed."""
    outcome = getattr(result, "outcome", None)
    if result.is_safe is True:
        return []
    if outcome is None or getattr(outcome, "failed", False):
        raise EngineError("exception", "a rail of IORails failed")
    detections = outcome.metadata.get("detections")
    named = [found[1] for pattern in detections or () if (found := _NAMED.match(pattern))]
    if not named or len(named) != len(detections):
        raise EngineError("malformed", "IORails blocks, and does not say by which patterns")
    return named
