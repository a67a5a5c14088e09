"""`carerails rails guards`, `learn` and `export`: what is made from the rails."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from carerails.cli.console import note
from carerails.cli.options import PASS, REGRESSION
from carerails.errors import UsageError
from carerails.resources import data_dir


def guards(path: Path | None, check: bool) -> int:
    """Write guards.co, or only say whether it is what the patterns make."""
    from carerails.guards import guarded, is_current, write
    from carerails.policy import Policy

    rails = path or data_dir("rails")
    policy, target = Policy.load(rails, check=False), rails / "guards.co"
    if not guarded(policy):
        raise UsageError(
            "`flow check turn` asks no guard", "ask `if search($guards.KEY, $text)` before rules", str(rails)
        )
    if check:
        current = target.is_file() and is_current(policy, target.read_text(encoding="utf-8"))
        note("guards.co is up to date" if current else "guards.co is out of date: run `carerails rails guards`")
        return PASS if current else REGRESSION
    note(f"{target}: {'written' if write(policy, target) else 'unchanged'}")
    return PASS


def learn(path: Path | None) -> int:
    """Fit the local judge to the examples and the cards, and keep it, so that no first turn waits for it."""
    from carerails.judges import local_judge
    from carerails.policy import Policy

    policy = Policy.load(path or data_dir("rails"))
    judge = local_judge(policy)
    asyncio.run(judge.start())
    note(f"learnt from {len(policy.examples):,} examples and the cards: {judge.fingerprint[:16]}")
    return PASS


def export(path: Path | None, target: str) -> int:
    """Write the compiled policy as JSON."""
    from carerails.policy import Policy

    text = Policy.load(path or data_dir("rails")).to_json()
    if target == "-":
        sys.stdout.write(text + "\n")
        return PASS
    try:
        Path(target).write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(error.strerror or "cannot be written", "check the path", target) from None
    return PASS
