"""NeMo's pauses are taken out, and nothing else of what it does with its event loop."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from nemoguardrails.colang.v2_x.runtime import runtime

from nemo_runner.pace import let_it_run

nemo: Any = runtime


def test_a_pause_lets_others_run_and_does_not_wait() -> None:
    let_it_run()
    order: list[str] = []

    async def paused() -> None:
        order.append("before")
        await nemo.asyncio.sleep(5)
        order.append("after")

    async def both() -> None:
        task = nemo.asyncio.create_task(paused())
        await asyncio.sleep(0)
        order.append("other")
        await task

    begin = time.perf_counter()
    asyncio.run(both())
    assert time.perf_counter() - begin < 1
    assert order == ["before", "other", "after"]


def test_the_rest_of_asyncio_is_there() -> None:
    let_it_run()
    assert nemo.asyncio.wait is asyncio.wait
    assert nemo.asyncio.FIRST_COMPLETED is asyncio.FIRST_COMPLETED
