"""What `--semantic` stands for."""

from __future__ import annotations

from carerails.cli.console import note
from carerails.semantic import is_installed


def local(semantic: str) -> bool:
    """Whether the local judge is asked for and can be had; says so where it cannot."""
    if semantic == "local" and not is_installed():
        note("the local judge is not installed: deciding with --semantic off")
        return False
    return semantic == "local"
