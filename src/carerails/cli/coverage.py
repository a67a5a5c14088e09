"""`carerails rails coverage`: what the cases exercise of the rails, on the terminal, as a page and as data."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from carerails.cli.console import note, progress
from carerails.cli.options import PASS
from carerails.cli.runs import load_pieces
from carerails.config import load_settings
from carerails.contracts import LOCALES
from carerails.errors import UsageError
from carerails.evals.edits import read_texts
from carerails.policy import Policy
from carerails.resources import data_dir
from carerails.workbench.coverage import Coverage, Life, cover
from carerails.workbench.coverage_page import page, shown

#: Files that are named on the terminal, those with most dead patterns first.
_WORST = 15


def run(rails: Path | None, slices: list[str], data: list[Path], out: Path | None, as_json: bool) -> int:
    """Print the shares; with `out`, write coverage.html, coverage.json and dead.txt there."""
    root = rails or data_dir("rails")
    if not root.is_dir():
        raise UsageError("only a directory of .co files has lines to cover", "name one with --rails", str(root))
    policy = Policy.load(root)
    cases = [case for piece in load_pieces(slices, data) for case in piece.cases]
    turns = (case.turn() for case in progress(cases, "cases", len(cases)))
    found = cover(policy, turns, load_settings())
    if out:
        _write(found, root, out)
    if as_json:
        json.dump(found.to_json(), sys.stdout, ensure_ascii=False)
        sys.stdout.write("\n")
    else:
        _show(found)
    return PASS


def _write(found: Coverage, root: Path, out: Path) -> None:
    written = {
        "coverage.html": page(found, read_texts(root)),
        "coverage.json": json.dumps(found.to_json(), ensure_ascii=False) + "\n",
        "dead.txt": "".join(_dead(found)),
    }
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name, text in written.items():
            (out / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(error.strerror or "cannot be written", "check the path", str(out)) from None
    note(f"{out}: {', '.join(written)}")


def _dead(found: Coverage) -> Iterator[str]:
    """A line for each dead pattern, under its rules: whether examples hit it, or nothing does."""
    for rule, lives in found.by_rule().items():
        if lives.total() > lives["texts"]:
            yield f"# {rule}: {lives['examples']} only by examples, {lives['nothing']} by nothing, of {lives.total()}\n"
            for arm in found.dead:
                if rule in found.owners[arm]:
                    yield f"{arm.file}:{arm.line}: {found.life(arm)}: {arm.regex}\n"


def _show(found: Coverage) -> None:
    from rich.console import Console
    from rich.table import Table

    terminal = sys.stdout.isatty()
    console = Console(file=sys.stdout, highlight=False, markup=False, width=None if terminal else 160)
    table = Table(box=None, pad_edge=False, title=f"{sum(found.texts.values()):,} texts", title_justify="left")
    for column in ("exercised", "all", *LOCALES):
        table.add_column(column, justify="left" if column == "exercised" else "right")
    for what, counts in found.rows():
        table.add_row(what, *(shown(*count) for count in counts))
    console.print(table)
    worst = sorted(found.by_file().items(), key=lambda item: item[1]["texts"] - item[1].total())[:_WORST]
    listed = Table(box=None, pad_edge=False, title="\nmost dead patterns", title_justify="left")
    for column in ("file", "matched", "only by examples", "by nothing", "of"):
        listed.add_column(column, justify="left" if column == "file" else "right")
    for file, lives in worst:
        if lives["texts"] < lives.total():
            listed.add_row(file, *(str(lives[life]) for life in get_args(Life)), str(lives.total()))
    console.print(listed)
    if idle := [slug for slug, hits in found.templates.items() if not hits]:
        console.print(f"\ntemplates that answer none of them: {', '.join(idle)}")
