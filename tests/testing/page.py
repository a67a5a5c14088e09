"""The engine of docs/writing-an-engine.md, installed as its page says."""

from __future__ import annotations

import re
import sys
from pathlib import Path

PAGE = Path(__file__).parent.parent.parent / "docs" / "writing-an-engine.md"


def block(language: str, holds: str) -> str:
    """The one code block of that language with that text in it."""
    text = PAGE.read_text(encoding="utf-8")
    found = [code for code in re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL) if holds in code]
    assert len(found) == 1
    return found[0]


def install(site: Path) -> Path:
    """What pip makes of the package: the module, and metadata with its entry point."""
    toml = block("toml", "entry-points")
    name, version = (re.search(rf'^{key} = "(.*)"', toml, re.MULTILINE) for key in ("name", "version"))
    assert name
    assert version
    entry = toml.partition("entry-points.")[2].splitlines()[1].replace('"', "")
    (site / "bayes.py").write_text(block("python", "class BayesEngine"), encoding="utf-8")
    info = site / f"carerails_bayes-{version[1]}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name[1]}\nVersion: {version[1]}\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[carerails.engines]\n{entry}\n", encoding="utf-8")
    return site


def environment(site: Path, **more: str) -> dict[str, str]:
    """Variables of a shell in which the package is installed."""
    import os

    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), *sys.path]), "COLUMNS": "200"} | more
