"""The adapter: the configuration runs in a process that can be killed, for some block their event loop for ever."""

from __future__ import annotations

import sys
from importlib import metadata
from pathlib import Path

from carerails.errors import UsageError
from carerails.mapping import read_mapping
from carerails_process import ProcessEngine


class NemoConfigEngine(ProcessEngine):
    """`RuleEngine` on a NeMo configuration directory.

    Raises:
        UsageError: no such directory, or its `carerails.yml` cannot be read.
        importlib.metadata.PackageNotFoundError: NeMo Guardrails is not installed.
    """

    takes = "a directory"

    def __init__(self, rails: Path | None = None, directory: str = "") -> None:
        metadata.version("nemoguardrails")
        path = Path(directory)
        if not (path.is_dir() and (any(path.rglob("*.co")) or any(path.glob("config.y*ml")))):
            raise UsageError("no NeMo configuration", "name a directory with config.yml and .co files", directory)
        read_mapping(path)
        served = (sys.executable, "-m", "carerails.remote.serve", "carerails_nemo_config.rails:NemoRails", directory)
        super().__init__(rails, served, f"nemo-config:{directory}", trusted=True)
