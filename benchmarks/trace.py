"""A trace as large as Alibaba's openb, simulated and explained: python -m benchmarks.trace [NODES.csv PODS.csv]

Without the trace's own files (alibaba/clusterdata, cluster-trace-gpu-v2023), a stand-in: as many nodes and pods, drawn
from its most frequent ones. All pods wait from the start. Times are the processor's, from a program's start to its end.
"""

from __future__ import annotations

import csv
import json
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from kschedlab_experiments.arrivals.openb import NODES, PODS, openb

NODE_KINDS = (
    (549, 96_000, 393_216, 8, "G2"),
    (387, 104_000, 524_288, 2, "T4"),
    (129, 32_000, 262_144, 0, ""),
    (107, 16_000, 122_880, 2, "P100"),
    (59, 96_000, 524_288, 0, ""),
    (39, 128_000, 786_432, 8, "G3"),
    (28, 32_000, 131_072, 4, "V100M16"),
)
"""How many of the trace's nodes, with their millis of CPU, MiB of memory, GPUs and the GPUs' model."""
POD_KINDS = (
    (1_047, 3_152, 5_600, 1, 810),
    (857, 11_300, 49_152, 1, 1_000),
    (534, 11_400, 48_128, 1, 1_000),
    (470, 3_152, 5_600, 1, 1_000),
    (388, 11_908, 47_104, 1, 470),
    (364, 12_500, 57_344, 0, 0),
    (360, 8_000, 30_517, 1, 470),
    (284, 32_000, 49_152, 0, 0),
    (255, 18_708, 64_512, 1, 1_000),
    (111, 4_000, 22_888, 1, 320),
    (44, 90_000, 327_680, 8, 1_000),
)
"""How many of the trace's pods, with their millis of CPU, MiB of memory, GPUs, and thousandths of each GPU."""


def stand_in(folder: Path) -> tuple[Path, Path]:
    """The files of nodes and pods, in the trace's format."""
    rng = random.Random(0)
    nodes = rng.choices(NODE_KINDS, [kind[0] for kind in NODE_KINDS], k=1_523)
    pods = rng.choices(POD_KINDS, [kind[0] for kind in POD_KINDS], k=8_152)
    return (
        _written(folder / "nodes.csv", NODES, ((f"node-{i:04}", *kind[1:]) for i, kind in enumerate(nodes))),
        _written(folder / "pods.csv", PODS, ((f"pod-{i:04}", *kind[1:], "", i, i + 1) for i, kind in enumerate(pods))),
    )


def _written(path: Path, head: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(head)
        writer.writerows(rows)
    return path


def cost(*arguments: str) -> float:
    """The processor seconds of this command of kschedlab."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "kschedlab", *arguments], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        nodes, pods = map(Path, sys.argv[1:3]) if len(sys.argv) > 2 else stand_in(folder)
        trace = openb(nodes, pods)
        manifests = [*trace.objects, *(arrival.pod for arrival in trace.arrivals)]
        file = folder / "trace.json"
        file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": manifests}), encoding="utf-8")
        print(f"| {len(trace.objects):,} nodes, {len(trace.arrivals):,} pods | seconds of the processor |\n|---|---|")
        for command in ("simulate", "explain"):
            print(f"| `{command}` | {cost(command, str(file)):.1f} |", flush=True)


if __name__ == "__main__":
    main()
