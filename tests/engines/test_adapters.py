"""Adapters only translate: each is small. What it takes to run NeMo quickly is beside them, and knows nothing of us."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from carerails.engines import installed

ROOT = Path(__file__).parent.parent.parent
ADAPTERS = sorted(path.name for path in (ROOT / "adapters").iterdir() if (path / "__init__.py").is_file())


def imported(package: Path) -> set[str]:
    """The top-level names of all that a package's modules import, wherever in them."""
    names: set[str] = set()
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                assert not node.level, f"{path}: a relative import"
                names.add(str(node.module))
    return {name.partition(".")[0] for name in names}


@pytest.mark.parametrize("name", ADAPTERS)
def test_an_adapter_is_thin(name: str):
    lines = {path.name: len(path.read_text().splitlines()) for path in (ROOT / "adapters" / name).rglob("*.py")}
    assert sum(lines.values()) < 250, lines


def test_each_package_beside_the_adapters_is_one():
    engines = {point.value.partition(":")[0].partition(".")[0] for point in installed().values()}
    assert set(ADAPTERS) <= engines


def test_the_runner_of_nemo_knows_colang_and_nemo_and_no_policy():
    names = imported(ROOT / "src" / "nemo_runner")
    assert "nemoguardrails" in names
    assert not [name for name in names if name.startswith("carerails")]
