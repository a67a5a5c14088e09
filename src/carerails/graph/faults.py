"""A seam that failed: it is recorded on the turn, so that a fallback never looks like an ordinary reply."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import Literal, TypeVar

from carerails.contracts import FailureKind, Frozen

Where = Literal[
    "request",
    "engine",
    "redactor",
    "retriever",
    "screener",
    "drafter",
    "guard",
    "claims",
    "circuit",
    "graph",
    "pager",
    "store",
]
Value = TypeVar("Value")


class Fault(Frozen):
    """What failed, and how. `detail` is the type of an exception, never its message, which may quote the user."""

    where: Where
    kind: FailureKind
    detail: str = ""

    @classmethod
    def of(cls, where: Where, error: BaseException) -> Fault:
        """The fault that an exception stands for."""
        late = isinstance(error, (asyncio.TimeoutError, TimeoutError))
        return cls(where=where, kind="timeout" if late else "exception", detail=type(error).__name__)


async def attempt(
    where: Where, call: Callable[[], Awaitable[object]], kind: type[Value], deadline_s: float
) -> Value | Fault:
    """What `call` answers, if it answers in time and with a `kind`; otherwise the fault. Never raises."""
    try:
        value = await _within(deadline_s, call)
    except Exception as error:
        return Fault.of(where, error)
    if isinstance(value, kind):
        return value
    return Fault(where=where, kind="missing" if value is None else "malformed", detail=type(value).__name__)


async def _within(deadline_s: float, call: Callable[[], Awaitable[object]]) -> object:
    if sys.version_info < (3, 11):
        return await asyncio.wait_for(call(), deadline_s)
    async with asyncio.timeout(deadline_s):  # makes no task, which would cost more than most checks
        return await call()
