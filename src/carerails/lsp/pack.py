"""A directory of rails as its editor sees it: the files on disk, under those that are open and not saved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from carerails.colang import Diagnostic, Example, Flow, Report, Source, parse, parse_examples
from carerails.colang.parser import MAIN
from carerails.colang.rules import categories, kebab, rules_of
from carerails.lsp.symbols import Kind, Mark, marks_of_examples, marks_of_flows
from carerails.lsp.text import Lines
from carerails.policy import EXAMPLES
from carerails.resources import rails_files


@dataclass(frozen=True)
class Read:
    """One file, read as far as it can be.

    Attributes:
        found: what is wrong with it by itself.
    """

    name: str
    lines: Lines
    flows: tuple[Flow, ...]
    examples: tuple[Example, ...]
    found: tuple[Diagnostic, ...]

    @property
    def is_examples(self) -> bool:
        """Whether no runtime loads it."""
        return Path(self.name).parts[0] == EXAMPLES

    @cached_property
    def marks(self) -> tuple[Mark, ...]:
        """All names in it."""
        text = self.lines.text
        return marks_of_examples(text) if self.is_examples else marks_of_flows(text)

    @classmethod
    def of(cls, name: str, text: str) -> Read:
        """Parse a file."""
        report, source = Report(), Source(name, text)
        if Path(name).parts[0] == EXAMPLES:
            return cls(name, Lines(text), (), parse_examples(source, report), report.sorted())
        return cls(name, Lines(text), parse(source, report).flows, (), report.sorted())


@dataclass(frozen=True)
class Symbol:
    """Something that has a name: where it is defined and where it is named.

    Attributes:
        places: files and marks; those that define it first.
    """

    kind: Kind
    name: str
    places: tuple[tuple[str, Mark], ...]


class Pack:
    """A directory of rails.

    Args:
        root: the directory; it may be gone, or hold what cannot be read: an editor goes on.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        #: Texts of documents that are open, by name within the directory.
        self.open: dict[str, str] = {}
        self._disk: dict[str, str | None] = {}
        self._read: dict[str, Read] = {}
        self.refresh()

    @staticmethod
    def root_of(path: Path) -> Path:
        """The directory of rails that a file belongs to: the nearest above it with `main.co`."""
        for parent in path.parents:
            if (parent / "main.co").is_file():
                return parent
        return path.parent.parent if path.parent.name == EXAMPLES else path.parent

    def refresh(self) -> None:
        """Look at the disk again: files may have come, gone, or been renamed or changed by another program."""
        found: dict[str, str | None] = {}
        for path in rails_files(self.root):
            try:
                found[path.relative_to(self.root).as_posix()] = path.read_bytes().decode()
            except (OSError, UnicodeDecodeError):
                found[path.relative_to(self.root).as_posix()] = None
        self._disk = found

    @property
    def texts(self) -> Mapping[str, str]:
        """What every file says, in order of names; those that cannot be read are left out."""
        merged = {**self._disk, **self.open}
        return {name: text for name, text in sorted(merged.items()) if text is not None}

    @property
    def unreadable(self) -> tuple[str, ...]:
        """Files that are no text."""
        return tuple(name for name, text in self._disk.items() if text is None and name not in self.open)

    def read(self, name: str) -> Read | None:
        """One file; parsed anew only when its text is another."""
        text = self.open.get(name, self._disk.get(name))
        if text is None:
            return None
        known = self._read.get(name)
        if known is None or known.lines.text != text:
            known = self._read[name] = Read.of(name, text)
        return known

    def files(self) -> Iterator[Read]:
        """All files that can be read."""
        for name in self.texts:
            if read := self.read(name):
                yield read

    def flows(self) -> dict[str, Flow]:
        """By name, the first of each."""
        found: dict[str, Flow] = {}
        for read in self.files():
            for flow in read.flows:
                found.setdefault(flow.name, flow)
        return found

    def homes(self) -> Mapping[str, str]:
        """What examples may be of, and the category that it stands for."""
        return categories(rules_of((flow for flow in self.flows().values() if flow.name != MAIN), {}, Report()))

    def examples_of(self, category: str) -> Iterator[Example]:
        """Examples of a category, under whichever name they stand."""
        homes = self.homes()
        for read in self.files():
            for example in read.examples:
                if homes.get(kebab(example.category), kebab(example.category)) == category:
                    yield example

    def mark_at(self, name: str, line: int, column: int) -> Mark | None:
        """The name under a cursor."""
        read = self.read(name)
        return next((mark for mark in read.marks if mark.covers(line, column)), None) if read else None

    def symbol(self, name: str, mark: Mark) -> Symbol:
        """What a name in a file stands for, with all its places."""
        if mark.kind == "variable":
            read = self.read(name)
            own = [other for other in (read.marks if read else ()) if _same_variable(other, mark)]
            return Symbol("variable", mark.name, tuple((name, other) for other in _defined_first(own)))
        homes = self.homes()
        kind, key = self._meaning(mark, homes)
        found = [
            (read.name, other)
            for read in self.files()
            for other in read.marks
            if other.kind != "variable" and self._names(other, kind, key, homes)
        ]
        found.sort(key=lambda place: (not place[1].defines, place[0], place[1].line, place[1].start))
        return Symbol(kind, key, tuple(found))

    def _meaning(self, mark: Mark, homes: Mapping[str, str]) -> tuple[Kind, str]:
        if mark.kind != "examples":
            return mark.kind, mark.name
        return "category", homes.get(kebab(mark.name), kebab(mark.name))

    def _names(self, mark: Mark, kind: Kind, key: str, homes: Mapping[str, str]) -> bool:
        """Whether a mark names that thing. Examples are of a category, and so of each of its rules."""
        if mark.kind != "examples":
            return (mark.kind, mark.name) == (kind, key)
        category = homes.get(kebab(mark.name), kebab(mark.name))
        return category == (homes.get(kebab(key)) if kind == "flow" else key if kind == "category" else None)


def _same_variable(mark: Mark, other: Mark) -> bool:
    return (mark.kind, mark.name, mark.scope) == (other.kind, other.name, other.scope)


def _defined_first(marks: list[Mark]) -> list[Mark]:
    return sorted(marks, key=lambda mark: (not mark.defines, mark.line, mark.start))
