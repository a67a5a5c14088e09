"""What `--semantic` stands for."""

from __future__ import annotations

from carerails.cli.console import note


def judge_of(semantic: str) -> str | None:
    """The name of the judge that is asked for; None, and it says so, where it is the local one and cannot be had."""
    if semantic == "off":
        return None
    from carerails.semantic import is_installed  # which takes numpy to import

    if semantic == "local" and not is_installed():
        note("the local judge is not installed: deciding with --semantic off")
        return None
    return semantic
