"""The linter over all rails, in a process of its own that is ended when somebody types on.

It takes seconds, and a thread could neither be stopped nor let the editor's questions pass. `python -m
carerails.lsp.behind ROOT` reads unsaved texts as one JSON object from stdin, and writes the findings as a JSON list.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from carerails.lint import Edit, Finding, Overlay

#: Seconds after which a check is given up: rails that hang the linter must not leave processes behind.
GIVE_UP_S = 120.0


class CheckFailed(Exception):
    """The linter died, or said what is no finding. Tells how, never what the rails say."""


async def check_all(root: Path, unsaved: Overlay) -> list[Finding]:
    """All findings of a directory; cancelling ends the process.

    Raises:
        CheckFailed: there is no answer.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        __name__,
        str(root),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        said, complaint = await asyncio.wait_for(
            process.communicate(json.dumps({str(name): text for name, text in unsaved.items()}).encode()),
            timeout=GIVE_UP_S,
        )
    except asyncio.TimeoutError:
        raise CheckFailed(f"no answer within {GIVE_UP_S:g} s") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        last = complaint.decode(errors="replace").strip().splitlines()[-1:]
        raise CheckFailed(f"exit code {process.returncode}: {' '.join(last)}")
    try:
        answer: Any = json.loads(said)
        if not isinstance(answer, list):
            raise TypeError
        return [_finding(row) for row in cast("list[dict[str, Any]]", answer)]
    except (ValueError, TypeError, KeyError) as error:
        raise CheckFailed(f"not a list of findings: {type(error).__name__}") from None


def _finding(row: dict[str, Any]) -> Finding:
    values: Any = row | {"fix": tuple(Edit(**edit) for edit in row["fix"])}
    return Finding(**values)


def main() -> None:
    """The process itself."""
    from carerails.errors import UsageError
    from carerails.lint import lint

    gc.disable()  # what is made stays until the end
    if hasattr(os, "nice"):
        os.nice(10)  # whoever types comes first
    unsaved: dict[str, str] = json.load(sys.stdin)
    try:
        found = lint(Path(sys.argv[1]), {Path(name): text for name, text in unsaved.items()})
    except UsageError as error:
        sys.exit(f"{error.what} ({error.mend})")
    json.dump([asdict(finding) for finding in found], sys.stdout)


if __name__ == "__main__":
    main()
