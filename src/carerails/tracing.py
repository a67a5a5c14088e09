"""No tracing: LangChain would otherwise send every prompt to LangSmith as soon as an environment variable says so."""

from __future__ import annotations

import logging
import os
from collections.abc import Generator
from contextlib import contextmanager

#: LangChain raises on every call when one of these is set: they asked for a tracer that it no longer has.
_FIRST_GENERATION = ("LANGCHAIN_TRACING", "LANGCHAIN_HANDLER")


@contextmanager
def untraced() -> Generator[None, None, None]:
    """Nothing that LangChain or LangGraph runs inside is traced to LangSmith, whatever the environment says."""
    from langsmith.run_helpers import tracing_context  # pyright: ignore[reportUnknownVariableType]

    for name in _FIRST_GENERATION:
        os.environ.pop(name, None)
    with tracing_context(enabled=False):
        yield


def hush() -> None:
    """Keep the client libraries from logging requests: at level DEBUG they write the whole body, the question in it."""
    for name in ("openai", "httpx", "httpcore", "httpx2", "httpcore2"):
        logger = logging.getLogger(name)
        logger.setLevel(max(logger.level, logging.WARNING))
