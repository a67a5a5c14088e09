"""A model judge in front of a stub, and the verdicts it may get."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

from carerails.config import ModelJudgeProfile
from carerails.contracts import Locale, Redacted, Turn
from carerails.judge import RubricModel, Verdict, load_rubric
from carerails.llm import Endpoint
from carerails.testing import Recorded, Scripted, StubLLM, answers

SECRET = "zanahoria"  # a word of the user that no error and no log may repeat
PINNED = load_rubric()
ZEROS: dict[str, float] = dict.fromkeys(PINNED.rubric.scores, 0.0)
CALM: dict[str, Any] = {"category": "none", "scores": ZEROS}


def verdict(category: str = "none", **scores: Any) -> dict[str, Any]:
    """A verdict with these scores, 0.0 for the others."""
    return {"category": category, "scores": {**ZEROS, **scores}}


@dataclass
class Plain:
    """A redactor that knows one word only."""

    seen: list[str] = field(default_factory=list[str])

    def redact(self, text: str, locale: Locale) -> Redacted:
        self.seen.append(locale)
        return Redacted(text=text.replace("Ada", "<NAME>"))


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


def model(llm: StubLLM, *, timeout_s: float = 5.0, retries: int = 0, **more: Any) -> RubricModel:
    redactor, clock = more.pop("redactor", Plain()), more.pop("clock", Clock())
    settings = ModelJudgeProfile(timeout_s=timeout_s, retries=retries, **more)
    endpoint = Endpoint.from_environment(llm.environment, timeout_s=timeout_s, retries=retries)
    return RubricModel(endpoint, PINNED, redactor, settings, clock)


def ask(one: RubricModel, text: str = "where do i keep it") -> Verdict:
    """One verdict in an event loop of its own."""

    async def once() -> Verdict:
        try:
            return await one.verdict(Turn.of(text), "en")
        finally:
            await one.close()

    return asyncio.run(once())


def by_word(words: dict[str, dict[str, Any]]) -> Any:
    """A line of a script: the verdict of the first word that stands in what was asked, else a calm one."""

    def reply(request: Recorded) -> Scripted:
        asked = " ".join(json.loads(request.messages[1]["content"])["messages"])
        return answers(next((answer for word, answer in words.items() if word in asked), CALM))

    return reply
