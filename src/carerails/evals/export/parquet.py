"""Parquet: typed columns in row groups, what was asked of the run in the schema's metadata."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

from carerails.evals.export.columns import RECORD, columns
from carerails.evals.runs import RunFolder, Summary

#: Rows of a group: all that is in memory at once.
GROUP = 10_000


def write(folder: RunFolder, summary: Summary, out: Path, suffix: str) -> None:
    """Write group by group.

    Raises:
        ImportError: pyarrow is not installed.
    """
    import pyarrow
    from pyarrow import parquet

    arrow: Any = pyarrow  # it comes without types
    files: Any = parquet
    types = {
        "text": arrow.string(),
        "texts": arrow.list_(arrow.string()),
        "whole": arrow.int64(),
        "number": arrow.float64(),
        "truth": arrow.bool_(),
    }
    chosen = (*columns(folder, summary), RECORD)
    fields = [arrow.field(column.name, types[column.kind]) for column in chosen]
    schema = arrow.schema(fields, metadata={"carerails.run": summary.run.model_dump_json(by_alias=True)})
    rows = folder.rows()
    with files.ParquetWriter(out, schema, compression="zstd") as writer:
        while group := list(islice(rows, GROUP)):
            values = {column.name: [column.of(row) for row in group] for column in chosen}
            writer.write_table(arrow.table(values, schema=schema))
