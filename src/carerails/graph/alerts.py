"""Tells people that a circuit has opened: a line in the log, and a webhook, where one is configured."""

from __future__ import annotations

import asyncio
import logging

from carerails.graph.circuit import Opening

TRIES = 5
CLOSE_S = 2.0

log = logging.getLogger(__name__)


class Alerts:
    """Sends in the background: no turn waits for it, and none fails with it.

    Args:
        webhook: takes a POST of an `Opening` as JSON, with an `Idempotency-Key`; None: there is only the log.
        retry_s: seconds before the second try, doubled for each further one.
        timeout_s: seconds of one try.
    """

    def __init__(self, webhook: str | None, retry_s: float = 1.0, timeout_s: float = 5.0) -> None:
        self._webhook, self._retry_s, self._timeout_s = webhook, retry_s, timeout_s
        self._sending: set[asyncio.Task[None]] = set()

    def send(self, opening: Opening) -> None:
        """Alert, once: whoever calls knows that it is the only one."""
        log.error(
            "circuit open: route %s, tenant %s, %d failures in a row; the model is left alone for %g s",
            opening.route,
            opening.tenant or "-",
            opening.failures,
            opening.open_s,
        )
        if self._webhook:
            task = asyncio.get_running_loop().create_task(self._post(self._webhook, opening))
            self._sending.add(task)
            task.add_done_callback(self._sending.discard)

    async def close(self) -> None:
        """Give what is on its way a moment, then let go."""
        if self._sending:
            await asyncio.wait(self._sending, timeout=CLOSE_S)
        for task in self._sending:
            task.cancel()

    async def _post(self, webhook: str, opening: Opening) -> None:
        import httpx

        body = {"event": "circuit-open", **opening.model_dump()}
        async with httpx.AsyncClient(timeout=self._timeout_s) as client:
            for number in range(TRIES):
                try:
                    answer = await client.post(webhook, json=body, headers={"Idempotency-Key": opening.key})
                    if answer.is_success:
                        return
                    problem = f"status {answer.status_code}"
                except Exception as error:  # its message may hold the URL, and so a secret
                    problem = type(error).__name__
                log.warning("the alert of an open circuit was not taken: %s", problem)
                await asyncio.sleep(self._retry_s * 2**number)
        log.error("the alert of an open circuit could not be sent")
