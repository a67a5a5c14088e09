"""Requests: batches, what is too large, what comes late. One that fails costs its own units and no other."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from carerails.contracts import Answer, Asking, Question
from carerails.screening import questions
from carerails.screening.errors import AnswerError
from carerails.screening.requests import Outcome, answered
from tests.screening.kit import Scripts, asking, calm

ASKING = asking(*"abcde")
ASKED = questions.of_units(ASKING.units)


def asked(model: Any, *, batch: int = 2, deadline_s: float = 5.0) -> dict[str, Outcome]:
    return asyncio.run(answered(model, ASKING, ASKED, batch=batch, deadline_s=deadline_s))


def failed(outcomes: Mapping[str, Outcome]) -> dict[str, str]:
    return {name.partition(".")[0]: kind for name, kind in outcomes.items() if isinstance(kind, str)}


def test_units_go_out_in_batches_with_all_their_questions() -> None:
    model = Scripts()
    assert not failed(asked(model))
    sent = [([unit.key for unit in each.units], len(wanted)) for each, wanted in model.asked]
    assert sent == [(["u1", "u2"], 6), (["u3", "u4"], 6), (["u5"], 3)]


def test_one_batch_that_fails_costs_no_other() -> None:
    def third(question: Question) -> object:
        return AnswerError("exception", "status 429") if question.unit == "u3" else calm(question)

    assert failed(asked(Scripts(third))) == {"u3": "exception", "u4": "exception"}


def test_what_is_too_large_is_asked_in_halves_down_to_one_unit() -> None:
    class Small(Scripts):
        async def ask(self, asking: Asking, questions: Mapping[str, Question]) -> Any:
            await super().ask(asking, questions)
            keys = [unit.key for unit in asking.units]
            if len(keys) > 1 or keys == ["u2"]:
                raise AnswerError("exception", "status 413", too_large=True)
            return {name: calm(question) for name, question in questions.items()}

    assert failed(asked(Small(), batch=5)) == {"u2": "exception"}


def test_what_came_in_time_stays_when_the_rest_is_late() -> None:
    class Late(Scripts):
        async def ask(self, asking: Asking, questions: Mapping[str, Question]) -> Mapping[str, Answer]:
            if asking.units[0].key == "u3":
                await asyncio.Event().wait()
            return await super().ask(asking, questions)

    assert failed(asked(Late(), deadline_s=0.2)) == {"u3": "timeout", "u4": "timeout"}
