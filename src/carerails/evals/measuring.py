"""One engine alone in a fresh process: what it costs to load, to hold and to ask, and how it scores.

    python -m carerails.evals.measuring RAILS ENGINE SLICE ...

prints one JSON object; RAILS may be empty, for those that are shipped. `carerails engines table` runs it for one engine
after the other, never two at once: neither the memory nor the latency of one is in another's.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from carerails.contracts import Frozen
from carerails.evals.tally import Score

#: Turns that are decided before the clock runs: the first ones compile and fill caches.
WARM_UP = 20


class Measured(Frozen):
    """What one engine costs and does.

    Attributes:
        policy: digest of the rails: engines on others are not comparable.
        load_s: seconds for importing it and making it.
        start_s: seconds until its first check would find all loaded.
        memory_mb: peak resident memory of the process and of those that it started, rails and carerails included.
        rules: of the policy; `unsupported` are those that it cannot express, with the reason.
        lacks: outcomes that it cannot decide.
        evidence: it decides by the rules of the rails.
    """

    engine: str
    version: str
    policy: str
    load_s: float
    start_s: float
    memory_mb: float
    rules: int
    unsupported: dict[str, str]
    lacks: tuple[str, ...]
    evidence: bool
    scores: tuple[Score, ...]


def measure(name: str, slices: Sequence[str], rails: Path | None = None) -> Measured:
    """Load, start and ask one engine.

    Raises:
        UsageError: no such engine or slice, or the engine cannot run here.
        CarerailsError: it does not start.
    """
    began = time.perf_counter()
    from carerails.engines import load_engine

    load_engine(name, rails)
    loaded = time.perf_counter()
    from carerails.evals.cases import load_slice
    from carerails.evals.tally import tally
    from carerails.evals.work import Job, Worker

    pieces = [load_slice(piece) for piece in slices]
    ready = time.perf_counter()
    worker = Worker(Job(engine=name, rails=rails))
    started = time.perf_counter()
    try:
        items = [(piece.name, case) for piece in pieces for case in piece.cases]
        list(worker.rows(items[:WARM_UP]))
        tallies = tally(worker.rows(items), [piece.name for piece in pieces if piece.spec.derive])
        engine = worker.engine
        return Measured(
            engine=name,
            version=engine.version,
            policy=engine.policy.digest,
            load_s=round(loaded - began, 2),
            start_s=round(started - ready, 2),
            memory_mb=round(peak_memory_mb(), 0),
            rules=len(engine.policy.rules),
            unsupported=dict(engine.unsupported),
            lacks=tuple(word for word in ("escalate", "refuse", "check-in") if word not in engine.capabilities),
            evidence="evidence" in engine.capabilities,
            scores=tuple(score for score in tallies.scores(name) if score.by == "all"),
        )
    finally:
        worker.close()


def peak_memory_mb() -> float:
    """Peak resident memory of this process and its descendants; of this one alone where there is no /proc."""
    if not Path("/proc/self/status").exists():
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak / (1_000_000 if sys.platform == "darwin" else 1_000)
    return sum(_peak_kb(pid) for pid in (os.getpid(), *_descendants(os.getpid()))) / 1_000


def _peak_kb(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except OSError:  # it has just ended
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM")), 0)


def _descendants(pid: int) -> Iterator[int]:
    for tasks in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, tasks.read_text(encoding="utf-8").split()):
            yield child
            yield from _descendants(child)


def main() -> None:
    """Measure the engine of the command line, and print what came of it, or why it cannot run."""
    from carerails.errors import CarerailsError

    rails, name, *slices = sys.argv[1:]
    try:
        sys.stdout.write(measure(name, slices, Path(rails) if rails else None).model_dump_json() + "\n")
    except CarerailsError as error:
        sys.stdout.write(json.dumps({"engine": name, "why": str(error)}) + "\n")


if __name__ == "__main__":
    main()
