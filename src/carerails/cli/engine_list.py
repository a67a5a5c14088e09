"""`carerails engines list`, and `engines` alone: what is installed and whether it can run here."""

from __future__ import annotations

import json
import sys

from carerails.cli.options import PASS
from carerails.engines import describe, installed


def run(as_json: bool) -> int:
    """Print one line an engine, or one JSON array."""
    infos = [describe(name) for name in installed()]
    if as_json:
        json.dump([info._asdict() for info in infos], sys.stdout, ensure_ascii=False, indent=1)
        sys.stdout.write("\n")
        return PASS
    width = max((len(info.name) for info in infos), default=0)
    for info in infos:
        state = "available" if info.available else f"not available: {info.why_not}"
        sys.stdout.write(f"{info.name:<{width}}  {info.version or '-':<10}  {state}\n")
    return PASS
