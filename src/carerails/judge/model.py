"""Asking a model for a verdict: what is sent is redacted, an endpoint that keeps failing is left alone for a while."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence

from carerails.breaker import Breaker
from carerails.config import ModelJudgeProfile
from carerails.contracts import Locale, Redactor, Turn
from carerails.judge.prompt import data_message, system_message
from carerails.judge.rubric import Pinned
from carerails.judge.verdict import Verdict, read_verdict, response_format
from carerails.llm import Endpoint, EndpointError
from carerails.text import unanswered

#: What a redactor makes of a text that it could not redact: a judge would see nothing in it.
_MASKED = "<REDACTED>"


class RubricModel:
    """A model that judges turns by a rubric.

    Args:
        endpoint: where it is.
        pinned: what it is told.
        redactor: takes personal data out of what it is sent.
        settings: limits, breaker.
        clock: of the breaker, seconds.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        pinned: Pinned,
        redactor: Redactor,
        settings: ModelJudgeProfile | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._endpoint, self._redactor = endpoint, redactor
        self.rubric, self.lines = pinned.rubric, pinned.lines
        self.settings = settings or ModelJudgeProfile()
        self.breaker = Breaker(self.settings.breaker, clock)
        self._system, self._format = system_message(self.rubric), response_format(self.rubric)
        parts = (endpoint.model, pinned.digest, self._system, json.dumps(self._format))
        self.fingerprint = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]

    def start(self) -> None:
        """Import what a verdict needs (some seconds), so that the first person does not wait for it."""
        self._endpoint.start()
        start = getattr(self._redactor, "start", None)
        if start:
            start()

    async def close(self) -> None:
        """Close the connections of the running event loop."""
        await self._endpoint.close()

    async def verdict(self, turn: Turn, locale: Locale) -> Verdict:
        """The verdict on all that the user said and nobody answered.

        Raises:
            EndpointError: no answer in time, an error, a refusal, an answer that does not fit the rubric; or a turn
                that is too long, or could not be redacted.
            BreakerOpen: the endpoint has failed too often, and is left alone.
        """
        messages = self._redacted(unanswered(turn), locale)
        with self.breaker.attempt():
            content = await self._endpoint.ask(self._system, data_message(messages), self._format)
            return read_verdict(content, self.rubric)

    def _redacted(self, messages: Sequence[str], locale: Locale) -> list[str]:
        if sum(map(len, messages)) > self.settings.max_chars:
            raise EndpointError("malformed", "the turn is too long to be judged")
        clean = [self._redactor.redact(message, locale).text for message in messages]
        if any(text == _MASKED and text != said.strip() for text, said in zip(clean, messages, strict=True)):
            raise EndpointError("exception", "the turn could not be redacted")
        return clean
