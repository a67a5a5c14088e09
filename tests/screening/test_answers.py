"""Typed answers: what does not fit is refused, never clamped, filled in or guessed."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from carerails.contracts import ChoiceAnswer, NoulAnswer, ScoreAnswer, UnitReport, fits
from carerails.screening import questions
from tests.screening.kit import chosen, level

NAN, INF = float("nan"), float("inf")
SHARES = {"supports": 0.8, "does not support": 0.1, "cannot tell": 0.1}

BAD: list[tuple[type[Any], dict[str, Any]]] = [
    *((NoulAnswer, {"noul": value}) for value in (1.2, -1, NAN, INF, True, "0.8", None)),
    (NoulAnswer, {}),
    (NoulAnswer, {"noul": 0.5, "confidence": 0.9}),  # it has none
    (ScoreAnswer, {"score": 4.0, "probabilities": (0.0, 0.0, 1.0), "confidence": 1.0}),
    (ScoreAnswer, {"score": 0.8, "probabilities": (0.0, 0.2, 0.8), "confidence": 1.0}),  # on a scale to 1
    (ScoreAnswer, {"score": NAN, "probabilities": (0.0, 0.0, 1.0), "confidence": 1.0}),
    (ScoreAnswer, {"score": 1.0, "probabilities": (0.0, 1.0, 0.5), "confidence": 1.0}),
    (ScoreAnswer, {"score": 1.0, "probabilities": (1.0,), "confidence": 1.0}),
    (ScoreAnswer, {"score": 1.0, "probabilities": (0.0, 1.0)}),
    (ChoiceAnswer, {"choice": "supports", "probabilities": SHARES, "confidence": 1.1}),
    (ChoiceAnswer, {"choice": "perhaps", "probabilities": SHARES, "confidence": 0.9}),
    (ChoiceAnswer, {"choice": "cannot tell", "probabilities": SHARES, "confidence": 0.9}),  # not the likeliest
    (ChoiceAnswer, {"choice": "supports", "probabilities": {"supports": 0.5}, "confidence": 0.9}),
    (ChoiceAnswer, {"choice": "supports", "probabilities": {}, "confidence": 0.9}),
]


@pytest.mark.parametrize(("kind", "fields"), BAD)
def test_what_does_not_fit_is_refused(kind: type[Any], fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        kind(**fields)


def test_a_score_runs_to_the_number_of_levels_less_one() -> None:
    assert questions.relevance("u1").top == 3
    assert ScoreAnswer(score=2.5, probabilities=(0.0, 0.0, 0.5, 0.5), confidence=0.3).score == 2.5


def test_an_answer_fits_only_its_own_question() -> None:
    asked = [questions.relevance("u1"), questions.instructions("u1"), questions.support("u1")]
    given = [level(3), NoulAnswer(noul=0.1), chosen("supports", 0.9)]
    assert [[fits(question, answer) for answer in given] for question in asked] == [
        [True, False, False],
        [False, True, False],
        [False, False, True],
    ]
    assert not fits(questions.relevance("u1"), level(1, of=3))
    other = ChoiceAnswer(choice="yes", probabilities={"yes": 1.0}, confidence=1.0)
    assert not fits(questions.support("u1"), other)
    assert not fits(questions.support("u1"), "supports")


@pytest.mark.parametrize(
    "fields",
    [
        {"fate": "failed"},
        {"fate": "kept", "rank": 1, "failure": "timeout"},
        {"fate": "carrier", "rank": 1},
        {"fate": "marked"},
    ],
)
def test_a_report_cannot_say_two_things(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        UnitReport(key="u1", source="s", place="1", digest="d", tokens=1, **fields)
