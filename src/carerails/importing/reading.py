"""Finds the files of a foreign project and reads each by its kind. Nothing of it is imported or run."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from carerails.errors import UsageError
from carerails.importing.actions import read_actions
from carerails.importing.colang1 import read_colang1
from carerails.importing.colang2 import read_colang2
from carerails.importing.found import Place, Project
from carerails.importing.settings import read_settings

#: Bytes of a file that is read at most, and files of a project.
MOST_BYTES = 2_000_000
MOST_FILES = 5_000
#: Folders that hold no configuration.
_OTHERS = {"__pycache__", "node_modules", "site-packages"}
_CONFIGS = {"config.yml", "config.yaml"}
_DEFINES = re.compile(r"^def(?:ine)?\s+(?:\w+\s+)?(?:user|bot|flow|subflow)\b", re.MULTILINE)


def read_project(root: Path) -> Project:
    """Everything in a directory.

    Raises:
        UsageError: it is no directory, or has neither Colang nor YAML in it.
    """
    if not root.is_dir():
        raise UsageError("no such directory", "name the directory that has config.yml and the .co files", str(root))
    project = Project()
    seen = 0
    configs: list[str] = []
    for path in _files(root):
        name = path.relative_to(root).as_posix()
        read = _READERS.get(path.suffix.lower())
        if path.name in _CONFIGS:
            configs.append(name)
        if "kb" in path.relative_to(root).parts[:-1]:
            project.leave(Place(name, 1), "a document", "the agent answers from the cards of config/kb")
        elif read:
            text = _text(path, name, project)
            if text is not None:
                seen += path.suffix.lower() != ".py"
                read(name, text, project)
    for name in configs[1:]:
        project.leave(Place(name, 1), "a second configuration", "import each project by itself: names of two may clash")
    if not seen:
        raise UsageError(
            "neither .co nor .yml files", "name the directory that has config.yml and the .co files", str(root)
        )
    return project


def _files(root: Path) -> Iterator[Path]:
    """In order of their names, without hidden folders and without following links to folders."""
    left = MOST_FILES
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(each for each in folders if not each.startswith(".") and each not in _OTHERS)
        for name in sorted(names):
            path = Path(folder, name)
            if path.is_file() and left:
                left -= 1
                yield path


def _text(path: Path, name: str, project: Project) -> str | None:
    place = Place(name, 1)
    try:
        if path.stat().st_size > MOST_BYTES:
            project.leave(place, "the file", f"is longer than {MOST_BYTES:,} bytes")
            return None
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        project.leave(place, "the file", "is not UTF-8 text")
    except OSError as error:
        project.leave(place, "the file", error.strerror or "cannot be read")
    return None


def _read_colang(name: str, text: str, project: Project) -> None:
    (read_colang1 if _DEFINES.search(text) else read_colang2)(name, text, project)


_READERS: dict[str, Callable[[str, str, Project], None]] = {
    ".co": _read_colang,
    ".yml": read_settings,
    ".yaml": read_settings,
    ".py": read_actions,
}
