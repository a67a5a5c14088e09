"""The drafter that asks a language model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from carerails.contracts import Locale, Passage, Reply
from carerails.drafting.envelope import PLAIN, Form
from carerails.drafting.errors import DraftError
from carerails.drafting.markers import cited
from carerails.drafting.prompt import data_message, system_message
from carerails.llm import Endpoint, EndpointError


class ModelDrafter:
    """A `Drafter` that lets a model put the passages into words.

    Whatever is not a well-formed answer raises a `DraftError`. Wrong citations are none of its business: the reply goes
    out with what the model cited, and the `CitationChecker` behind it holds it back.

    Args:
        endpoint: where the model is.
        form: what it must answer; `carerails.output.form` has that of a deployment's field rules.
    """

    def __init__(self, endpoint: Endpoint, form: Form = PLAIN) -> None:
        self._endpoint, self._form = endpoint, form

    @classmethod
    def from_environment(
        cls, env: Mapping[str, str] | None = None, *, timeout_s: float = 20.0, retries: int = 1, form: Form = PLAIN
    ) -> ModelDrafter:
        """A drafter for the endpoint that the environment names.

        Raises:
            UsageError: a variable is missing.
        """
        return cls(Endpoint.from_environment(env, timeout_s=timeout_s, retries=retries), form)

    def start(self) -> None:
        """Import what a draft needs, so that the first person does not wait for it. Optional."""
        self._endpoint.start()

    async def close(self) -> None:
        """Close the connections of the running event loop; a later draft opens new ones."""
        await self._endpoint.close()

    async def draft(self, question: str, locale: Locale, passages: Sequence[Passage]) -> Reply:
        """An answer from the passages; `question` is redacted already.

        Raises:
            DraftError: no passages, no answer in time, an error of the endpoint, a refusal, a malformed answer.
        """
        if not passages:
            raise DraftError("missing", "no passages")
        try:
            content = await self._endpoint.ask(
                system_message(locale, self._form.asks), data_message(question, passages), self._form.response_format
            )
        except EndpointError as error:
            raise DraftError(error.kind, error.detail) from None
        envelope = self._form.read(content)
        in_text, listed = cited(envelope.text), tuple(envelope.citations)
        citations = in_text if set(in_text) == set(listed) else listed
        return Reply(kind="answer", text=envelope.text, citations=citations, rationale=f"model {self._endpoint.model}")
