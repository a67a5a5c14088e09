"""Rails that somebody edits in the page: what they say, what they would flip, and how they reach the disk.

Nothing is written before `save`, and nothing then where a file has changed since it was read.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from carerails.colang import CompileError, Diagnostic
from carerails.errors import UsageError, unknown
from carerails.evals.cases import load_slice, slice_names
from carerails.evals.diff import Flip
from carerails.evals.edits import Rails, read_texts
from carerails.evals.watching import Item, Watched
from carerails.policy import Policy
from carerails.resources import rails_files

Texts = Mapping[str, str]


class Conflict(UsageError):
    """A file changed on disk since it was read: saving would lose what somebody else wrote."""


@dataclass(frozen=True)
class File:
    """A file as it is on disk; `stamp` is a hash of its bytes."""

    name: str
    text: str
    stamp: str


@dataclass(frozen=True)
class Considered:
    """What would come of some drafts.

    Attributes:
        errors: what keeps them from compiling; the rest is empty then.
        flips: cases that would be decided otherwise than the saved rails decide them.
        rules: that they touch.
        ready: False while the cases are still being decided on the saved rails: no flip is known yet.
    """

    errors: tuple[Diagnostic, ...] = ()
    flips: tuple[Flip, ...] = ()
    rules: tuple[str, ...] = ()
    again: int = 0
    seconds: float = 0.0
    ready: bool = True


@dataclass
class _Compiled:
    """Drafts that compile; their whole policy when somebody asks for it."""

    drafts: Texts
    rails: Rails
    policy: Policy | None


def cases_of_slices() -> list[Item]:
    """The cases of our slices that are not made from others."""
    pieces = [piece for piece in map(load_slice, slice_names()) if not piece.spec.derive]
    return [(piece.name, case) for piece in pieces for case in piece.cases]


class Drafts:
    """The rails of one directory and what is being made of them. May be used from any thread.

    Args:
        items: cases that drafts are tried on; None: those of our slices.

    Raises:
        UsageError: no directory of rails.
    """

    def __init__(self, root: Path, items: Sequence[Item] | None = None) -> None:
        self.root = root
        self._items = items
        self._lock = threading.RLock()
        self._saved = read_texts(root)
        self._watched: Watched | None = None
        self._broken = ""
        self._compiled: _Compiled | None = None

    @property
    def cases(self) -> int:
        """Cases that drafts are tried on; 0 until they have been decided on the saved rails."""
        return len(self._watched) if self._watched else 0

    @property
    def broken(self) -> str:
        """What keeps the saved rails from compiling."""
        return self._broken

    def names(self) -> list[str]:
        """The files, in order."""
        return [path.relative_to(self.root).as_posix() for path in rails_files(self.root)]

    def file(self, name: str) -> File:
        """One file as it is on disk.

        Raises:
            UsageError: there is no such file, or it cannot be read.
        """
        if name not in self.names():
            raise unknown("file", name, self.names())
        try:
            body = (self.root / name).read_bytes()
            return File(name, body.decode(), _stamp(body))
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"cannot be read: {type(error).__name__}", "save it as UTF-8", name) from None

    def begin(self) -> None:
        """Decide all cases on the saved rails, which takes seconds."""
        with self._lock:
            if self._watched is None:
                try:
                    self._watched = Watched(
                        "native", self.root, cases_of_slices() if self._items is None else self._items
                    )
                    self._broken = ""
                except UsageError as error:
                    self._broken = str(error)

    def refresh(self) -> bool:
        """Whether the saved rails are others than when they were last looked at; they are taken over then."""
        with self._lock:
            texts = read_texts(self.root)
            if texts == self._saved:
                return False
            self._saved, self._compiled = texts, None
            if self._watched:
                seen = self._watched.look()
                self._broken = "\n".join(seen.errors) if seen else ""
        return True

    def consider(self, drafts: Texts) -> Considered:
        """What would come of saving these.

        Raises:
            UsageError: a draft of no file.
        """
        with self._lock:
            known = self.names()
            for name in drafts:
                if name not in known:
                    raise unknown("file", name, known)
            watched = None if self._broken else self._watched
            try:
                rails = Rails.of({**self._saved, **drafts}, watched.rails if watched else None)
                seen = watched.consider(rails) if watched else None
                policy = None if seen else Policy(rails.all)
            except CompileError as error:
                return Considered(errors=error.diagnostics)
            self._compiled = _Compiled(dict(drafts), rails, policy)
            if seen is None:
                return Considered(ready=False)
            rules = tuple(sorted(seen.edit.touched)) if seen.edit else ()
            return Considered((), seen.flips, rules, seen.again, seen.seconds)

    def drafted(self, drafts: Texts) -> Policy | None:
        """The policy of the drafts, if these were considered last and compile. Compiling all of them takes a second."""
        with self._lock:
            compiled = self._compiled
            if not drafts or not compiled or compiled.drafts != dict(drafts):
                return None
            compiled.policy = compiled.policy or Policy(compiled.rails.all)
            return compiled.policy

    def save(self, drafts: Texts, stamps: Mapping[str, str]) -> None:
        """Write drafts: all of them, or none where one cannot be.

        Args:
            stamps: of the files as they were when they were read.

        Raises:
            Conflict: a file changed on disk meanwhile.
            CompileError: they do not compile.
            UsageError: a draft of no file, or one that cannot be written.
        """
        with self._lock:
            found = {name: self.file(name) for name in drafts}
            changed = [name for name, file in found.items() if stamps.get(name) != file.stamp]
            if changed:
                raise Conflict("changed on disk since it was opened", "open it again", ", ".join(changed))
            self.refresh()
            considered = self.consider(drafts)
            if considered.errors:
                raise CompileError(considered.errors)
            for name, text in drafts.items():
                _write(self.root / name, text.replace("\n", "\r\n") if "\r\n" in found[name].text else text)


def _write(path: Path, text: str) -> None:
    """All of it or nothing; the file keeps its mode."""
    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(text.encode())
            Path(name).chmod(path.stat().st_mode & 0o777)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise UsageError(error.strerror or "cannot be written", "check its permissions", path.name) from None


def _stamp(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()
