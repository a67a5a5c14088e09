"""The decision model behind a System One endpoint, through `typesafe-sdk` (the extra `screening`)."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, cast
from weakref import WeakKeyDictionary

from pydantic import ValidationError

from carerails.contracts import Answer, Asking, Choice, ChoiceAnswer, Noul, NoulAnswer, Question, Score, ScoreAnswer
from carerails.errors import UsageError
from carerails.screening.errors import AnswerError
from carerails.screening.state import state_of
from carerails.tracing import hush

if TYPE_CHECKING:
    from typesafe_sdk import AsyncTypeSafeClient

#: The variables that name the endpoint, each with what to do where it is missing.
_NEEDED: Final = {
    "TYPESAFE_API_KEY": "set it to the endpoint's key",
    "TYPESAFE_DEFAULT_MODEL": "set it to the model's name at the endpoint",
}


class SystemOneModel:
    """A `DecisionModel` that asks a System One endpoint. Serves any number of event loops.

    Args:
        model: the model's name at the endpoint.
        api_key: the endpoint's key.
        base_url: up to but without `/v1/systemone`; None: the vendor's own.
        timeout_s: seconds for one request, retries included.
        retries: further attempts after 429, 5xx or a lost connection.

    Raises:
        UsageError: the extra is not installed.
    """

    def __init__(
        self, model: str, *, api_key: str, base_url: str | None = None, timeout_s: float = 4.0, retries: int = 1
    ) -> None:
        self.name = model
        self._key, self._url, self._timeout_s, self._retries = api_key, base_url, timeout_s, retries
        # Connections belong to the event loop that opened them.
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncTypeSafeClient] = WeakKeyDictionary()
        if find_spec("typesafe_sdk") is None:
            raise UsageError("the extra `screening` is not installed", "pip install 'carerails[screening]'")

    @classmethod
    def from_environment(cls, env: Mapping[str, str] | None = None, *, timeout_s: float = 4.0) -> SystemOneModel:
        """The endpoint of `TYPESAFE_API_KEY`, `TYPESAFE_DEFAULT_MODEL` and, if it is set, `TYPESAFE_BASE_URL`.

        Raises:
            UsageError: a variable is missing, or the extra is.
        """
        env = os.environ if env is None else env
        for name, mend in _NEEDED.items():
            if not env.get(name, "").strip():
                raise UsageError(f"{name} is not set", mend)
        return cls(
            env["TYPESAFE_DEFAULT_MODEL"].strip(),
            api_key=env["TYPESAFE_API_KEY"].strip(),
            base_url=env.get("TYPESAFE_BASE_URL", "").strip() or None,
            timeout_s=timeout_s,
        )

    async def ask(self, asking: Asking, questions: Mapping[str, Question]) -> Mapping[str, Answer]:
        """The answers of one request; one that does not fit its question stays as it came, and counts as malformed.

        Raises:
            AnswerError: no answer in time, refused, too large, throttled, unreachable, or no answer of the format.
        """
        wire = {name: _asked(question) for name, question in questions.items()}
        failure: AnswerError
        client: Any = self._client()  # its own types are unknown in parts
        try:
            response = await asyncio.wait_for(client.system_one(state_of(asking), wire), self._timeout_s)
        except Exception as error:
            failure = _failure(error)
        else:
            given = response.answers
            return {name: _read(questions[name], answer) for name, answer in given.items() if name in questions}
        raise failure  # out here, so that the client's error, which may hold what was sent, does not hang on to it

    async def close(self) -> None:
        """Close the connections of the running event loop; a later request opens new ones."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.aclose()

    def _client(self) -> AsyncTypeSafeClient:
        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None:
            client = self._clients[loop] = self._connect()
        return client

    def _connect(self) -> AsyncTypeSafeClient:
        from typesafe_sdk import AsyncTypeSafeClient, RetryPolicy
        from typesafe_sdk.constants import DEFAULT_BASE_URL

        hush()
        # At level DEBUG it logs what is sent and what comes back.
        logging.getLogger("typesafe_sdk").setLevel(logging.ERROR)
        return AsyncTypeSafeClient(
            api_key=self._key,
            model=self.name,
            base_url=self._url or DEFAULT_BASE_URL,  # always said: left out, the environment decides
            timeout=self._timeout_s,
            retry=RetryPolicy(max_retries=self._retries, timeout=self._timeout_s, backoff_initial=0.1),
            compression=False,
        )


def _asked(question: Question) -> dict[str, Any]:
    match question:
        case Noul():
            criteria: Any = {"true": question.yes, "false": question.no}
            kind = "noul"
        case Choice():
            criteria, kind = dict(question.options), "choice"
        case Score():
            criteria, kind = list(question.levels), "score"
    return {"type": kind, "instructions": question.instructions, "criteria": criteria}


def _read(question: Question, answer: Any) -> Answer:
    """As our own answer, which is stricter: ranges, sums, options. What does not fit is handed on as it is."""
    try:
        match question:
            case Noul():
                return NoulAnswer(noul=answer.noul)
            case Choice():
                return ChoiceAnswer(
                    choice=answer.choice, probabilities=dict(answer.probabilities), confidence=answer.confidence
                )
            case Score():
                levels: dict[int, float] = dict(answer.probabilities)
                return ScoreAnswer(
                    score=answer.score,
                    probabilities=tuple(levels[level] for level in range(len(levels))),
                    confidence=answer.confidence,
                )
    except (ValidationError, ValueError, AttributeError, LookupError, TypeError):
        return cast("Answer", answer)


def _failure(error: Exception) -> AnswerError:
    from typesafe_sdk import TypeSafeAPIError, TypeSafeAPIResponseValidationError, TypeSafeAPITimeoutError

    if isinstance(error, (asyncio.TimeoutError, TimeoutError, TypeSafeAPITimeoutError)):
        return AnswerError("timeout", "no answer in time")
    if isinstance(error, TypeSafeAPIResponseValidationError):
        return AnswerError("malformed", "no answer of the format")
    if isinstance(error, TypeSafeAPIError):
        return AnswerError("exception", f"status {error.status}", too_large=error.status == 413)
    return AnswerError("exception", type(error).__name__)
