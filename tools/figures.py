"""Print the figures of docs/benchmarks.md: how large, how exact, how fast. python -m tools.figures [--real PROGRAM]

PROGRAM is the real scheduler as a benchmark, called `PROGRAM -file WORKLOAD -pct PERCENTAGE`; it prints the
same JSON line as `kschedlab bench WORKLOAD --percentage PERCENTAGE`. The two run one after the other.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.workload import KINDS, workload
from kschedlab.generations import GENERATIONS
from kschedlab.program.decide import decide_lines
from tests.conformance.compare import differences, read, themes

ROOT = Path(__file__).resolve().parents[1]
VECTORS = ROOT / "tests" / "conformance"
PROGRAM = Path(sys.executable).with_name("kschedlab")
LOOP = str(ROOT / "benchmarks" / "loop.py")
SAMPLING = {100: "all nodes", 0: "default sampling"}
"""The last of them is that of the whole loop too."""
ALIKE = [kind for kind in KINDS if kind not in ("apps", "budgets")]
"""The kinds of workloads that have only four apps."""
MANY_APPS = (
    (100, 200, 200, 300, 1 / 3, 100),
    (500, 1_000, 100, 300, 1 / 3, 100),
    (1_000, 2_000, 100, 300, 1 / 3, 100),
    (2_000, 4_000, 100, 300, 1 / 3, 100),
    (5_000, 10_000, 200, 300, 1 / 3, 100),
    (5_000, 10_000, 200, 300, 1 / 3, 0),
    (1_000, 2_000, 60, 2_060, 1, 100),
    (5_000, 10_000, 400, 10_400, 1, 100),
)
"""Nodes, running and arriving pods, apps, the share of apps whose pods carry their own names, percentage of nodes."""

FULL = (5_000, 60)
"""Nodes that are full with four pods each, and arriving pods that must evict."""


def exactness(generation: str) -> str:
    """How many scenarios were compared with the real scheduler's verdicts, and how many differ."""
    compared, different = 0, set()
    for theme in themes(VECTORS, generation):
        expected = list(map(json.loads, read(VECTORS / generation / theme)))
        actual = map(json.loads, decide_lines(read(VECTORS / "scenarios" / theme), generation=generation))
        compared += len(expected)
        different |= {difference.id for difference in differences(expected, actual)}
    return f"{generation}: {compared} scenarios compared with the real scheduler, {len(different)} differ"


def pods_per_second(command: list[str]) -> float:
    """Run a benchmark, ours or the real one, and read its line."""
    answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return float(json.loads(answer)["pods_per_second"])


def many_apps(real: str | None) -> Iterator[str]:
    """A row of a table for each size of a cluster with hundreds of apps; all nodes are looked at, unless it says."""
    yield "| nodes / running / arriving | pods/s | kube-scheduler | ratio |"
    yield "|---|---|---|---|"
    for nodes, running, arriving, apps, unique, percentage in MANY_APPS:
        made = workload("apps", nodes, running, arriving, 1, apps, unique)
        name = f"{nodes:,} / {running:,} / {arriving}"
        if unique == 1:
            name += ", every pod's rules different"
        yield _row(name if percentage else f"{name}, default sampling", *compared(made, percentage, real))
    nodes, arriving = FULL
    made = workload("budgets", nodes, 4 * nodes, arriving)
    yield _row(f"budgets: {nodes:,} / {4 * nodes:,} / {arriving}, default sampling", *compared(made, 0, real))


def speeds(real: str | None, nodes: int, running: int, arriving: int) -> Iterator[str]:
    """A row of a table for each kind of workload and each way to look at the nodes."""
    yield f"| {nodes:,} nodes, {running:,} running, {arriving:,} arriving | pods/s | kube-scheduler | ratio |"
    yield "|---|---|---|---|"
    for kind in ALIKE:
        made = workload(kind, nodes, running, arriving)
        theirs = 0.0
        for percentage, name in SAMPLING.items():
            ours, theirs = compared(made, percentage, real)
            yield _row(f"{kind}, {name}", ours, theirs)
        with written(made) as path:
            yield _row(f"{kind}, the whole loop", pods_per_second([sys.executable, LOOP, path]), theirs)


def compared(made: object, percentage: int, real: str | None) -> tuple[float, float]:
    """Our pods/s and those of the real scheduler (0 without it), one after the other on the same workload."""
    with written(made) as path:
        ours = pods_per_second([str(PROGRAM), "bench", path, "--percentage", str(percentage)])
        return ours, pods_per_second([real, "-file", path, "-pct", str(percentage)]) if real else 0.0


@contextmanager
def written(made: object) -> Iterator[str]:
    """The path of a file with the workload."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "workload.json")
        path.write_text(json.dumps(made))
        yield str(path)


def _row(name: str, ours: float, theirs: float) -> str:
    """``theirs``: 0 if there is nothing to compare with."""
    return f"| {name} | {ours:.0f} |" + (f" {theirs:.0f} | {ours / theirs:.1f} |" if theirs else "")


def size() -> str:
    """Modules and lines of the package."""
    modules = sorted((ROOT / "kschedlab").rglob("*.py"))
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in modules)
    return f"{len(modules)} modules, {lines} lines"


def main() -> None:
    """Print everything; the benchmark takes minutes at full size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--real", help="the real scheduler's benchmark program")
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--running", type=int, default=10000)
    parser.add_argument("--arriving", type=int, default=2000)
    parser.add_argument("--alike", action="store_true", help="only the last table: workloads of four apps")
    args = parser.parse_args()
    if not args.alike:
        print(size())
        for generation in GENERATIONS:
            print(exactness(generation))
        for row in many_apps(args.real):
            print(row, flush=True)
        print()
    for row in speeds(args.real, args.nodes, args.running, args.arriving):
        print(row, flush=True)


if __name__ == "__main__":
    main()
