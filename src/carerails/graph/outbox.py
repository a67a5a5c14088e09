"""What leaves the agent besides the answer to a call, exactly once, also after a crash."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid

from carerails.contracts import Channel, Reply, TurnDecision
from carerails.graph.deliveries import Delivery, Handover, Page, Sink
from carerails.graph.store import Row, Statement, Store

LONGEST_RETRY_S = 60.0
_COLUMNS = "key, kind, thread, turn, body"
_PUT = (
    f"INSERT INTO carerails_outbox ({_COLUMNS}, created, delivered) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
)

log = logging.getLogger(__name__)


class Outbox:
    """A table with a unique key: what is put twice is there once.

    Args:
        store: its database.
        sink: where deliveries go on to. None: the table is where people look, and what is in it is delivered.
        retry_s: seconds before a failed delivery is tried again.
    """

    def __init__(self, store: Store, sink: Sink | None, retry_s: float) -> None:
        self._store, self._sink, self._retry_s = store, sink, retry_s
        self._courier: asyncio.Task[None] | None = None
        self._unstored: set[asyncio.Task[None]] = set()

    async def page(self, page: Page) -> None:
        """Page a human: once a turn, however often the turn is taken up; a turn without a number stands alone."""
        await self._store.write(self._put(_delivery(page, page.turn or uuid.uuid4().hex)))
        self.kick()

    async def paged(self, thread_id: str, turn: int) -> Page | None:
        """The page of a turn, if it is out."""
        rows = await self._store.read("SELECT body FROM carerails_outbox WHERE key = ?", _page_key(thread_id, turn))
        return Page.model_validate_json(rows[0][0]) if rows else None

    def page_unstored(self, page: Page) -> bool:
        """Page past a database that is down, in the background; False if there is no sink to page with.

        Twice is better than never: the key is a new one each time.
        """
        if self._sink is None:
            return False
        task = asyncio.get_running_loop().create_task(_attempt(self._sink, _delivery(page, uuid.uuid4().hex)))
        self._unstored.add(task)
        task.add_done_callback(self._unstored.discard)
        return True

    async def hand_over(self, thread_id: str, turn: int, decision: TurnDecision, channel: Channel) -> None:
        """Call a person to answer a turn, once."""
        body = Handover(
            thread_id=thread_id, turn=turn, locale=decision.locale, country=decision.country, channel=channel
        )
        key = f"handover:{thread_id}:{turn}"
        delivery = Delivery(key=key, kind="handover", thread_id=thread_id, turn=turn, body=body.model_dump_json())
        await self._store.write(self._put(delivery))
        self.kick()

    def reply(self, what: str, thread_id: str, turn: int, reply: Reply) -> Statement:
        """The statement that sends a reply, for the transaction that ends what it was held up by: `what`, by its id."""
        body = reply.model_dump_json()
        return self._put(Delivery(key=f"reply:{what}", kind="reply", thread_id=thread_id, turn=turn, body=body))

    async def of(self, thread_id: str) -> tuple[Delivery, ...]:
        """All that was put on a thread, in order."""
        rows = await self._store.read(
            f"SELECT {_COLUMNS} FROM carerails_outbox WHERE thread = ? ORDER BY turn, created", thread_id
        )
        return tuple(_read(row) for row in rows)

    def kick(self) -> None:
        """Hand on what waits, in the background: no reply waits for a sink."""
        if self._sink and (self._courier is None or self._courier.done()):
            self._courier = asyncio.get_running_loop().create_task(self._run(self._sink))

    async def close(self) -> None:
        """Stop; what waits is handed on after the next start, what is not stored now."""
        await asyncio.gather(*self._unstored)
        if self._courier:
            self._courier.cancel()
            await asyncio.gather(self._courier, return_exceptions=True)

    async def _run(self, sink: Sink) -> None:
        wait_s = self._retry_s
        while True:
            try:
                if not await self._round(sink):
                    return
                wait_s = self._retry_s
            except Exception as error:
                log.error("a delivery failed, next try in %g s: %s", wait_s, type(error).__name__)
                await asyncio.sleep(wait_s)
                wait_s = min(2 * wait_s, LONGEST_RETRY_S)

    async def _round(self, sink: Sink) -> bool:
        """Hand on all that waits; whether anything did."""
        rows = await self._store.read(
            f"SELECT {_COLUMNS} FROM carerails_outbox WHERE delivered IS NULL ORDER BY created LIMIT 100"
        )
        for row in rows:
            delivery = _read(row)
            await sink.deliver(delivery)
            done = "UPDATE carerails_outbox SET delivered = ? WHERE key = ?"
            await self._store.write((done, (time.time(), delivery.key)))
        return bool(rows)

    def _put(self, delivery: Delivery) -> Statement:
        now = time.time()
        values = (delivery.key, delivery.kind, delivery.thread_id, delivery.turn, delivery.body)
        return _PUT, (*values, now, None if self._sink else now)


async def _attempt(sink: Sink, delivery: Delivery) -> None:
    try:
        await asyncio.wait_for(sink.deliver(delivery), LONGEST_RETRY_S)
    except Exception as error:
        log.error("a human could not be paged: %s", type(error).__name__)


def _delivery(page: Page, which: int | str) -> Delivery:
    key = _page_key(page.thread_id, which)
    return Delivery(key=key, kind="page", thread_id=page.thread_id, turn=page.turn, body=page.model_dump_json())


def _page_key(thread_id: str, which: int | str) -> str:
    return f"page:{thread_id}:{which}"


def _read(row: Row) -> Delivery:
    key, kind, thread_id, turn, body = row
    return Delivery(key=key, kind=kind, thread_id=thread_id, turn=turn, body=body)
