"""The same samples through our runner and through harnesses that people use: wall time, memory, ratio.

Inspect AI (extra `inspect`) runs the same engine on every sample, so both decide alike. `geh` runs its `mock` adapter,
which decides nothing: what is left is the harness. It is not one of our dependencies; `make bench-harnesses` installs
it from requirements/bench.txt into an environment of its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import cycle, islice
from pathlib import Path

from carerails.evals.cases import load_slice

SAMPLES = 3000
ROUNDS = 3
SLICES = ("escalation", "scope", "over-refusal", "locale-parity")
GEH = Path(".venv-bench/bin/geh")

INSPECT = """
import json, sys
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import match
from inspect_ai.solver import solver
from carerails.contracts import Message, Turn
from carerails.engine import open_engine

rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
engine = None

@solver
def decides():
    async def solve(state, generate):
        global engine
        if engine is None:
            engine = await open_engine("native", floor=False).__aenter__()
        decision = await engine.check(Turn(messages=(Message(role="user", content=state.input_text),), locale="en"))
        state.output = ModelOutput.from_content("none", decision.decision)
        return state
    return solve

samples = [Sample(input=row["text"], target=row["expected"], id=row["id"]) for row in rows]
task = Task(dataset=MemoryDataset(samples), solver=decides(), scorer=match())
eval(task, model="mockllm/model", display="none", log_dir=sys.argv[2])
"""


def run(_: int) -> None:
    """Medians of three rounds, the harnesses in turn; every process starts from nothing."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        commands = dict(_commands(folder))
        found: dict[str, list[tuple[float, float]]] = {label: [] for label in commands}
        for number in range(ROUNDS):
            for label, command in commands.items():
                found[label].append(_timed([part.replace("ROUND", str(number)) for part in command]))
    ours = sorted(found["carerails eval run"])[ROUNDS // 2][0]
    for label, runs in found.items():
        seconds, megabytes = sorted(runs)[ROUNDS // 2]
        print(f"{label:<28} {seconds:6.2f} s  {megabytes:5.0f} MB  {seconds / ours:6.2f} x ours")
    if not GEH.exists():
        print("geh left out: `make bench-harnesses` installs it")


def _commands(folder: Path) -> list[tuple[str, list[str]]]:
    data = folder / "samples.jsonl"
    _write(data, folder / "geh.jsonl")
    ours = [sys.executable, "-m", "carerails", "eval", "run", "--data", str(data), "--out", str(folder / "ours-ROUND")]
    commands = [("carerails eval run", ours)]
    if GEH.exists():
        config = folder / "geh.yaml"
        config.write_text(json.dumps(_geh_config(folder)), encoding="utf-8")
        commands.append(("geh, adapter that is a mock", [str(GEH), "run", "--config", str(config), "--output-dir"]))
        commands[-1][1].append(str(folder / "geh-ROUND"))
    if find_spec("inspect_ai"):
        script = folder / "inspect_task.py"
        script.write_text(INSPECT, encoding="utf-8")
        commands.append(("Inspect AI", [sys.executable, str(script), str(data), str(folder / "inspect-ROUND")]))
    return commands


def _write(ours: Path, geh: Path) -> None:
    cases = [case for name in SLICES for case in load_slice(name).cases if case.text]
    with ours.open("w", encoding="utf-8") as one, geh.open("w", encoding="utf-8") as other:
        for number, case in enumerate(islice(cycle(cases), SAMPLES)):
            row = {"id": str(number), "text": case.text, "locale": case.locale, "expected": case.expected}
            one.write(json.dumps(row) + "\n")
            other.write(json.dumps({"id": row["id"], "prompt": case.text, "unsafe": case.must_escalate}) + "\n")


def _geh_config(folder: Path) -> dict[str, object]:
    data = {"name": "samples", "adapter": "local_jsonl", "path": str(folder / "geh.jsonl")}
    return {
        "version": 1,
        "run_name": "samples",
        "model": {"adapter": "mock"},
        "datasets": [data],
        "output": {"run_dir": str(folder / "geh")},
    }


def _timed(command: Sequence[str]) -> tuple[float, float]:
    """Wall seconds of a command, and the peak of its resident memory in MB, its children included."""
    code = (
        "import resource, subprocess, sys\n"
        "done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)\n"
        "sys.stderr.write(done.stderr[-2000:] if done.returncode not in (0, 1) else '')\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
        "sys.exit(0 if done.returncode in (0, 1) else 1)"
    )
    begin = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - begin
    if done.returncode:
        raise SystemExit(f"{' '.join(command[:3])} failed:\n{done.stderr}")
    return seconds, int(done.stdout) / 1024
