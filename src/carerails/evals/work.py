"""The work of a run: cases in, scored rows out. The same in this process, in several, or on a cluster."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from threading import local
from typing import TYPE_CHECKING

from carerails.contracts import Turn, TurnDecision
from carerails.engine import FailSafeEngine, open_engine
from carerails.errors import CarerailsError
from carerails.evals.cache import Cache
from carerails.evals.cases import Case
from carerails.evals.rows import Row
from carerails.evals.scoring import as_row
from carerails.evals.tally import Tallies
from carerails.gate import GatedEngine

if TYPE_CHECKING:
    from carerails.evals.agent_cases import AnyAgentCase as AgentCase
    from carerails.evals.agent_runner import Player
    from carerails.evals.reply_cases import ReplyCase
    from carerails.evals.reply_runner import ReplyPlayer

#: A case of an engine, of the whole agent or of its output guard, and the slice that it is of.
Item = tuple[str, "Case | AgentCase | ReplyCase"]
#: Cases handed over at once: enough that handing over costs nothing, few enough that a kill loses little.
CHUNK = 64
#: Cases of a long run: one that warms an engine first.
LONG = 500


@dataclass(frozen=True)
class Job:
    """How to decide; all that a worker needs besides the cases.

    Attributes:
        gated: behind the always-on gate, as deployed; otherwise the bare engine, without the floor behind its failures.
        repeat: times that each case is decided, for engines that are not deterministic.
        attacked: slices whose groups are attacks, for the tallies.
        cache: folder of kept decisions; None: none are kept.
        timed: how many processes share the machine, where latencies count: a kept decision comes with its own, and one
            that was made among more is made again. 0: latencies do not count.
        judge: who gives second opinions, by name; None: nobody.
        warm: compile every regex before the first case, for latencies of a service: worth its second in a long run.
        fingerprint: the engine's, where the run was asked; a worker that has another engine refuses to work.
    """

    engine: str
    rails: Path | None = None
    gated: bool = False
    repeat: int = 1
    attacked: frozenset[str] = frozenset()
    cache: Path | None = None
    fingerprint: str = ""
    judge: str | None = None
    warm: bool = False
    timed: int = 0


@dataclass
class Done:
    """Rows as lines, in the order of the cases, and their tallies; `kept`: how many came from the cache."""

    lines: list[str] = field(default_factory=list[str])
    tallies: Tallies = field(default_factory=Tallies)
    kept: int = 0


class Worker:
    """An engine of this process, open until `close`.

    Raises:
        UsageError: the engine or the rails cannot be loaded.
        CarerailsError: the engine is not the one that the job names.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._loop = asyncio.new_event_loop()
        self._stack = AsyncExitStack()
        self._agents = ExitStack()
        self._player: Player | None = None
        self._reader: ReplyPlayer | None = None
        self._cache: Cache | None = None
        self._kept = 0
        checker = self._loop.run_until_complete(self._open())
        if job.fingerprint not in ("", checker.fingerprint):
            self.close()
            raise CarerailsError(
                f"a worker has another engine: {checker.fingerprint}, not {job.fingerprint}; "
                "install the same packages, rails and config everywhere"
            )
        self._check = self._caller(checker)
        # Behind the gate the floor makes up for it.
        self._lacks = checker.lacks if isinstance(checker, FailSafeEngine) else frozenset[str]()
        if job.warm and "synchronous" in self._bare.capabilities:
            self._bare.policy.warm()
        if job.cache:
            self._cache = Cache.of(job.cache, checker.fingerprint, job.engine, job.gated)
        gc.freeze()  # what is loaded stays, and need not be looked through for garbage again and again

    @property
    def engine(self) -> FailSafeEngine:
        """The engine itself, without a gate."""
        return self._bare

    def rows(self, items: Iterable[Item]) -> Iterator[Row]:
        """One row a case and repeat."""
        for piece, case in items:
            for repeat in range(self._job.repeat):
                yield self._row(piece, case, repeat) if isinstance(case, Case) else self._played(piece, case, repeat)

    def do(self, items: Sequence[Item]) -> Done:
        """All rows of some cases, counted."""
        done = Done(tallies=Tallies(self._job.attacked))
        before = self._kept
        for row in self.rows(items):
            done.lines.append(row.to_line())
            done.tallies.add(row)
        done.kept = self._kept - before
        return done

    def close(self) -> None:
        """Let the engine go."""
        gc.unfreeze()
        self._agents.close()
        self._loop.run_until_complete(self._stack.aclose())
        self._loop.close()
        if self._cache:
            self._cache.close()

    def _row(self, piece: str, case: Case, repeat: int) -> Row:
        kept = self._cache.get(case.hash, repeat) if self._cache else None
        timed = self._job.timed
        if kept and (not timed or 0 < kept.processes <= timed):
            self._kept += 1
            return as_row(piece, case, kept.decision, kept.latency_us if timed else None, repeat, self._lacks)
        turn = case.turn()
        begin = time.perf_counter_ns()
        decision = self._check(turn)
        latency_us = (time.perf_counter_ns() - begin) / 1000
        if self._cache:
            self._cache.put(case.hash, repeat, decision, latency_us if timed else None, timed)
        return as_row(piece, case, decision, latency_us, repeat, self._lacks)

    def _played(self, piece: str, case: AgentCase | ReplyCase, repeat: int) -> Row:
        """A case of the whole agent or of its output guard, which are opened when the first such case comes."""
        from carerails.evals.agent_runner import Player
        from carerails.evals.agent_scoring import as_row
        from carerails.evals.reply_cases import ReplyCase
        from carerails.evals.reply_runner import ReplyPlayer

        if isinstance(case, ReplyCase):
            if self._reader is None:
                self._reader = self._agents.enter_context(
                    ReplyPlayer(self._job.engine, self._job.rails, "local" if self._job.judge == "local" else None)
                )
            return self._reader.play(piece, case, repeat)
        if self._player is None:
            self._player = self._agents.enter_context(Player(self._job.engine, self._job.rails))
        return as_row(self._player.play(piece, case, repeat), repeat)

    async def _open(self) -> FailSafeEngine | GatedEngine:
        job = self._job
        bare = await self._stack.enter_async_context(open_engine(job.engine, job.rails, floor=False, judge=job.judge))
        self._bare = bare
        if not job.gated:
            return bare
        return GatedEngine(bare, await self._stack.enter_async_context(open_engine("native", job.rails, floor=False)))

    def _caller(self, checker: FailSafeEngine | GatedEngine) -> Callable[[Turn], TurnDecision]:
        """How to call it: without the loop where that can be, or the loop's own cost would be measured with it."""
        if isinstance(checker, FailSafeEngine) and "synchronous" in checker.capabilities:
            return checker.check_now
        return lambda turn: self._loop.run_until_complete(checker.check(turn))


_here = local()  # a worker a thread: an engine's loop is of one thread


def start(job: Job) -> None:
    """Open the engine of a worker before its first cases come."""
    if getattr(_here, "job", None) != job:
        _here.job, _here.worker = job, Worker(job)


def do(job_and_items: tuple[Job, Sequence[Item]]) -> Done:
    """The rows of some cases, in whichever process this is called. Deciding them again gives the same rows."""
    job, items = job_and_items
    start(job)
    worker: Worker = _here.worker
    return worker.do(items)
