"""What a page is about: runs side by side, their figures, and their rows one at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from carerails import __version__
from carerails.errors import NotComparable, UsageError
from carerails.evals.comparison import Comparison
from carerails.evals.rows import Row, read_row, read_rows
from carerails.evals.runs import EngineRun, Manifest, RunFolder, Summary
from carerails.evals.tally import Score, Verdict, tally


@dataclass(frozen=True)
class Ran:
    """One column of the page: an engine as it was run once.

    Attributes:
        label: what the page calls it: the engine, and its folder too where two runs are of one engine.
        unstable: repeats that decided otherwise than the first.
        versions: of whatever can change a decision.
    """

    label: str
    engine: EngineRun
    gated: bool
    rows: int
    expected: int
    failed: int
    unstable: int = 0
    started: str = ""
    versions: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class SliceHead:
    """What the page says of a slice before its figures. `without`: labels of the runs that have none of it."""

    name: str
    about: str
    cases: int
    skipped: int
    without: tuple[str, ...] = ()


@dataclass(frozen=True)
class Subject:
    """All that a page shows. Scores and verdicts name their run by its label.

    Attributes:
        rows: goes through all rows, each with the number of its run; called more than once.
    """

    title: str
    runs: tuple[Ran, ...]
    slices: tuple[SliceHead, ...]
    scores: tuple[Score, ...]
    verdicts: tuple[Verdict, ...]
    rows: Callable[[], Iterator[tuple[int, Row]]]

    @property
    def before_after(self) -> bool:
        """Two runs of one engine: a case that they decide differently is a flip, not a disagreement."""
        return len(self.runs) == 2 and self.runs[0].engine.name == self.runs[1].engine.name

    @property
    def incomplete(self) -> list[Ran]:
        """Runs that lack rows."""
        return [run for run in self.runs if run.rows != run.expected]

    @property
    def broken(self) -> list[Verdict]:
        """Conditions that do not hold."""
        return [verdict for verdict in self.verdicts if not verdict.passed]


def of_comparison(comparison: Comparison, results: Path) -> Subject:
    """The page of `carerails compare`; `results` has the rows of all engines."""
    numbers = {engine.name: number for number, engine in enumerate(comparison.engines)}
    wholes = [score for score in comparison.scores if score.by == "all"]
    expected = sum(len(piece.cases) for piece in comparison.slices)
    return Subject(
        title="Engines compared" if len(numbers) > 1 else f"{comparison.engines[0].name} on {len(wholes)} slices",
        runs=tuple(
            Ran(
                label=engine.name,
                engine=engine,
                gated=comparison.gated,
                rows=sum(score.cases for score in wholes if score.engine == engine.name),
                expected=expected,
                failed=sum(score.failed for score in wholes if score.engine == engine.name),
                versions={"carerails": __version__},
            )
            for engine in comparison.engines
        ),
        slices=tuple(
            SliceHead(piece.name, piece.spec.about, len(piece.cases), piece.skipped) for piece in comparison.slices
        ),
        scores=comparison.scores,
        verdicts=comparison.verdicts,
        rows=lambda: ((numbers[row.engine], row) for row in read_rows(results)),
    )


def of_runs(paths: Sequence[Path]) -> Subject:
    """The page of one run, or of several side by side.

    Raises:
        UsageError: no run is there, one is named twice, or a row is broken.
        NotComparable: a slice has other cases in another run.
    """
    if len({path.resolve() for path in paths}) < len(paths):
        raise UsageError("a run is named twice", "name each folder once")
    folders = [RunFolder(path) for path in paths]
    summaries = [_summary(folder) for folder in folders]
    labels = _labels([summary.run.engine.name for summary in summaries], paths)
    slices = _slices([summary.run for summary in summaries], paths, labels)
    names = [summary.run.engine.name for summary in summaries]
    return Subject(
        title=f"Run of {names[0]}" if len(names) == 1 else f"Runs of {', '.join(dict.fromkeys(names))}",
        runs=tuple(_ran(label, summary) for label, summary in zip(labels, summaries, strict=True)),
        slices=slices,
        scores=tuple(
            score.model_copy(update={"engine": label})
            for label, summary in zip(labels, summaries, strict=True)
            for score in summary.scores
        ),
        verdicts=tuple(
            verdict.model_copy(update={"engine": label})
            for label, summary in zip(labels, summaries, strict=True)
            for verdict in summary.verdicts
        ),
        rows=lambda: ((number, row) for number, folder in enumerate(folders) for row in _whole_rows(folder.results)),
    )


def _ran(label: str, summary: Summary) -> Ran:
    run = summary.run
    return Ran(
        label=label,
        engine=run.engine,
        gated=run.gated,
        rows=summary.rows,
        expected=run.expected_rows,
        failed=summary.failed,
        unstable=summary.unstable,
        started=run.started,
        versions={"carerails": run.carerails, "Python": run.python, **run.packages},
    )


def _summary(folder: RunFolder) -> Summary:
    """What came of a run; of one that was killed, what came of it so far."""
    manifest = folder.manifest()
    if folder.summary.exists():
        return folder.read_summary()
    attacked = (piece.name for piece in manifest.slices if piece.attacked)
    return Summary.of(manifest, tally(_whole_rows(folder.results), attacked))


def _whole_rows(results: Path) -> Iterator[Row]:
    """The rows of a run, without a last line that a kill cut short."""
    try:
        with results.open(encoding="utf-8", newline="\n") as lines:
            for number, line in enumerate(lines, 1):
                if line.endswith("\n"):
                    yield read_row(line, f"{results}:{number}")
    except OSError as error:
        raise UsageError(error.strerror or "cannot be read", "name the folder of a run", str(results)) from None


def _slices(manifests: Sequence[Manifest], paths: Sequence[Path], labels: Sequence[str]) -> tuple[SliceHead, ...]:
    """Every slice of any run, once. A page that set other cases under one name side by side would mislead."""
    found: dict[str, tuple[str, SliceHead]] = {}
    for manifest, path in zip(manifests, paths, strict=True):
        for piece in manifest.slices:
            head = SliceHead(piece.name, piece.about, piece.cases, piece.skipped)
            digest, _ = found.setdefault(piece.name, (piece.digest, head))
            if digest != piece.digest:
                raise NotComparable(f"has other cases of {piece.name} than {paths[0]}", "run both anew", str(path))
    had = [{piece.name for piece in manifest.slices} for manifest in manifests]
    return tuple(
        replace(head, without=tuple(label for label, names in zip(labels, had, strict=True) if name not in names))
        for name, (_, head) in found.items()
    )


def _labels(engines: Sequence[str], paths: Sequence[Path]) -> list[str]:
    """The engine's name where that is enough, else with its folder."""
    if len(set(engines)) == len(engines):
        return list(engines)
    places = [path.resolve().name for path in paths]
    if len(set(places)) < len(places):
        places = [str(path) for path in paths]
    return [f"{engine} {place}" for engine, place in zip(engines, places, strict=True)]
