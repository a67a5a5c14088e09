"""Units, answers and models for the tests of screening."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from carerails.contracts import (
    Answer,
    Asking,
    Choice,
    ChoiceAnswer,
    Locale,
    Noul,
    NoulAnswer,
    Passage,
    Question,
    ScoreAnswer,
    Unit,
)
from carerails.testing.endpoint import Recorded, Scripted

QUESTION = "Where do I keep my insulin?"


def passage(*sentences: str, card: str = "storage-insulin", locale: Locale = "en", title: str = "Insulin") -> Passage:
    """A card of these sentences."""
    return Passage(card=card, locale=locale, title=title, sentences=sentences)


def units(*texts: str, source: str = "doc") -> tuple[Unit, ...]:
    """Units of one source."""
    return tuple(Unit(key=f"u{at}", text=text, source=source, place=str(at)) for at, text in enumerate(texts, 1))


def asking(*texts: str) -> Asking:
    """A state of these units."""
    return Asking(question=QUESTION, locale="en", units=units(*texts))


class Scripts:
    """A `DecisionModel` whose answers a function makes; remembers what it was asked."""

    name = "scripted"

    def __init__(self, answer: Callable[[Question], object] | None = None) -> None:
        self._answer = answer or calm
        self.asked: list[tuple[Asking, Mapping[str, Question]]] = []

    async def ask(self, asking: Asking, questions: Mapping[str, Question]) -> Any:
        """What the function says of each; an exception is raised, `...` leaves the answer out."""
        self.asked.append((asking, questions))
        found = {name: self._answer(question) for name, question in questions.items()}
        for value in found.values():
            if isinstance(value, Exception):
                raise value
        return {name: value for name, value in found.items() if value is not ...}


class Hangs:
    """A `DecisionModel` that never answers."""

    name = "hangs"

    async def ask(self, asking: Asking, questions: Mapping[str, Question]) -> Mapping[str, Answer]:
        await asyncio.Event().wait()
        raise AssertionError


def calm(question: Question) -> Answer:
    """Relevant, no contradiction, no instruction, supported."""
    match question:
        case Noul():
            return NoulAnswer(noul=0.01)
        case Choice():
            return chosen("supports", 0.9)
        case _:
            return level(2)


def level(at: int, of: int = 4) -> ScoreAnswer:
    """Surely this level."""
    return ScoreAnswer(score=float(at), probabilities=tuple(float(each == at) for each in range(of)), confidence=1.0)


def chosen(option: str, sure: float) -> ChoiceAnswer:
    """This option, that surely."""
    options = ("supports", "does not support", "cannot tell")
    rest = (1 - sure) / 2
    probabilities = {each: sure if each == option else rest for each in options}
    return ChoiceAnswer(choice=option, probabilities=probabilities, confidence=sure)


def wire_answer(question: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """A good answer of a System One endpoint to one question of a request."""
    kind = question["type"]
    if kind == "noul":
        return {"type": kind, "noul": 0.02, **more}
    if kind == "choice":
        options = list(question["criteria"])
        rest = dict.fromkeys(options[1:], 0.05)
        probabilities = {options[0]: 1 - sum(rest.values()), **rest}
        return {"type": kind, "choice": options[0], "probabilities": probabilities, "confidence": 0.8, **more}
    top = len(question["criteria"]) - 1
    probabilities = {str(at): float(at == top) for at in range(top + 1)}
    legend = {str(at): text for at, text in enumerate(question["criteria"])}
    return {
        "type": kind,
        "score": float(top),
        "probabilities": probabilities,
        "legend": legend,
        "confidence": 1.0,
        **more,
    }


def system_one(change: Callable[[dict[str, Any]], object] = lambda answers: answers) -> Callable[[Recorded], Scripted]:
    """A good response to whatever is asked, after `change` has had the answers."""

    def reply(request: Recorded) -> Scripted:
        answers = {name: wire_answer(question) for name, question in request.body["questions"].items()}
        changed = change(answers)
        body = {"model": "stub", "answers": changed, "usage": {"input_tokens": 1, "output_tokens": 1}}
        return Scripted(body=json.dumps(body).encode())

    return reply


def keys(reports: Sequence[Any], *fates: str) -> list[str]:
    """Keys of the units with one of these fates."""
    return [report.key for report in reports if report.fate in fates]
