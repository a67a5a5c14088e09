"""The adapter: one `Regex` scanner a rule, called by itself, for LLM Guard keys results by the scanner's class."""

from __future__ import annotations

import os
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

from carerails.contracts import Findings
from carerails.errors import EngineError
from carerails.patterns import PatternEngine


class LLMGuardEngine(PatternEngine):
    """`RuleEngine` on LLM Guard's scanners without weights. It runs in its own environment.

    Raises:
        importlib.metadata.PackageNotFoundError: it is not installed here.
    """

    name = "llm-guard"

    def __init__(self, rails: Path | None = None) -> None:
        super().__init__(rails)
        self.version = metadata.version("llm-guard")
        self._scanners: dict[str, Any] = {}

    async def start(self) -> None:
        """Make the scanners."""
        # Nothing is fetched and nothing told, also where a library that it imports would.
        os.environ.update({"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"})
        library: Any = import_module("llm_guard.input_scanners")  # it is not here where types are checked
        match: Any = import_module("llm_guard.input_scanners.regex").MatchType
        self._scanners = {
            name: library.Regex([regex], is_blocked=True, match_type=match.SEARCH, redact=False)
            for name, regex in self.regexes.items()
        }
        self._started = True

    async def evaluate(self, text: str) -> Findings:
        """The rules whose scanners call the text invalid.

        Raises:
            EngineError: a scanner raised, or gave no verdict.
        """
        if not self._started:
            raise EngineError("missing", "the engine is not started")
        error, matched = "", list[str]()
        try:
            for name, scanner in self._scanners.items():
                _, valid, _ = scanner.scan(text)
                if type(valid) is not bool:
                    raise TypeError
                if not valid:
                    matched.append(name)
        except Exception as raised:  # its message may quote the text
            error = type(raised).__name__
        if error:
            raise EngineError("exception", error)
        return self.findings(matched, text)
