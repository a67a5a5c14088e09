"""Questions to a decision model in batches, and every answer checked: what is missing or does not fit is a failure."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias, cast

from carerails.contracts import Answer, Asking, DecisionModel, FailureKind, Question, Unit, fits
from carerails.parallel import chunks
from carerails.screening.errors import AnswerError

#: An answer, or how there came to be none.
Outcome: TypeAlias = "Answer | FailureKind"


async def answered(
    model: DecisionModel, asking: Asking, questions: Mapping[str, Question], *, batch: int, deadline_s: float
) -> dict[str, Outcome]:
    """The outcome of every question. Never raises but for cancellation; a batch that fails fails alone.

    Args:
        model: may raise, hang or answer nonsense.
        asking: the state.
        questions: by name; each of one of the state's units.
        batch: units of one request.
        deadline_s: seconds for all of it.
    """
    by_unit: dict[str, dict[str, Question]] = {unit.key: {} for unit in asking.units}
    for name, question in questions.items():
        by_unit[question.unit][name] = question
    outcomes: dict[str, Outcome] = dict.fromkeys(questions, "timeout")

    async def one(units: Sequence[Unit]) -> None:
        wanted = {name: question for unit in units for name, question in by_unit[unit.key].items()}
        outcomes.update(await _batch(model, asking.model_copy(update={"units": tuple(units)}), wanted))

    work = asyncio.gather(*(one(units) for units in chunks(asking.units, batch)))
    with suppress(asyncio.TimeoutError, TimeoutError):  # two classes before Python 3.11; what came in time stays
        await asyncio.wait_for(work, deadline_s)
    return outcomes


async def _batch(model: DecisionModel, asking: Asking, questions: Mapping[str, Question]) -> dict[str, Outcome]:
    """The outcomes of one request; one that is too large is asked again in halves."""
    try:
        answers = cast("object", await model.ask(asking, questions))
    except Exception as error:
        units = asking.units
        if isinstance(error, AnswerError) and error.too_large and len(units) > 1:
            half = len(units) // 2
            first = await _half(model, asking, questions, units[:half])
            return first | await _half(model, asking, questions, units[half:])
        return dict.fromkeys(questions, _kind(error))
    if not isinstance(answers, Mapping):
        return dict.fromkeys(questions, "malformed")
    known = cast("Mapping[str, Any]", answers)
    return {name: _checked(question, known.get(name)) for name, question in questions.items()}


async def _half(
    model: DecisionModel, asking: Asking, questions: Mapping[str, Question], units: Sequence[Unit]
) -> dict[str, Outcome]:
    keys = {unit.key for unit in units}
    wanted = {name: question for name, question in questions.items() if question.unit in keys}
    return await _batch(model, asking.model_copy(update={"units": tuple(units)}), wanted)


def _checked(question: Question, answer: object) -> Outcome:
    if answer is None:
        return "missing"
    return answer if fits(question, answer) else "malformed"  # pyright: ignore[reportReturnType]


def _kind(error: Exception) -> FailureKind:
    if isinstance(error, (asyncio.TimeoutError, TimeoutError)):
        return "timeout"
    kind = getattr(error, "kind", None)
    return kind if kind in ("timeout", "missing", "malformed") else "exception"
