"""Whether the engines decide alike, evidence included: on every case of our slices and on fuzzed turns."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from carerails.cli.console import progress
from carerails.contracts import Turn
from carerails.engine import open_engine
from carerails.evals.cases import load_slice, slice_names
from carerails.evals.fuzz import fuzz_turns


def run(turns: int) -> None:
    """Print how many turns differ; a difference is shown by its number, which the seed makes again."""
    cases = [case for name in slice_names() for case in load_slice(name).cases]
    fuzzed = list(fuzz_turns([case.text for case in cases if case.text], turns))
    for what, them in (("cases", [case.turn() for case in cases]), ("fuzzed turns", fuzzed)):
        different = asyncio.run(differing(them))
        print(f"native and nemo on {len(them)} {what}: {len(different)} differ {different[:10] or ''}")


async def differing(turns: Iterable[Turn]) -> list[int]:
    """Numbers of the turns on which the two engines differ in anything but their name, or on which one fails."""
    found: list[int] = []
    async with open_engine("native") as native, open_engine("nemo", floor=False) as nemo:
        for number, turn in enumerate(progress(turns, "comparing")):
            one = await native.check(turn)
            two = await nemo.check(turn)
            if one.failed or two.failed or one != two.model_copy(update={"engine": one.engine}):
                found.append(number)
    return found
