"""How fast, beside the real scheduler: python -m tools.figures PROGRAM [--runs 3]

PROGRAM is the real scheduler as a benchmark (tests/oracle/build.sh, bench_1_37), called `PROGRAM -file WORKLOAD -pct
PERCENTAGE`; it prints the same JSON line as `kschedlab bench WORKLOAD --percentage PERCENTAGE`. The two run one after
the other, as often as --runs says, and each number is the median with the least and the most.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.workload import workload

ROOT = Path(__file__).resolve().parents[1]
OURS = Path(sys.executable).with_name("kschedlab")
LOOP = str(ROOT / "benchmarks" / "loop.py")
APPS = "apps"
CASES = (
    (APPS, 100, 200, 200, 100),
    (APPS, 500, 1_000, 100, 100),
    (APPS, 1_000, 2_000, 100, 100),
    ("budgets", 1_000, 4_000, 60, 0),
    ("basic", 5_000, 10_000, 500, 0),
)
"""The kind of workload, nodes, running and arriving pods, percentage of nodes (0: the default sampling)."""


def pods_per_second(command: list[str]) -> float:
    """Run a benchmark, ours or the real one, and read its line."""
    answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return float(json.loads(answer)["pods_per_second"])


def spread(values: Sequence[float], digits: int = 0) -> str:
    """The median, the least and the most."""
    middle, least, most = (f"{f(values):,.{digits}f}" for f in (statistics.median, min, max))
    return f"{middle} ({least} to {most})"


def row(real: str, runs: int, kind: str, nodes: int, running: int, arriving: int, percentage: int) -> str:
    """A workload, our decisions, our whole loop, the real scheduler, and how often our decisions go into its ones."""
    ours, loops, theirs = [], [], []
    with written(workload(kind, nodes, running, arriving)) as path:
        for _ in range(runs):
            ours.append(pods_per_second([str(OURS), "bench", path, "--percentage", str(percentage)]))
            loops.append(pods_per_second([sys.executable, LOOP, path, "--percentage", str(percentage)]))
            theirs.append(pods_per_second([real, "-file", path, "-pct", str(percentage)]))
    ratios = [mine / other for mine, other in zip(ours, theirs, strict=True)]
    name = f"{kind}: {nodes:,} / {running:,} / {arriving:,}, {'all' if percentage else 'sampled'}"
    return f"| {name} | {spread(ours)} | {spread(loops)} | {spread(theirs)} | {spread(ratios, 1)} |"


@contextmanager
def written(made: object) -> Iterator[str]:
    """The path of a file with the workload."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "workload.json")
        path.write_text(json.dumps(made))
        yield str(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("real", help="the real scheduler's benchmark program")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    print("| nodes / running / arriving, nodes looked at | pods/s | the whole loop | kube-scheduler | ratio |")
    print("|---|---|---|---|---|")
    for case in CASES:
        print(row(options.real, options.runs, *case), flush=True)


if __name__ == "__main__":
    main()
