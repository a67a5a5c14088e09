"""Which checks run on what: a whole directory, or one file while somebody types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from carerails.errors import UsageError
from carerails.lint import kept
from carerails.lint.finding import Finding, ordered
from carerails.lint.nemo1 import check_nemo1
from carerails.lint.nemo2 import check_nemo2
from carerails.lint.nemo_config import check_config
from carerails.lint.noting import Notes
from carerails.lint.portable import check_all, check_file
from carerails.lint.project import Project, name_of
from carerails.lint.suppress import suppressed


def every_finding(root: Path, overlay: Mapping[Path, str]) -> list[Finding]:
    """As `carerails.lint.lint`. A directory below with a `main.co` of its own is another policy, and linted too."""
    found = list(_of_project(Project.read(root, overlay)))
    for main in sorted(root.rglob("main.co")):
        if main.parent != root:
            below = main.parent.relative_to(root).as_posix()
            inside = {path: text for path, text in overlay.items() if (root / path).is_relative_to(main.parent)}
            inner = {(root / path).relative_to(main.parent): text for path, text in inside.items()}
            found += [replace(one, file=f"{below}/{one.file}") for one in _of_project(Project.read(main.parent, inner))]
    return ordered(found)


def _of_project(project: Project) -> list[Finding]:
    path = kept.path_of(project)
    known = kept.read(path) if path else None
    if known is not None:
        return known
    texts = {**project.colang, **project.yaml}
    notes = Notes(texts)
    whole = _check(project, notes)
    said = Notes(texts)
    found = [*suppressed(notes.found, said, texts, whole=whole), *said.found]
    if path:
        kept.write(path, found)
    return found


def _check(project: Project, notes: Notes) -> bool:
    """Whether every check has run."""
    whole = True
    if project.dialect == "portable":
        whole = check_all(project, notes)
    elif project.dialect == "2.x":
        check_nemo2(project, notes)
    else:
        check_nemo1(project, notes)
    check_config(project, notes)
    for name, wanted in project.ignored:
        notes.add("not-read", name, 1, 1, mend=[wanted])
    return whole


def findings_of(root: Path, file: Path, overlay: Mapping[Path, str]) -> list[Finding]:
    """As `carerails.lint.lint_file`."""
    name = name_of(root, file)
    for main in sorted(root.rglob("main.co"), reverse=True):
        if main.parent != root and (root / name).is_relative_to(main.parent):
            below = main.parent.relative_to(root).as_posix()
            inner = {
                (root / path).relative_to(main.parent): text
                for path, text in overlay.items()
                if (root / path).is_relative_to(main.parent)
            }
            inside = findings_of(main.parent, (root / name).relative_to(main.parent), inner)
            return [replace(one, file=f"{below}/{one.file}") for one in inside]
    project = Project.read(root, overlay)
    if name not in project.colang and name not in project.yaml:
        raise UsageError("no such file there", f"it is looked for in {root}", name)
    texts = {name: project.colang.get(name) or project.yaml.get(name, "")}
    notes, said = Notes(texts), Notes(texts)
    if project.dialect == "portable" and name in project.colang:
        check_file(project, name, notes)
    elif project.dialect != "portable":
        _check(project, notes)
    found = [one for one in notes.found if one.file == name]
    return ordered([*suppressed(found, said, texts, whole=False), *said.found])
