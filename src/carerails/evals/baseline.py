"""Baselines: what a run decided when somebody accepted it. `evals/baselines/ENGINE*.json`, one line a row.

A baseline holds no text, so it can be committed, and a line a row, so that git shows which decisions a change accepts.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, cast

from pydantic import Field, ValidationError

from carerails.contracts import Frozen
from carerails.errors import CarerailsError, NotComparable, UsageError
from carerails.evals.paired import Side, by_case, worst
from carerails.evals.rows import SCHEMA, Row, read_row
from carerails.evals.runs import Manifest, RunFolder

#: What a baseline leaves out of its rows: it is committed, and the gate reads texts from the run at hand.
LEFT_OUT = {"text", "record", "latency_us"}
ROWS = ' "rows": ['
MEND = "restore it from git, or write it anew with `eval accept`; no formatter may touch it"


class Replaced(Frozen):
    """The baseline that a new one took the place of; `digest` is of its file."""

    digest: str
    engine: str
    fingerprint: str
    accepted: str


class GivenUp(Frozen):
    """A must-escalate case that was caught and, since this acceptance, is not: `now` is empty where it is gone."""

    slice: str
    id: str
    locale: str
    category: str | None = None
    was: str
    now: str = ""


class Header(Frozen):
    """What stands above the rows of a baseline.

    Attributes:
        run: what was asked of the run: engine, fingerprint, slices with digests, packages.
        reason: why it was accepted, in the words of who did.
        replaces: None for the first.
        lost: what this acceptance gave up.
    """

    schema_: Annotated[int, Field(alias="schema")] = SCHEMA
    run: Manifest
    reason: Annotated[str, Field(min_length=1)]
    accepted: str
    replaces: Replaced | None = None
    lost: tuple[GivenUp, ...] = ()


@dataclass(frozen=True)
class Baseline:
    """A baseline on disk. The header is read at once, the rows each time they are asked for."""

    path: Path
    header: Header
    _above: int

    @cached_property
    def digest(self) -> str:
        """Of the whole file."""
        return hashlib.blake2b(self.path.read_bytes(), digest_size=16).hexdigest()

    def side(self) -> Side:
        """As one side of a comparison."""
        return Side(str(self.path), self.header.run, self.rows, self._accepted)

    def rows(self) -> Iterator[Row]:
        """The rows, one at a time.

        Raises:
            UsageError: a line that is not a row, a row that stands twice, or a number of rows other than the run's.
        """
        seen: set[tuple[str, str, int]] = set()
        for number, line in self._lines():
            row = _row(line, f"{self.path}:{number}")
            if row.key in seen:
                raise UsageError(f"{row.slice}/{row.id} stands twice", MEND, f"{self.path}:{number}")
            seen.add(row.key)
            yield row
        if len(seen) != self.header.run.expected_rows:
            what = f"has {len(seen)} rows, and its run had {self.header.run.expected_rows}"
            raise UsageError(what, MEND, str(self.path))

    @property
    def _accepted(self) -> str:
        return f"accepted {self.header.accepted[:10]}: {self.header.reason}"

    def _lines(self) -> Iterator[tuple[int, str]]:
        with self.path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if number > self._above:
                    if line.strip() == "]":
                        return
                    yield number, line
        raise UsageError("ends in the middle", MEND, str(self.path))


def load_baseline(path: Path) -> Baseline:
    """The baseline of that name.

    Raises:
        UsageError: it is not there or broken, with its line.
        NotComparable: it is of another schema.
    """
    try:
        with path.open(encoding="utf-8") as lines:
            above: list[str] = []
            for line in lines:
                if line.rstrip() == ROWS:
                    return Baseline(path, _header(above, path), len(above) + 1)
                above.append(line)
    except OSError as error:
        mend = "`carerails eval accept` writes the first one"
        raise UsageError(error.strerror or "cannot be read", mend, str(path)) from None
    except UnicodeDecodeError:
        raise UsageError("is not UTF-8 text", MEND, str(path)) from None
    _loads("".join(above), path)
    raise UsageError('not a baseline: no line holds `"rows": [` alone', MEND, str(path))


def open_side(path: Path) -> Side:
    """The folder of a run, or a baseline.

    Raises:
        UsageError: neither is there.
        NotComparable: it is of another schema.
    """
    if path.is_dir():
        folder = RunFolder(path)
        return Side(str(path), folder.manifest(), folder.rows)
    return load_baseline(path).side()


def accept(run: Path, path: Path, reason: str, give_up: int = 0) -> tuple[Header, bool]:
    """Make what a run decided the new baseline; the header, and whether the file had to change.

    Args:
        give_up: how many must-escalate cases the old baseline caught and this run does not, as whoever accepts knows.

    Raises:
        UsageError: no reason, a shard, a run that is not complete, the baseline of another engine, or another number of
            cases given up.
        CarerailsError: the run has failed checks.
    """
    if not reason.strip():
        raise UsageError("no reason", "--reason says to whoever reads the baseline later why it was accepted")
    folder = RunFolder(run)
    manifest = _acceptable(folder)
    old = load_baseline(path) if path.exists() else None
    if old and old.header.run.engine.name != manifest.engine.name:
        raise UsageError(
            f"is the baseline of {old.header.run.engine.name}, not of {manifest.engine.name}",
            "name another --baseline",
            str(path),
        )
    lost = _given_up(old, folder) if old else []
    if len(lost) != give_up:
        raise UsageError(_giving_up(lost, give_up), f"mend the rails, or --give-up {len(lost)} says that you know")
    lines = [row.model_dump_json(exclude_defaults=True, exclude=LEFT_OUT) for row in folder.rows()]
    if old and _same(old, manifest, lines):
        return old.header, False
    header = Header(
        run=manifest,
        reason=reason.strip(),
        accepted=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        replaces=_replaced(old) if old else None,
        lost=tuple(lost),
    )
    _write(path, header, lines)
    return header, True


def _acceptable(folder: RunFolder) -> Manifest:
    manifest = folder.manifest()
    if manifest.shard:
        raise UsageError(f"is shard {manifest.shard}", "merge the shards with `eval merge`", str(folder.path))
    summary = folder.read_summary()
    if not summary.complete:
        raise UsageError("is not complete", "`eval run --resume` goes on with it", str(folder.path))
    if summary.failed:
        raise CarerailsError(f"{folder.path}: {summary.failed} checks failed; a baseline holds none")
    return manifest


def _given_up(old: Baseline, folder: RunFolder) -> list[GivenUp]:
    now = by_case(worst(folder.rows()))
    return [
        GivenUp(
            slice=row.slice,
            id=row.id,
            locale=row.locale,
            category=row.category,
            was=row.say(),
            now=found.say() if found else "",
        )
        for row in worst(old.rows())
        if row.holds("recall")
        for found in [now.get((row.slice, row.id))]
        if found is None or not found.holds("recall")
    ]


def _giving_up(lost: Sequence[GivenUp], said: int) -> str:
    named = "".join(
        f"\n  {case.slice}/{case.id}  {case.locale}  {case.category or '-'}  {case.was} -> {case.now or 'gone'}"
        for case in lost
    )
    return f"gives up {len(lost)} must-escalate cases that the baseline caught, and --give-up says {said}{named}\n"


def _replaced(old: Baseline) -> Replaced:
    engine = old.header.run.engine
    return Replaced(digest=old.digest, engine=engine.name, fingerprint=engine.fingerprint, accepted=old.header.accepted)


def _same(old: Baseline, manifest: Manifest, lines: Sequence[str]) -> bool:
    """Whether the baseline holds this run already, whenever it was started."""
    again = manifest.model_copy(update={"started": old.header.run.started})
    return again == old.header.run and [line.rstrip().rstrip(",") for _, line in old._lines()] == list(lines)  # pyright: ignore[reportPrivateUsage]


def _write(path: Path, header: Header, lines: Sequence[str]) -> None:
    """All or nothing: a gate that reads at the same time sees the old one or the new one."""
    above = json.dumps(header.model_dump(mode="json", by_alias=True), ensure_ascii=False, indent=1)
    text = above.removesuffix("\n}") + f",\n{ROWS}\n" + ",\n".join(lines) + "\n]\n}\n"
    new = path.with_suffix(".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        new.write_text(text, encoding="utf-8", newline="\n")
        os.replace(new, path)
    except OSError as error:
        raise UsageError(error.strerror or "cannot be written", "name another --baseline", str(path)) from None


def _header(lines: Sequence[str], path: Path) -> Header:
    found = _loads("".join(lines).rstrip().removesuffix(",") + "}", path)
    if (schema := found.get("schema")) != SCHEMA:
        raise NotComparable(f"is of schema {schema}, not {SCHEMA}", "run and accept anew", str(path))
    try:
        return Header.model_validate(found)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        line = next((n for n, text in enumerate(lines, 1) if f'"{first["loc"][-1]}"' in text), 1)
        raise UsageError(f"not a baseline: {place}: {first['msg']}", MEND, f"{path}:{line}") from None


def _loads(text: str, path: Path) -> Mapping[str, Any]:
    try:
        found: Any = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 1
        raise UsageError(_not_json(text.splitlines()[line - 1 : line]), MEND, f"{path}:{line}") from None
    if not isinstance(found, dict):
        raise UsageError("not a baseline", MEND, str(path))
    return cast("Mapping[str, Any]", found)


def _row(line: str, where: str) -> Row:
    try:
        return read_row(line.rstrip().removesuffix(","), where)
    except UsageError as error:
        what = _not_json([line]) if line.startswith(CONFLICT) else error.what
        raise UsageError(what, MEND, where) from None


CONFLICT = ("<<<<<<<", "=======", ">>>>>>>")


def _not_json(lines: Sequence[str]) -> str:
    return "a merge conflict" if any(line.startswith(CONFLICT) for line in lines) else "not JSON"
