"""`carerails rails diff`: what two states of the rails decide otherwise."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from carerails.cli.console import progress
from carerails.cli.options import PASS, REGRESSION
from carerails.cli.runs import load_pieces
from carerails.contracts import LOCALES
from carerails.evals.safe import quoted, visible
from carerails.resources import data_dir
from carerails.workbench.differences import RailsDiff, compare_rails
from carerails.workbench.revisions import rails_of

#: Most flips that are shown of one rule.
SHOWN = 10


def run(before: str, after: str, engine: str, slices: list[str], data: list[Path], as_json: bool) -> int:
    """Print flips by rule; exit 1 when one is worse by its gold label."""
    here = Path(after) if Path(after).is_dir() and after else data_dir("rails")
    with rails_of(before, here) as old, rails_of(after or str(here), here) as new:
        items = [(piece.name, case) for piece in load_pieces(slices, data) for case in piece.cases]
        found = compare_rails(old, new, progress(items, "cases", len(items)), engine)
    if as_json:
        json.dump({"before": before, "after": after or str(here), **found.to_json()}, sys.stdout, ensure_ascii=False)
        sys.stdout.write("\n")
    else:
        sys.stdout.writelines(f"{line}\n" for line in _lines(found))
    return REGRESSION if found.count("worse") else PASS


def _lines(found: RailsDiff) -> Iterator[str]:
    told = f"{found.count('worse')} worse, {found.count('safer')} safer, {found.count('other')} without a label"
    yield f"{found.texts:,} texts, {len(found.flips)} decided otherwise" + (f": {told}" if found.flips else "")
    for rule, flips in found.by_rule():
        locales = ", ".join(
            f"{count} {locale}" for locale in LOCALES if (count := sum(one.locale == locale for one in flips))
        )
        yield ""
        yield f"{rule}: {locales}"
        for one in flips[:SHOWN]:
            yield f"  {one.grade}  {visible(one.slice)}::{visible(one.id)}  {one.kind}"
            yield f"         {quoted(one.text)}"
            yield f"         {one.was} -> {one.now}" + (f"  (right: {one.gold})" if one.gold else "")
        if len(flips) > SHOWN:
            yield f"  and {len(flips) - SHOWN} more"
