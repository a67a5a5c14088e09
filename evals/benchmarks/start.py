"""How long a command takes from nothing: `--help`, and one decision of each engine, against a bare interpreter."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

RUNS = 5
ROW = '{"id": 1, "text": "how do I store insulin?", "locale": "en"}\n'
COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "carerails --help": ["-m", "carerails", "--help"],
    "decide --engine native": ["-m", "carerails", "decide", "--engine", "native"],
    "decide --engine nemo": ["-m", "carerails", "decide", "--engine", "nemo"],
}


def run(_: int) -> None:
    """Median wall seconds of five runs each, in turn."""
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(RUNS):
        for name, args in COMMANDS.items():
            begin = time.perf_counter()
            subprocess.run([sys.executable, *args], input=ROW, text=True, capture_output=True, check=True)
            times[name].append(time.perf_counter() - begin)
    bare = statistics.median(times["python -c pass"])
    for name, values in times.items():
        median = statistics.median(values)
        print(f"{name:<24} {median:6.2f} s  {median / bare:6.1f} x a bare interpreter")
