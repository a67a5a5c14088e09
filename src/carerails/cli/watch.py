"""`carerails rails watch` and `eval watch`: on each save of a rails file, what is wrong and what flips."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from carerails.cli.console import note
from carerails.cli.options import PASS
from carerails.cli.runs import engine_run, load_pieces
from carerails.errors import UsageError
from carerails.evals.safe import quoted, visible
from carerails.evals.watching import Seen, Watched
from carerails.resources import data_dir

#: Milliseconds: how long saves that follow each other are gathered, and how often files are looked at in any case, for
#: file systems that tell nothing of changes.
GATHER_MS, ANYWAY_MS = 50, 1000
#: Most flips that are shown of one edit.
SHOWN = 50


def watch(engine: str, rails: Path | None, slices: list[str], data: list[Path], *, linted: bool = False) -> int:
    """Decide every case, then again what each edit can change; until Ctrl-C, which is the way to end it.

    Args:
        engine: decides the cases.
        rails: the directory that is watched.
        slices: of the cases.
        data: cases of one's own.
        linted: what the linter says of the files that were saved is shown, too.
    """
    from watchfiles import watch as changes

    root = rails or data_dir("rails")
    if not root.is_dir():
        raise UsageError("only a directory of .co files can be watched", "name one with --rails", str(root))
    pieces = load_pieces(slices, data)
    engine_run(engine, root)
    begin = time.perf_counter()
    try:
        watched = Watched(engine, root, ((piece.name, case) for piece in pieces for case in piece.cases))
        if linted:
            warm(root)
        took = time.perf_counter() - begin
        note(f"watching {root}: {len(watched):,} cases on {engine}, decided in {took:.1f} s; Ctrl-C ends")
        if engine != "native":
            note(f"{engine} is opened anew for the cases that an edit can change, which takes seconds")
        for _ in changes(root, step=GATHER_MS, debounce=500, rust_timeout=ANYWAY_MS, yield_on_timeout=True):
            seen = watched.look()
            if seen:
                told = [*(saved_findings(root, seen) if linted else ()), *_lines(seen, engine)]
                sys.stdout.write("\n".join(told) + "\n")
                sys.stdout.flush()
    except KeyboardInterrupt:
        note("no longer watching")
    return PASS


def warm(root: Path) -> None:
    """Have the linter parse all files, so that the first save need not wait for it."""
    from carerails.lint import lint_file

    lint_file(root, next(path.relative_to(root) for path in sorted(root.rglob("*.co"))))


def saved_findings(root: Path, seen: Seen) -> Iterator[str]:
    """What the quick look at each saved file finds. Of rails that do not compile, the watcher tells itself."""
    from carerails.lint import at_least, lint_file

    if seen.errors or not seen.edit:
        return
    for name in seen.edit.files:
        if (root / name).is_file():
            yield from (f"  {one}" for one in at_least(lint_file(root, Path(name)), "warning"))


def _lines(seen: Seen, engine: str) -> Iterator[str]:
    """What a person needs to know of an edit."""
    now = time.strftime("%H:%M:%S")
    if seen.errors:
        yield f"{now}  the rails do not compile; what is shown next is against their last good state"
        for error in seen.errors:
            yield from (f"  {line}" for line in error.splitlines())
        return
    files = (", ".join(seen.edit.files) if seen.edit else "") or "as the rails last compiled"
    rules = len(seen.edit.touched) if seen.edit else 0
    asked = f"{rules} rule{'s' * (rules != 1)} touched, {seen.again} cases decided again, {seen.seconds:.2f} s"
    if not seen.flips:
        yield f"{now}  {files}: nothing flipped ({asked})"
    else:
        counts = {grade: sum(flip.grade == grade for flip in seen.flips) for grade in ("safer", "worse", "other")}
        told = ", ".join(f"{count} {grade}" for grade, count in counts.items() if count or grade != "other")
        yield f"{now}  {files}: {told} ({asked})"
        yield from _flips(seen)
    if engine != "native" and seen.edit and seen.edit.touched and not seen.edit.guarded:
        yield "  guards.co is as before: an engine that runs it sees new phrases after `carerails rails guards`"


def _flips(seen: Seen) -> Iterator[str]:
    rank: Sequence[str] = ("worse", "safer", "other")
    ordered = sorted(seen.flips, key=lambda flip: rank.index(flip.grade))
    for flip in ordered[:SHOWN]:
        yield f"  {flip.grade}  {visible(flip.slice)}::{visible(flip.id)}  {flip.kind}"
        yield f"         {quoted(flip.text)}"
        yield f"         {flip.was} -> {flip.now}"
    if len(ordered) > SHOWN:
        yield f"  and {len(ordered) - SHOWN} more"
