"""Runs in the formats of others: CSV, Parquet, and logs of Inspect AI."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

from carerails.errors import UsageError
from carerails.evals.export import comma, inspect, parquet
from carerails.evals.runs import RunFolder, Summary

Format = Literal["csv", "parquet", "inspect"]
#: Of each format: what writes it, the names that its files may have, the package that it needs, and its extra.
FORMATS: Mapping[Format, tuple[Callable[[RunFolder, Summary, Path, str], None], tuple[str, ...], str, str]] = {
    "csv": (comma.write, (".csv",), "", ""),
    "parquet": (parquet.write, (".parquet",), "pyarrow", "parquet"),
    "inspect": (inspect.write, (".eval", ".json"), "inspect_ai", "inspect"),
}


def export(run: Path, to: Format, out: Path) -> int:
    """Write a run as one file, all of it or nothing; how many rows it has.

    Raises:
        UsageError: no complete run, a broken row, a name or a place that a file of that format cannot have, or a
            package that is not installed.
        NotComparable: a run of another schema.
    """
    write, suffixes, package, extra = FORMATS[to]
    if out.suffix not in suffixes:
        raise UsageError(f"not a name for {to}", f"end it in {' or '.join(suffixes)}", str(out))
    folder = RunFolder(run)
    summary = folder.read_summary()
    new = out.with_name(f".{out.name}.new")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        write(folder, summary, new, out.suffix)
        os.replace(new, out)
    except ImportError as error:
        if (error.name or "").partition(".")[0] != package:
            raise
        raise UsageError(f"{to} needs {package}, which is not installed", f"pip install 'carerails[{extra}]'") from None
    except OSError as error:
        raise UsageError(error.strerror or "cannot be written", "name another --out", str(out)) from None
    finally:
        new.unlink(missing_ok=True)
    return summary.rows
