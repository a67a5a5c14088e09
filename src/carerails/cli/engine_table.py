"""`carerails engines table`: every engine measured alone, in one table, and why the others could not run."""

from __future__ import annotations

import json
import os
import shlex
import sys
from contextlib import ExitStack
from pathlib import Path

from carerails.cli.console import note, progress
from carerails.cli.options import ENGINE_FAILURE, PASS
from carerails.engines import installed
from carerails.errors import NotComparable, UsageError, unknown
from carerails.evals.cases import load_slice
from carerails.evals.engine_table import HEAD, SLICES, STAR, Table, label, markdown, measure_apart, rows
from carerails.evals.measuring import Measured

NATIVE = "carerails_native:NativeEngine"
#: Engines that can do without a model, and do more with one: with the stub they are measured both ways.
BOTH = ("iorails",)
NO_MODEL = {"OPENAI_API_KEY": ""}


def run(
    engines: list[str], slices: list[str], rails: Path | None, stand_in: bool, out: Path | None, as_json: bool
) -> int:
    """Measure, print, write the page; exit 4 where checks failed."""
    for name in engines:
        if name.partition(":")[0] not in installed():
            raise unknown("engine", name, installed())
    for name in slices:
        load_slice(name)  # a name that there is not, once and not for every engine
    names = engines or [spec for name in installed() for spec in _specs(name)]
    with ExitStack() as stack:
        env = _stand_in(stack) if stand_in else {}
        measured: list[Measured] = []
        left_out: dict[str, str] = {}
        asked = [(name, way) for name in names for way in ((NO_MODEL, env) if stand_in and name in BOTH else (env,))]
        for name, way in progress(asked, "engines", len(asked)):
            found = measure_apart(name, slices or list(SLICES), way, rails)
            if isinstance(found, str):
                left_out[name] = found
                note(f"{name} left out: {found}")
            else:
                measured.append(found)
    if len({one.policy for one in measured}) > 1:
        raise NotComparable(
            "the rails changed while engines were measured", "leave them alone, or name a copy: --rails"
        )
    table = Table(measured, left_out)
    if as_json:
        said = {"engines": [one.model_dump() for one in measured], "left_out": left_out, "stand_in": stand_in}
        json.dump(said, sys.stdout, ensure_ascii=False, indent=1)
        sys.stdout.write("\n")
    else:
        _show(table)
    if out:
        try:
            out.write_text(markdown(table), encoding="utf-8")
        except OSError as error:
            raise UsageError(error.strerror or "cannot be written", "choose another --out", str(out)) from None
        note(f"page: {out}")
    failed = sum(score.failed for one in measured for score in one.scores)
    if failed:
        note(f"{failed} checks failed")
    return ENGINE_FAILURE if failed else PASS


def _specs(name: str) -> list[str]:
    """What is measured of an engine where nobody says: of those that need an argument, our own examples."""
    if name == "nemo-config":
        from importlib.util import find_spec

        spec = find_spec("carerails_nemo_config")
        examples = sorted((Path(str(spec.origin)).parent / "examples").iterdir()) if spec else []
        return [f"{name}:{os.path.relpath(path)}" for path in examples if path.is_dir()]
    if name == "process":
        return [f"process:{shlex.join([os.path.relpath(sys.executable), '-m', 'carerails.remote.serve', NATIVE])}"]
    return [name]


def _stand_in(stack: ExitStack) -> dict[str, str]:
    from carerails.testing import StubLLM
    from carerails.testing.standin import stand_in

    llm = stack.enter_context(StubLLM())
    llm.script(stand_in())
    return llm.environment


def _show(table: Table) -> None:
    cells = [HEAD, *rows(table)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(HEAD))]
    for row in cells:
        sys.stdout.write("  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() + "\n")
    for name, why in table.left_out.items():
        sys.stdout.write(f"{name}  could not run: {why}\n")
    if any(label(one) != one.engine for one in table.measured):
        sys.stdout.write(f"* {STAR}\n")
