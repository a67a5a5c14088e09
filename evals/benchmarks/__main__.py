"""`make bench`: start, latency of a check by engine and length, agreement of engines on fuzzed turns, and our runner
beside other harnesses.

python -m evals.benchmarks [start] [latency] [agreement] [harnesses] [screening] [--turns N]
"""

from __future__ import annotations

import argparse

from evals.benchmarks import agreement, harnesses, latency, screening, start

BENCHMARKS = {
    "start": start.run,
    "latency": latency.run,
    "agreement": agreement.run,
    "harnesses": harnesses.run,
    "screening": screening.run,
}


def main() -> None:
    """Run the benchmarks named, or all."""
    parser = argparse.ArgumentParser(prog="python -m evals.benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*BENCHMARKS, []], help="default: all")
    parser.add_argument("--turns", type=int, default=2000, help="fuzzed turns of the agreement (default 2000)")
    options = parser.parse_args()
    for name in options.names or BENCHMARKS:
        print(f"== {name}")
        BENCHMARKS[name](options.turns)


if __name__ == "__main__":
    main()
