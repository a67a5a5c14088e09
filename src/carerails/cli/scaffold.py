"""`carerails rails new` and `rails fmt`: files that are begun, and files that are laid out."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from carerails.cli.console import note
from carerails.cli.options import PASS, REGRESSION
from carerails.colang import CompileError
from carerails.contracts import Outcome
from carerails.errors import UsageError
from carerails.guards import write
from carerails.policy import Policy
from carerails.resources import data_dir, rails_files
from carerails.workbench.layout import formatted
from carerails.workbench.scaffold import red_flag


def new(name: str, severity: str, said: Mapping[str, str], rails: Path | None, cases: Path | None) -> int:
    """Write the files of a category, then the guards, and say what to do next."""
    root = rails or data_dir("rails")
    if not root.is_dir():
        raise UsageError("only a directory of .co files can take a new category", "name one with --rails", str(root))
    path = cases or Path(f"{name}.jsonl")
    beside = Path(os.path.relpath(root.resolve().parent / "config"))
    made = red_flag(name, cast("Outcome", severity), root, path, said, beside if beside.is_dir() else None)
    made.write()
    write(Policy.load(root, check=False), root / "guards.co")
    for file in made.files:
        note(f"{file}: {'changed' if file in made.changed else 'written'}")
    note(f"{root / 'guards.co'}: written; a hit of `{made.flow}` shows the template {made.template}")
    note(f"next: write its patterns; `pytest {path} --engine native --rails {root}` fails until they hit")
    return PASS


def lay_out(path: Path | None, check: bool) -> int:
    """Lay out every file; with `check`, only name those that would change.

    Raises:
        UsageError: a file that cannot be read, parsed or written.
    """
    root = path or data_dir("rails")
    if root.is_file():
        files, root = [root], root.parent
    else:
        files = list(rails_files(root)) if root.is_dir() else []
    if not files:
        raise UsageError("no Colang files", "give a .co file, or a directory of them", str(root))
    changed = [file for file in files if _changes(file, root, check)]
    told = "would change" if check else "laid out"
    note(f"{len(changed)} of {len(files)} files {told}" if changed else f"{len(files)} files are laid out already")
    return REGRESSION if check and changed else PASS


def _changes(file: Path, root: Path, check: bool) -> bool:
    try:
        text = file.read_bytes().decode("utf-8")
        new = formatted(file.relative_to(root).as_posix(), text)
        if new == text:
            return False
        if not check:
            file.write_text(new, encoding="utf-8", newline="\n")
    except CompileError as error:
        first = error.diagnostics[0] if error.diagnostics else "its layout would change what it says: please report it"
        raise UsageError(f"cannot be laid out: {first}", "`carerails rails lint` says more", str(file)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot be read or written: {type(error).__name__}", "", str(file)) from None
    note(str(file))
    return True
