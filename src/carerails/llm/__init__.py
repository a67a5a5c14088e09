"""Asking a language model for one strict JSON object, behind any endpoint that speaks OpenAI's chat completions."""

from carerails.llm.answer import read_answer
from carerails.llm.endpoint import Endpoint
from carerails.llm.errors import EndpointError

__all__ = ["Endpoint", "EndpointError", "read_answer"]
