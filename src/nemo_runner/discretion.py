"""Keeps NeMo's logs silent about our turns, and only about ours.

NeMo logs whole events and contexts, so the user's text, at INFO, and the traceback of a flow that dies at WARNING,
which Python prints on stderr when nobody has configured logging. Records are dropped while one of our turns runs in
the current context; another user of NeMo in the same process keeps every record.
"""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any

_in_turn: ContextVar[bool] = ContextVar("nemo_runner_in_turn", default=False)


def _outside_turns(_: logging.LogRecord) -> bool:
    return not _in_turn.get()


def hush() -> None:
    """Filter every logger that NeMo has made so far (a logger's filter does not hold for its children)."""
    for name in [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == "nemoguardrails"]:
        # The same function is added once only, so a second start adds nothing.
        logging.getLogger(name).addFilter(_outside_turns)
    _format_no_contexts()


def _format_no_contexts() -> None:
    """Spare our turns the text of every variable, which NeMo makes for its log at each step, to be written or not.

    It takes 100 us for each 30 kB of patterns, several times for each flow: half of a turn.
    """
    from nemoguardrails.colang.v2_x.runtime import statemachine

    module: Any = statemachine
    original = getattr(module, "_context_log", None)
    if original is None or hasattr(original, "__wrapped__"):
        return

    @wraps(original)
    def context_log(flow_state: object) -> str:
        return "" if _in_turn.get() else original(flow_state)

    module._context_log = context_log


@contextmanager
def discreet() -> Generator[None]:
    """What runs inside, in this context and in tasks it starts, leaves no record in NeMo's loggers."""
    token = _in_turn.set(True)
    try:
        yield
    finally:
        _in_turn.reset(token)
