"""A run on disk: what was asked (`run.json`), one line a case (`results.jsonl`), what came of it (`summary.json`).

Lines stand in the order of the cases. So a run that was killed at any moment goes on where its last complete line ends,
and shards are merged by taking turns.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO, Annotated, Any

from pydantic import Field, ValidationError

from carerails import __version__
from carerails.contracts import Frozen
from carerails.errors import NotComparable, UsageError
from carerails.evals.agent_cases import AgentSlice
from carerails.evals.cases import Bounds, Slice
from carerails.evals.reply_cases import ReplySlice
from carerails.evals.rows import SCHEMA, Row, read_rows
from carerails.evals.tally import Score, Tallies, Verdict, judge, parity

#: Packages whose versions can change a decision.
PACKAGES = ("nemoguardrails", "google-re2", "ahocorasick-rs", "pydantic", "langgraph", "langchain-openai")


#: How differences between manifests read.
WHAT = {"slices": "the cases differ", "cards": "the cards differ", "gated": "one is behind the gate"}


class EngineRun(Frozen):
    """One engine as it was run."""

    name: str
    version: str
    fingerprint: str


class SliceRun(Frozen):
    """One slice as it was run; `digest` is of all its cases."""

    name: str
    about: str
    cases: int
    skipped: int = 0
    digest: str
    rule: Mapping[str, Bounds] = Field(default_factory=dict)
    each_locale: Mapping[str, Bounds] = Field(default_factory=dict)
    attacked: bool = False


class Shard(Frozen):
    """Part `number` of `of`, counted from 1: every `of`-th case."""

    number: Annotated[int, Field(ge=1)]
    of: Annotated[int, Field(ge=1)]

    def takes(self, ordinal: int) -> bool:
        """Whether the case of that place, from 0, is in this shard."""
        return ordinal % self.of == self.number - 1

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


class Manifest(Frozen):
    """What was asked of a run: `run.json`.

    Attributes:
        cards: digest of the knowledge cards; empty where the run does not use them.
    """

    schema_: Annotated[int, Field(alias="schema")] = SCHEMA
    engine: EngineRun
    gated: bool = False
    repeat: int = 1
    shard: Shard | None = None
    slices: tuple[SliceRun, ...]
    cards: str = ""
    carerails: str = __version__
    python: str = Field(default_factory=platform.python_version)
    packages: Mapping[str, str] = Field(default_factory=lambda: dict(_versions()))
    started: str = Field(default_factory=lambda: datetime.now(timezone.utc).isoformat(timespec="seconds"))

    @property
    def expected_rows(self) -> int:
        """Lines of a complete run."""
        total = sum(piece.cases for piece in self.slices)
        if self.shard:
            total = len(range(self.shard.number - 1, total, self.shard.of))
        return total * self.repeat

    def same_as(self, other: Manifest, *, but: Sequence[str] = ()) -> str:
        """What differs between two runs that should be one; empty where nothing does."""
        for name in ("engine", "gated", "repeat", "shard", "cards", "slices"):
            if name not in but and getattr(self, name) != getattr(other, name):
                return WHAT.get(name, f"the {name} differs")
        return ""


def _versions() -> Iterator[tuple[str, str]]:
    for package in PACKAGES:
        try:
            yield package, version(package)
        except PackageNotFoundError:
            continue


def slice_run(piece: Slice | AgentSlice | ReplySlice) -> SliceRun:
    """What a manifest says of a slice."""
    if not isinstance(piece, Slice):
        spec = piece.spec
        return SliceRun(
            name=piece.name,
            about=spec.about,
            cases=len(piece.cases),
            digest=piece.digest,
            rule=spec.rule,
            each_locale=spec.each_locale,
        )
    spec = piece.spec
    return SliceRun(
        name=piece.name,
        about=spec.about,
        cases=len(piece.cases),
        skipped=piece.skipped,
        digest=piece.digest,
        rule=spec.rule,
        attacked=spec.derive is not None,
    )


class Summary(Frozen):
    """What came of a run: `summary.json`; figures, no texts."""

    run: Manifest
    complete: bool
    rows: int
    failed: int
    unstable: int
    scores: tuple[Score, ...]
    verdicts: tuple[Verdict, ...]
    parity: Mapping[str, Mapping[str, Mapping[str, float]]]

    @classmethod
    def of(cls, manifest: Manifest, tallies: Tallies) -> Summary:
        """Scores and verdicts of what was counted."""
        scores = tallies.scores(manifest.engine.name)
        verdicts = [
            verdict
            for piece in manifest.slices
            if (of_it := [score for score in scores if score.slice == piece.name])
            for verdict in judge(piece.rule, of_it, piece.each_locale)
        ]
        return cls(
            run=manifest,
            complete=tallies.rows == manifest.expected_rows,
            rows=tallies.rows,
            failed=tallies.failed,
            unstable=tallies.unstable,
            scores=tuple(scores),
            # A rule is about a whole slice: a shard of it cannot break one.
            verdicts=() if manifest.shard else tuple(verdicts),
            parity=parity(scores),
        )


class RunFolder:
    """The folder of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.results = path / "results.jsonl"
        self.summary = path / "summary.json"
        self._manifest = path / "run.json"

    def manifest(self) -> Manifest:
        """What was asked.

        Raises:
            UsageError: no run is there.
            NotComparable: it is of another schema.
        """
        return _read(self._manifest, Manifest)

    def read_summary(self) -> Summary:
        """What came of it.

        Raises:
            UsageError: the run has not ended.
        """
        return _read(self.summary, Summary)

    def rows(self) -> Iterator[Row]:
        """All rows, one at a time.

        Raises:
            UsageError: a broken line, with its number.
        """
        return read_rows(self.results)

    def open(self, manifest: Manifest, resume: bool | None) -> tuple[IO[str], int]:
        """The results to write to, and how many rows stand there already.

        A last line that a kill cut short is dropped, and so are the repeats of a case that has not all of them.

        Args:
            manifest: what is to be run.
            resume: whether a run that is there goes on; None: that cannot be asked for.

        Raises:
            UsageError: another run is there and `resume` is not asked for, or the folder cannot be written.
            NotComparable: what is there was asked otherwise.
        """
        done = 0
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            if self._manifest.exists():
                if not resume:
                    mend = "name another --out" if resume is None else "--resume goes on with it; or name another --out"
                    raise UsageError("a run is there already", mend, str(self.path))
                if why := manifest.same_as(self.manifest()):
                    raise NotComparable(
                        f"the run that is there cannot go on: {why}", "name another --out", str(self.path)
                    )
                done = self._keep_whole(manifest.repeat)
            elif self.results.exists():
                raise UsageError("results without run.json", "name another --out", str(self.path))
            else:
                _replace(self._manifest, manifest.model_dump_json(by_alias=True, indent=1))
            self.summary.unlink(missing_ok=True)
            return self.results.open("a", encoding="utf-8", newline="\n"), done
        except OSError as error:
            raise UsageError(error.strerror or "cannot be written", "name another --out", str(self.path)) from None

    def finish(self, summary: Summary) -> None:
        """Write what came of it, all or nothing."""
        _replace(self.summary, summary.model_dump_json(by_alias=True, indent=1))

    def _keep_whole(self, repeat: int) -> int:
        if not self.results.exists():
            return 0
        count = end = kept = 0
        with self.results.open("r+b") as file:
            for line in file:
                if not line.endswith(b"\n"):
                    break
                count, end = count + 1, end + len(line)
                if count % repeat == 0:
                    kept = end
            file.truncate(kept)
        return count - count % repeat


def merge(shards: Sequence[RunFolder], out: RunFolder) -> Summary:
    """One run of its shards, the same as if it had been run whole.

    Raises:
        NotComparable: the shards are not of one run.
        UsageError: one is missing, twice there, or not complete.
    """
    manifests = [(shard.manifest(), shard) for shard in shards]
    first = manifests[0][0]
    for manifest, shard in manifests:
        if why := manifest.same_as(first, but=("shard",)):
            raise NotComparable(
                f"is not of the same run as {shards[0].path}: {why}", "merge shards of one run", str(shard.path)
            )
        if not manifest.shard:
            raise UsageError("is a whole run, not a shard", "merge what `eval run --shard` wrote", str(shard.path))
    numbers = sorted(str(manifest.shard) for manifest, _ in manifests)
    of = first.shard.of if first.shard else 0
    if numbers != sorted(f"{number}/{of}" for number in range(1, of + 1)):
        raise UsageError(f"have {', '.join(numbers)}", f"merge all of 1/{of} to {of}/{of}, each once")
    in_order = sorted(manifests, key=lambda pair: pair[0].shard.number if pair[0].shard else 0)
    whole = first.model_copy(update={"shard": None})
    tallies = Tallies(frozenset(piece.name for piece in whole.slices if piece.attacked))
    file, _ = out.open(whole, resume=None)
    with file:
        for row in _in_turn([(shard.rows(), manifest) for manifest, shard in in_order], whole):
            file.write(row.to_line())
            tallies.add(row)
    summary = Summary.of(whole, tallies)
    out.finish(summary)
    return summary


def _in_turn(shards: Sequence[tuple[Iterator[Row], Manifest]], whole: Manifest) -> Iterator[Row]:
    for number in range(whole.expected_rows):
        rows, manifest = shards[number // whole.repeat % len(shards)]
        row = next(rows, None)
        if row is None:
            raise UsageError(f"shard {manifest.shard} is not complete", "run it again with --resume")
        yield row


def _read(path: Path, kind: type[Any]) -> Any:
    try:
        text = path.read_text(encoding="utf-8")
        if (found := json.loads(text).get("schema", json.loads(text).get("run", {}).get("schema"))) != SCHEMA:
            raise NotComparable(f"is of schema {found}, not {SCHEMA}", "run again with this version", str(path))
        return kind.model_validate_json(text)
    except OSError:
        raise UsageError(
            "no complete run is there", "name the folder that `eval run --out` wrote", str(path.parent)
        ) from None
    except (ValueError, AttributeError) as error:
        what = (
            error.errors(include_input=False, include_url=False)[0]["msg"] if isinstance(error, ValidationError) else ""
        )
        raise UsageError(f"not a run: {what}" if what else "not a run", "run again", str(path)) from None


def _replace(path: Path, text: str) -> None:
    new = path.with_suffix(".new")
    new.write_text(text + "\n", encoding="utf-8", newline="\n")
    os.replace(new, path)
