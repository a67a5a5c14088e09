"""What is wrong with one file, quickly enough to be said while somebody types."""

from __future__ import annotations

from pathlib import Path

from carerails.lint import Finding, Overlay, lint_file
from carerails.lsp.pack import Pack


def check(pack: Pack, name: str) -> list[Finding]:
    """What is wrong with a file as it stands in the editor.

    Raises:
        UsageError: nothing can be linted there.
    """
    if name in pack.unreadable:
        return [Finding("unreadable", "error", name, 1, 1, 2, "cannot be read as UTF-8 text", "save it as UTF-8")]
    if pack.read(name) is None:
        return []
    return lint_file(pack.root, Path(name), overlay(pack))


def overlay(pack: Pack) -> Overlay:
    """What stands in for files on disk. One that is no text counts as empty, so that the others are still judged."""
    return {Path(name): text for name, text in {**dict.fromkeys(pack.unreadable, ""), **pack.open}.items()}
