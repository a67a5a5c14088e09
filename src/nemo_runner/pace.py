"""NeMo sleeps for a millisecond after each event of a turn, of which there are two; here it only lets others run."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from nemoguardrails.colang.v2_x.runtime import runtime

loop: Any = runtime


class _WithoutPauses:
    """`asyncio`, as NeMo's loop sees it."""

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    @staticmethod
    def sleep(delay: float) -> Coroutine[Any, Any, None]:
        """Yield to other tasks, and go on."""
        return asyncio.sleep(0)


def let_it_run() -> None:
    """Take the pauses out of NeMo's event loop, for all that use it in this process."""
    loop.asyncio = _WithoutPauses()
