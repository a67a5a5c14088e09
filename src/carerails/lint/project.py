"""A directory that is linted: its files as they are on disk or in an editor, and in which language they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Literal

from carerails.colang.diagnostics import Diagnostic, Report
from carerails.colang.examples import parse_examples
from carerails.colang.parser import parse
from carerails.colang.tree import Example, Flow, Source
from carerails.errors import UsageError
from carerails.policy import EXAMPLES

#: Ours, or any other configuration of NeMo Guardrails by the version of its Colang.
Dialect = Literal["portable", "2.x", "1.0"]
_VERSION = re.compile(r"^colang_version:\s*[\"']?(\d)", re.MULTILINE)
#: `.colang`, `.CO`, `.co.txt`.
_ALMOST = re.compile(r"([^.].*?)\.(?:colang|CO|Co|co\.\w+)")
_FIRST = re.compile(r"^define +(?:flow|subflow|user|bot|parallel|extension)\b", re.MULTILINE)
_CHECK = re.compile(r"^flow check turn\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Parsed:
    """One file of the subset.

    Attributes:
        quiet: nothing is wrong with it for itself, as is known from before.
        forms: `guards.form` of its flows, by name, as far as known from before.
    """

    flows: tuple[Flow, ...]
    examples: tuple[Example, ...]
    found: tuple[Diagnostic, ...]
    quiet: bool = False
    forms: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Project:
    """A directory at one moment.

    Attributes:
        colang: texts of the `.co` files, by name within the root.
        yaml: texts of the YAML files beside them that NeMo Guardrails reads as its configuration.
        dialect: what the files are written in.
    """

    root: Path
    colang: Mapping[str, str]
    yaml: Mapping[str, str]
    dialect: Dialect

    @classmethod
    def read(cls, root: Path, overlay: Mapping[Path, str]) -> Project:
        """Read it.

        Raises:
            UsageError: no directory, nothing in it, or a file that cannot be read.
        """
        if not root.is_dir():
            raise UsageError("not a directory of Colang files", "give a directory with .co files", str(root))
        instead = {name_of(root, path): text for path, text in overlay.items()}
        colang = dict(_texts(root, instead, (".co",)))
        yaml = dict(_texts(root, instead, (".yml", ".yaml")))
        if not colang and not any(_VERSION.search(text) for text in yaml.values()):
            raise UsageError("no Colang files", "give a directory with .co files", str(root))
        return cls(root, colang, yaml, _dialect(colang, yaml))

    @property
    def python(self) -> list[Path]:
        """Files that may define actions."""
        return sorted(self.root.rglob("*.py"))

    @property
    def ignored(self) -> Iterator[tuple[str, str]]:
        """Files that were to be Colang by their names, and are not read; and how each is to be called."""
        for path in sorted(self.root.rglob("*")):
            if match := _ALMOST.fullmatch(path.name):
                yield path.relative_to(self.root).as_posix(), f"{match[1]}.co"

    def parsed(self) -> Mapping[str, Parsed]:
        """Every `.co` file of the subset."""
        return {name: parsed(name, text) for name, text in self.colang.items()}


def name_of(root: Path, path: Path) -> str:
    """How a file is called within the root.

    Raises:
        UsageError: it is not in there.
    """
    try:
        return (path.relative_to(root) if path.is_absolute() else path).as_posix()
    except ValueError:
        raise UsageError("not in the directory that is linted", f"it is {root}", str(path)) from None


@lru_cache(maxsize=512)
def parsed(name: str, text: str) -> Parsed:
    """Parse a file once."""
    report = Report()
    if Path(name).parts[0] == EXAMPLES:
        examples = parse_examples(Source(name, text), report)
        return Parsed((), examples, tuple(report.found))
    flows = parse(Source(name, text), report).flows
    return Parsed(flows, (), tuple(report.found))


def _texts(root: Path, instead: Mapping[str, str], endings: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    others = {main.parent for main in root.rglob("main.co")} - {root}
    paths = (path for path in root.rglob("*") if path.suffix in endings and others.isdisjoint(path.parents))
    on_disk = {path.relative_to(root).as_posix(): path for path in paths}
    for name in sorted(on_disk.keys() | {name for name in instead if name.endswith(endings)}):
        if name in instead:
            yield name, instead[name]
            continue
        try:
            yield name, on_disk[name].read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(
                f"cannot be read: {type(error).__name__}", "save it as UTF-8", str(on_disk[name])
            ) from None


def _dialect(colang: Mapping[str, str], yaml: Mapping[str, str]) -> Dialect:
    """As the configuration says; else by what the files begin their definitions with."""
    said = next((match[1] for text in yaml.values() if (match := _VERSION.search(text))), "")
    if any(_CHECK.search(text) for text in colang.values()):
        return "portable"
    if said:
        return "2.x" if said == "2" else "1.0"
    if any(_FIRST.search(text) for text in colang.values()):
        return "1.0"
    return "1.0" if _is_config(yaml) else "portable"


def _is_config(yaml: Mapping[str, str]) -> bool:
    """Whether there is a configuration of NeMo Guardrails, whose Colang is 1.0 unless it says otherwise."""
    return any(Path(name).name in ("config.yml", "config.yaml") for name in yaml)
