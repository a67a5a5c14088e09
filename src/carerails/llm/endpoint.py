"""One question to one model. The deadline is kept, nothing is logged or traced, any failure is an `EndpointError`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from contextvars import Context
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary

from carerails.errors import UsageError
from carerails.llm.errors import EndpointError
from carerails.tracing import hush, untraced

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage
    from langchain_openai import ChatOpenAI
    from openai import DefaultAsyncHttpxClient


@dataclass(frozen=True, slots=True)
class _Client:
    """What one event loop talks through."""

    model: ChatOpenAI
    connections: DefaultAsyncHttpxClient


class Endpoint:
    """A model behind any endpoint that speaks OpenAI's chat completions. Serves any number of threads and event loops.

    Args:
        model: the model's name at the endpoint.
        api_key: the endpoint's key; any word where it wants none.
        base_url: up to and with `/v1`; None: OpenAI's own.
        timeout_s: seconds for one answer, retries included.
        retries: further attempts after 429, 5xx or a lost connection.
    """

    def __init__(
        self,
        model: str,
        *,
        api_key: str,
        base_url: str | None = None,
        timeout_s: float = 20.0,
        retries: int = 1,
    ) -> None:
        self.model, self.timeout_s = model, timeout_s
        self._settings: dict[str, Any] = {
            "model": model,
            "api_key": api_key,
            # Always said: left out, LangChain takes other variables, and a LangSmith gateway among them.
            "base_url": base_url or "https://api.openai.com/v1",
            "timeout": timeout_s,
            "max_retries": retries,
            "disable_streaming": True,  # inside a streaming graph LangChain would stream tokens that nobody has checked
        }
        # Connections belong to the event loop that opened them, and callers from sync code open one loop a call.
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, _Client] = WeakKeyDictionary()

    @classmethod
    def from_environment(
        cls, env: Mapping[str, str] | None = None, *, timeout_s: float = 20.0, retries: int = 1
    ) -> Endpoint:
        """The endpoint of `OPENAI_API_KEY`, `CARERAILS_MODEL` and, if it is set, `OPENAI_BASE_URL`.

        Raises:
            UsageError: a variable is missing.
        """
        env = os.environ if env is None else env
        mends = {
            "OPENAI_API_KEY": "set it to the endpoint's key, or to any word if it wants none",
            "CARERAILS_MODEL": "set it to the model's name at the endpoint",
        }
        for name, mend in mends.items():
            if not env.get(name, "").strip():
                raise UsageError(f"{name} is not set", mend)
        return cls(
            env["CARERAILS_MODEL"].strip(),
            api_key=env["OPENAI_API_KEY"].strip(),
            base_url=env.get("OPENAI_BASE_URL", "").strip() or None,
            timeout_s=timeout_s,
            retries=retries,
        )

    def start(self) -> None:
        """Import what a question needs (about 2 s), so that the first person does not wait for it. Optional."""
        import langchain_openai  # pyright: ignore[reportUnusedImport]  # noqa: F401
        import langsmith.run_helpers  # pyright: ignore[reportUnusedImport]  # noqa: F401

    async def close(self) -> None:
        """Close the connections of the running event loop; a later question opens new ones."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.connections.aclose()

    async def ask(self, system: str, data: str, response_format: Mapping[str, Any] | None = None) -> str:
        """What the model answers: the text of its message, not blank.

        Args:
            system: the rules.
            data: what they are about, with personal data taken out.
            response_format: the JSON schema of the answer, as chat completions takes it; None: any text.

        Raises:
            EndpointError: no answer in time, an error of the endpoint, a refusal, an answer that is cut off or blank.
        """
        client = self._client()
        asked: dict[str, Any] = {"response_format": dict(response_format)} if response_format else {}

        async def call() -> AIMessage:
            with untraced():
                return await client.model.ainvoke([("system", system), ("human", data)], **asked)

        failure: EndpointError
        try:
            # In a context of its own: a graph's callbacks, which would see the prompt, come down through the context.
            message = await asyncio.wait_for(Context().run(asyncio.ensure_future, call()), self.timeout_s)
        except Exception as error:
            failure = _failure(error)
        else:
            return _content(message)
        raise failure  # out here, so that the library's error, which may hold the request, does not hang on to it

    def _client(self) -> _Client:
        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None:
            client = self._clients[loop] = self._connect()
        return client

    def _connect(self) -> _Client:
        from langchain_openai import ChatOpenAI
        from openai import DefaultAsyncHttpxClient

        hush()
        # Of its own: LangChain's default is shared by all loops, and dies with the first of them.
        connections = DefaultAsyncHttpxClient(timeout=self.timeout_s)
        return _Client(ChatOpenAI(**self._settings, http_async_client=connections), connections)


def _failure(error: Exception) -> EndpointError:
    import openai

    if isinstance(error, (asyncio.TimeoutError, openai.APITimeoutError)):
        return EndpointError("timeout", "no answer in time")
    if isinstance(error, openai.APIStatusError):
        return EndpointError("exception", f"status {error.status_code}")
    if isinstance(error, openai.LengthFinishReasonError):
        return EndpointError("malformed", "the answer was cut off")
    if isinstance(error, openai.ContentFilterFinishReasonError):
        return EndpointError("missing", "the endpoint's filter held the answer back")
    if isinstance(error, (ValueError, TypeError, AttributeError, LookupError)):  # what the client raises on odd bodies
        return EndpointError("malformed", f"no chat completion ({type(error).__name__})")
    return EndpointError("exception", type(error).__name__)


def _content(message: AIMessage) -> str:
    if message.additional_kwargs.get("refusal"):
        raise EndpointError("missing", "the model refused")
    finish = message.response_metadata.get("finish_reason")
    if finish not in (None, "stop"):
        raise EndpointError("malformed", "the answer was cut off" if finish == "length" else "it ended early")
    content = cast("object", message.content)
    if not isinstance(content, str) or not content.strip():
        raise EndpointError("missing", "empty answer")
    return content
