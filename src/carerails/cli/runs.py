"""`carerails eval run` and `eval merge`: one engine over slices and data, kept in a folder."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TypeAlias

from carerails.cli.console import interrupted, note, progress
from carerails.cli.options import ENGINE_FAILURE, INTERRUPTED, NOT_COMPARABLE, PASS, REGRESSION
from carerails.engine import open_engine
from carerails.errors import UsageError
from carerails.evals.agent_cases import AGENT_SLICES, AgentSlice, load_agent_slice
from carerails.evals.cases import Slice, judged_slice_names, load_data, load_slice, slice_names
from carerails.evals.reply_cases import REPLY_SLICES, ReplySlice, load_reply_slice
from carerails.evals.running import run as evaluate
from carerails.evals.runs import EngineRun, Manifest, RunFolder, Shard, Summary, slice_run
from carerails.evals.runs import merge as merge_shards
from carerails.evals.tally import Tallies
from carerails.evals.work import LONG, Item, Job

AnySlice: TypeAlias = Slice | AgentSlice | ReplySlice


@dataclass(frozen=True)
class Asked:
    """What to run, as the command line says it."""

    engine: str
    slices: list[str] = field(default_factory=list[str])
    data: list[Path] = field(default_factory=list[Path])
    rails: Path | None = None
    gated: bool = False
    workers: int = 1
    scheduler: str | None = None
    shard: str = ""
    repeat: int = 1
    cache: Path | None = None
    judge: str | None = None


def run(asked: Asked, out: Path, resume: bool, allow_failures: bool, as_json: bool) -> int:
    """Run, print the summary; the exit code says whether checks failed or a slice's rule does not hold."""
    try:
        summary = execute(asked, RunFolder(out), resume)
    except KeyboardInterrupt:
        interrupted(f"interrupted; {out} is complete lines, and --resume goes on with them")
        return INTERRUPTED
    return conclude(summary, out, allow_failures, as_json)


def merge(shards: list[Path], out: Path, allow_failures: bool, as_json: bool) -> int:
    """Merge, print the summary; the same exit codes as a run."""
    summary = merge_shards([RunFolder(path) for path in shards], RunFolder(out))
    return conclude(summary, out, allow_failures, as_json)


def execute(asked: Asked, folder: RunFolder, resume: bool = False) -> Summary:
    """Run what is asked into a folder. Every case is read and checked before the first is decided.

    Raises:
        UsageError: unknown engine or slice, broken case, a folder that cannot be used.
        NotComparable: the run to be resumed was asked otherwise.
    """
    pieces = load_any(asked.slices, asked.data, asked.judge)
    shard = _shard(asked.shard)
    manifest = Manifest(
        engine=engine_run(asked.engine, asked.rails, asked.judge),
        gated=asked.gated,
        repeat=asked.repeat,
        shard=shard,
        slices=tuple(slice_run(piece) for piece in pieces),
        cards=_cards() if any(not isinstance(piece, Slice) for piece in pieces) else "",
    )
    attacked = frozenset(piece.name for piece in manifest.slices if piece.attacked)
    job = Job(
        asked.engine,
        asked.rails,
        asked.gated,
        asked.repeat,
        attacked,
        asked.cache,
        manifest.engine.fingerprint,
        asked.judge,
        warm=manifest.expected_rows >= LONG,
    )
    results, done = folder.open(manifest, resume)
    tallies = Tallies(attacked)
    if done:
        note(f"{done} of {manifest.expected_rows} rows are there already")
        for row in folder.rows():
            tallies.add(row)
    items = islice(_items(pieces, shard), done // asked.repeat, None)
    shown = progress(items, asked.engine, (manifest.expected_rows - done) // asked.repeat)
    with results:
        for piece in evaluate(job, shown, asked.workers, asked.scheduler):
            results.write("".join(piece.lines))
            results.flush()  # what is decided outlives a kill
            tallies.merge(piece.tallies)
    summary = Summary.of(manifest, tallies)
    folder.finish(summary)
    return summary


def conclude(summary: Summary, out: Path, allow_failures: bool, as_json: bool) -> int:
    """Print what came of a run; the exit code."""
    from carerails.evals import terminal

    if as_json:
        json.dump(json.loads(summary.model_dump_json(by_alias=True)), sys.stdout, ensure_ascii=False, indent=1)
        sys.stdout.write("\n")
    else:
        terminal.show_run(summary)
    note(f"run: {out}")
    if not summary.complete:
        note(f"{summary.rows} of {summary.run.expected_rows} rows: not complete")
        return NOT_COMPARABLE
    if summary.failed and not allow_failures:
        note(f"{summary.failed} checks failed")
        return ENGINE_FAILURE
    broken = sum(not verdict.passed for verdict in summary.verdicts)
    if broken:
        note(f"{broken} conditions of the slices do not hold")
    return REGRESSION if broken else PASS


def load_any(names: list[str], data: list[Path], judge: str | None = None) -> list[AnySlice]:
    """As `load_pieces`, and the slices of the whole agent and of its replies that are named.

    Raises:
        UsageError: as `load_pieces`.
    """
    others = [name for name in names if name not in (*AGENT_SLICES, *REPLY_SLICES)]
    pieces: list[AnySlice] = [
        load_agent_slice(name) if name in AGENT_SLICES else load_reply_slice(name)
        for name in dict.fromkeys(names)
        if name not in others
    ]
    return [*(load_pieces(others, data, judge) if others or data or not pieces else []), *pieces]


def _cards() -> str:
    from carerails.knowledge.cards import load_cards

    return load_cards().digest


def load_pieces(slices: list[str], data: list[Path], judge: str | None = None) -> list[Slice]:
    """The slices asked for; with data of one's own and no slice named, the data alone.

    Slices that are decided with a judge are skipped, and that is said, where there is none.

    Raises:
        UsageError: an unknown name, a broken case, or two slices of one name.
    """
    judged = judged_slice_names()
    names = slices or ([] if data else [*slice_names(), *judged])
    if not judge and (without := [name for name in names if name in judged]):
        note(f"skipped without --semantic: {', '.join(without)}")
        names = [name for name in names if name not in judged]
    pieces = [load_slice(name) for name in names] + [load_data(path) for path in data]
    for piece in pieces:
        if [other.name for other in pieces].count(piece.name) > 1:
            raise UsageError(f"two slices are called {piece.name!r}", "rename one of the files")
        if piece.skipped:
            note(f"{piece.name}: {piece.skipped} rows of other locales skipped")
    return pieces


def engine_run(name: str, rails: Path | None, judge: str | None = None) -> EngineRun:
    """An engine that can run here, as a run names it.

    Raises:
        UsageError: unknown, or why it cannot run.
    """
    engine = open_engine(name, rails, floor=False, judge=judge)
    return EngineRun(name=name, version=engine.version, fingerprint=engine.fingerprint)


def _shard(text: str) -> Shard | None:
    if not text:
        return None
    number, _, of = text.partition("/")
    if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
        raise UsageError(f"no shard {text!r}", "write --shard 2/4: the second of four")
    return Shard(number=int(number), of=int(of))


def _items(pieces: Iterable[AnySlice], shard: Shard | None) -> Iterator[Item]:
    every = ((piece.name, case) for piece in pieces for case in piece.cases)
    return (item for ordinal, item in enumerate(every) if shard is None or shard.takes(ordinal))
