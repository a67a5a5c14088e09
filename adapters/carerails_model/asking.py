"""What both engines share: the endpoint, redaction, and failures that never quote anybody."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from carerails.contracts import Findings, Locale, Ruling
from carerails.errors import EngineError
from carerails.llm import Endpoint, EndpointError
from carerails.privacy import PresidioRedactor
from carerails.text import detect_locale

#: Seconds for one answer, retries included.
TIMEOUT_S = 20.0
#: What a redactor makes of a text that it could not redact.
MASKED = "<REDACTED>"


class ModelEngine(ABC):
    """`RuleEngine` on a model behind any endpoint that speaks OpenAI's chat completions.

    Raises:
        UsageError: `OPENAI_API_KEY` or `CARERAILS_MODEL` is not set.
    """

    name: ClassVar[str]
    #: A model is slower than the rules that the profile's deadline is for.
    deadline_s = TIMEOUT_S + 1

    def __init__(self, rails: Path | None = None) -> None:
        self._rails = rails
        self._endpoint = Endpoint.from_environment(timeout_s=TIMEOUT_S)
        self.version = self._endpoint.model
        self._redactor: PresidioRedactor | None = None

    async def start(self) -> None:
        """Import what a question needs, some seconds."""
        self._endpoint.start()
        self._redactor = PresidioRedactor()
        self._redactor.start()

    async def close(self) -> None:
        """Close the connections of this event loop."""
        self._redactor = None
        await self._endpoint.close()

    async def evaluate(self, text: str) -> Findings:
        """The model's decision on what the user wrote, personal data taken out.

        Raises:
            EngineError: no answer in time, an error of the endpoint, an answer that does not fit.
        """
        if self._redactor is None:
            raise EngineError("missing", "the engine is not started")
        if not text.strip():
            return Findings()
        clean = self._redactor.redact(text, detect_locale(text)).text
        if clean == MASKED != text.strip():
            raise EngineError("exception", "the text could not be redacted")  # the model would see nothing in it
        try:
            ruling = await self._ask(clean)
        except EndpointError as error:
            failure = EngineError(error.kind, error.detail)
        else:
            return Findings(rulings=(ruling,) if ruling else ())
        raise failure

    async def render(self, slug: str, locale: Locale, numbers: Mapping[str, str]) -> str:
        """Templates are the rails'."""
        raise EngineError("missing", "the rails render")

    @abstractmethod
    async def _ask(self, text: str) -> Ruling | None:
        """One question, one decision; None: an answer."""

    async def _answer(self, system: str, data: str, response_format: Mapping[str, Any] | None = None) -> str:
        return await self._endpoint.ask(system, data, response_format)
