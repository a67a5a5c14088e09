"""Slices as pytest collects them: a file of cases is a collector, a case an item. Loaded by `pytest_plugin` alone."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from carerails.engines import load_engine
from carerails.errors import UsageError
from carerails.evals.cases import Case, Slice, load_data, read_slice
from carerails.evals.rows import Row
from carerails.evals.work import Job, Worker

Made = TypeVar("Made", bound="pytest.Item | pytest.Collector")

#: Folders of slices that one decision of the engine alone says nothing of, and the command that each is for.
ELSEWHERE = {
    "agent": "carerails eval agent",
    "output": "carerails eval run --slices output",
    "screening": "carerails eval screening",
    "semantic": "carerails eval run --semantic local",
}
_DERIVED = re.compile(r"^derive\s*:", re.MULTILINE)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class WrongDecision(Exception):
    """The engine decided otherwise than the gold label."""


class CheckFailed(Exception):
    """The engine did not decide: an error, and neither a pass nor a wrong decision."""


class SlicePlugin:
    """Collects slices, and holds the one engine of this process.

    Raises:
        pytest.UsageError: no such engine, or no such rails.
    """

    def __init__(self, config: pytest.Config) -> None:
        option: Any = config.option
        engine, rails = str(option.carerails_engine), option.carerails_rails
        try:
            load_engine(engine)
        except UsageError as error:
            raise pytest.UsageError(f"carerails: {error}") from None
        # The folder that pytest was called in, also in the processes of xdist.
        self._rails = (config.invocation_params.dir / rails) if rails else None
        if self._rails and not self._rails.exists():
            raise pytest.UsageError(f"carerails: {self._rails}: no such rails")
        self._job = Job(engine, self._rails, gated=bool(option.carerails_gated))
        self._config = config
        self._worker: Worker | None = None

    def decide(self, item: CaseItem) -> Row:
        """The decision on a case; the engine is opened for the first one.

        An engine that cannot be opened ends the session: no case can be decided.
        """
        try:
            self._worker = self._worker or Worker(self._job)
        except UsageError as error:
            item.session.shouldfail = f"carerails: {error}"
            raise
        return next(iter(self._worker.rows([(item.piece.name, item.case)])))

    def pytest_report_header(self) -> list[str]:
        """Which engine decides, and what is left out."""
        job = self._job
        mode = " behind the always-on gate" if job.gated else ""
        lines = [f"carerails: cases on engine {job.engine}{mode}"]
        for folder, command in ELSEWHERE.items():
            heads = dict.fromkeys(head.stem for root in self._config.args for head in _heads(Path(root), folder))
            if heads:
                lines.append(f"carerails: left out, for `{command}`: {', '.join(heads)}")
        return lines

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """The head of a slice anywhere, and a file of cases that was named."""
        if file_path.suffix == ".jsonl" and parent.session.isinitpath(file_path):
            return _made(SliceFile, parent, path=file_path)
        if file_path.suffix == ".yml" and not _is_elsewhere(file_path.parent) and _is_head(file_path):
            return _made(SliceFile, parent, path=file_path)
        return None

    def pytest_unconfigure(self) -> None:
        """Let the engine go."""
        if self._worker:
            self._worker.close()
            self._worker = None


class SliceFile(pytest.File):
    """A slice by its head, or a file of the user's own cases."""

    def collect(self) -> Iterable[pytest.Item]:
        """Its cases in order.

        Raises:
            CollectError: a broken file: where, what, and how to mend it.
        """
        head = self.path.with_suffix(".yml")
        try:
            piece = read_slice(head) if head.is_file() else load_data(self.path)
        except UsageError as error:
            raise self.CollectError(str(error)) from None
        for case in piece.cases:
            yield _made(CaseItem, self, name=_CONTROL.sub("?", case.id), piece=piece, case=case)
        if piece.skipped:
            yield _made(Unserved, self, name="other-locales", count=piece.skipped)


class CaseItem(pytest.Item):
    """A case: it passes where the decision is the gold one."""

    def __init__(self, *, piece: Slice, case: Case, **kwargs: Any) -> None:
        super().__init__(**kwargs)  # pyright: ignore[reportUnknownMemberType]  pytest leaves its own arguments untyped
        self.piece, self.case = piece, case
        self.extra_keyword_matches.add(f"locale:{case.locale}")
        if case.category:
            self.extra_keyword_matches.add(f"category:{case.category}")
        self._row: Row | None = None

    def setup(self) -> None:
        """Decide. A check that fails is an error before the test, as pytest counts it.

        Raises:
            CheckFailed: the engine did not decide.
        """
        if not self.case.gold():
            pytest.skip("no gold label: nothing that is decided could be wrong")
        plugin: Any = self.config.pluginmanager.get_plugin("carerails-slices")
        row: Row = plugin.decide(self)
        if row.failed:
            failure = row.record.get("failure", {})
            raise CheckFailed(self._told(row, f"the check failed: {failure.get('seam')}, {failure.get('kind')}"))
        self._row = row

    def runtest(self) -> None:
        """Compare.

        Raises:
            WrongDecision: with the case, the decision and the rule.
        """
        if self._row is not None and not self._row.holds("right"):
            cannot = ", which the engine does not say that it can decide" if self._row.holds("unsupported") else ""
            raise WrongDecision(self._told(self._row, f"{self._row.say()}, and not {self._row.gold}{cannot}"))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The case and the rule; a traceback would say nothing."""
        if isinstance(excinfo.value, (WrongDecision, CheckFailed, UsageError)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Its file, and how it is headed."""
        return self.path, None, f"{self.piece.name}::{self.name}"

    def _told(self, row: Row, first: str) -> str:
        """`first`, which the short summary shows too, and all that one needs to know to mend it."""
        lines = {
            "text": _shown(row.text),
            "gold": row.gold,
            "decision": row.say(),
            "rule": f"{row.rule}  rails/{row.place}" if row.rule else "none hit",
            "matched": ", ".join(map(_shown, row.record.get("matched_terms", ()))),
            "case": self._place(),
        }
        return "\n".join([first, *(f"{name:<9} {value}" for name, value in lines.items() if value)])

    def _place(self) -> str:
        """Where the case is written."""
        derived = self.piece.spec.derive
        path = self.path.with_suffix(".jsonl") if derived is None else self.path.with_name(f"{derived.source}.jsonl")
        ident = self.case.id if derived is None else self.case.id.rpartition("/")[0]
        how = f", under the attack {self.case.group!r}" if derived and self.case.group else ""
        return f"{os.path.relpath(path, self.config.invocation_params.dir)}:{_line_of(path, ident)}{how}"


class Unserved(pytest.Item):
    """Rows of a user's file that are of other locales: skipped, never silently."""

    def __init__(self, *, count: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)  # pyright: ignore[reportUnknownMemberType]  pytest leaves its own arguments untyped
        self._count = count

    def runtest(self) -> None:
        """Say how many."""
        pytest.skip(f"{self._count} rows of locales that are not served")


def _made(kind: type[Made], parent: pytest.Collector, **kwargs: Any) -> Made:
    untyped: Any = kind
    return untyped.from_parent(parent, **kwargs)


def _is_head(path: Path) -> bool:
    """Whether a YAML file heads a slice: its cases lie beside it, or it says that they are derived."""
    if path.with_suffix(".jsonl").is_file():
        return True
    try:
        return bool(_DERIVED.search(path.read_text(encoding="utf-8"))) and any(path.parent.glob("*.jsonl"))
    except (OSError, UnicodeDecodeError):
        return False


def _is_elsewhere(folder: Path) -> bool:
    return folder.parent.name == "slices" and folder.name in ELSEWHERE


def _heads(root: Path, folder: str) -> Iterator[Path]:
    """Those in a folder of slices, where it is the root or lies below it."""
    for place in (root, root / folder, root / "slices" / folder, root / "evals" / "slices" / folder):
        if place.name == folder and _is_elsewhere(place):
            yield from sorted(place.glob("*.yml"))


def _line_of(path: Path, ident: str) -> int:
    """The line of a case in its file; a row without an id has its line for one."""
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip() and str(json.loads(line).get("id", number)) == ident:
                return number
    return 1


def _shown(text: str) -> str:
    """As it is, or with escapes for what nobody would see."""
    return text if text.isprintable() else repr(text)
