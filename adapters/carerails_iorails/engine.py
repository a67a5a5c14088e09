"""The adapter: each rule that is one regex is a pattern of `regex check input`, its name a comment in it."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path
from typing import Any

import yaml

from carerails.contracts import Findings
from carerails.errors import EngineError, UsageError
from carerails.patterns import PatternEngine
from nemo_runner import discreet, hush, no_telemetry

#: Comes back verbatim with the pattern that matched.
_NAMED = re.compile(r"\(\?#([^)]*)\)")


class IORailsEngine(PatternEngine):
    """`RuleEngine` on `nemoguardrails.Guardrails` with `require_iorails`.

    Raises:
        importlib.metadata.PackageNotFoundError: NeMo Guardrails is not installed.
    """

    name = "iorails"

    def __init__(self, rails: Path | None = None) -> None:
        super().__init__(rails)
        self.version = metadata.version("nemoguardrails")
        self._manager: Any = None

    def config(self) -> str:
        """The configuration, as YAML that a team could run without us."""
        patterns = [f"(?#{name}){regex}" for name, regex in self.regexes.items()]
        rails = {
            "input": {"flows": ["regex check input"]},
            "config": {"regex_detection": {"input": {"patterns": patterns}}},
        }
        return str(yaml.safe_dump({"models": [], "rails": rails}, allow_unicode=True, width=1_000_000))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]

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
            guardrails = nemo(configs.from_content(yaml_content=self.config()), require_iorails=True)
            self._manager = guardrails.rails_engine.rails_manager
        except Exception as error:
            raise UsageError(f"IORails cannot run the rails: {type(error).__name__}", "see docs/engines.md") from None
        hush()
        self._started = True

    async def evaluate(self, text: str) -> Findings:
        """The rules whose patterns matched.

        Raises:
            EngineError: IORails failed, or does not say what matched.
        """
        if not self._started:
            raise EngineError("missing", "the engine is not started")
        failure = ""
        with discreet():
            try:  # past its queue, which drops what is over 256
                result: Any = await self._manager.is_input_safe([{"role": "user", "content": text}])
                matched = _matched(result)
            except EngineError:
                raise
            except Exception as error:  # its message may quote the text
                failure, matched = type(error).__name__, []
        if failure:
            raise EngineError("exception", failure)
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
