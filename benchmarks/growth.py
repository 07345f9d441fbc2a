"""How a decision grows with nodes, pods and kinds of pods, and what they cost: python -m benchmarks.growth [FOLDER]

Prints the tables of docs/benchmarks.md with their pictures, and writes these to FOLDER (default: docs/images). Times
are those of the processor, so other programs disturb them little. All nodes are looked at.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import statistics
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.workload import workload
from kschedlab.cluster.cluster import Cluster
from kschedlab.manifests.loading import decode_objects
from kschedlab.scheduler import Scheduler
from kschedlab_lab.views.chart_lines import Lines
from kschedlab_lab.views.svg import Room

APPS, PLAIN = "hundreds of apps", "without inter-pod terms"
NODES = (1_000, 5_000, 20_000)
PODS = (2_500, 10_000, 25_000)
KINDS = (10, 100, 1_000)
MEMORY = (("300 apps", 300, 1 / 3), ("every pod has its own name", 300, 1), ("and rules of its own", 10_200, 1))
ARRIVING = 200
Result = dict[str, float]


def decoded(objects: list[Any]) -> Any:
    return decode_objects(msgspec.Raw(json.dumps(each).encode()) for each in objects)


def decisions(kind: str, nodes: int, running: int, apps: int, unique: float) -> Result:
    """Milliseconds of a decision with its binding: the median and the mean, which has the first look at the cluster."""
    made = workload(kind, nodes, running, ARRIVING, 1, apps, unique)
    cluster, queue = Cluster(decoded(made["objects"])), decoded(made["queue"]).pods
    scheduler, times = Scheduler(cluster, percentage=100, rng=random.Random(0)), []
    del made
    gc.collect()
    gc.freeze()
    for pod in queue:
        start = time.process_time()
        scheduler.commit(scheduler.decide(cluster.info(pod)))
        times.append((time.process_time() - start) * 1e3)
    return {"median": statistics.median(times), "mean": statistics.mean(times)}


def memory(kind: str, nodes: int, running: int, apps: int, unique: float) -> Result:
    """Bytes for each node, for each pod's own object, and for what the cluster keeps of the pod."""
    made = workload(kind, nodes, running, ARRIVING, 1, apps, unique)["objects"]
    decoded(made[nodes:])  # fills caches that cannot grow further, and loads the modules
    tracemalloc.start()
    cluster, empty = Cluster(decoded(made[:nodes])), _traced()
    objects = decoded(made[nodes:]).pods
    with_objects = _traced()
    cluster.add(*objects)
    del objects
    in_cluster = _traced()
    return {
        "node": empty / nodes,
        "object": (with_objects - empty) / running,
        "pod": (in_cluster - with_objects) / running,
    }


def _traced() -> int:
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


def measured(what: str, *arguments: object) -> Result:
    """The same in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.growth", "--one", what, *map(str, arguments)]
    result: Result = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return result


def table(unit: str, xs: tuple[int, ...], rows: dict[str, list[Result]]) -> None:
    print(f"\n| {unit} | {' | '.join(f'{x:,}' for x in xs)} |\n|---|{'---|' * len(xs)}")
    for name, results in rows.items():
        for key in ("median", "mean"):
            print(f"| {name}, {key} | {' | '.join(f'{each[key]:.2f}' for each in results)} |", flush=True)


def picture(path: Path, unit: str, xs: tuple[int, ...], rows: dict[str, list[Result]]) -> None:
    series = {name: [round(each["median"], 3) for each in results] for name, results in rows.items()}
    alt = f"Milliseconds of a decision by {unit}: " + "; ".join(f"{name} {values}" for name, values in series.items())
    points = {name: dict(zip(xs, values, strict=True)) for name, values in series.items()}
    lines = Lines(xs, points, (unit, "ms of a decision"), alt)
    path.write_text(str(lines(Room(640, 300))) + "\n", encoding="utf-8")
    print(f"\n![Milliseconds of a decision by {unit}](images/{path.name})")


def speeds(rows: dict[str, list[Result]]) -> None:
    """Pods per second by the number of nodes: what the means come to."""
    for name, results in rows.items():
        values = [f"{1e3 / each['mean']:,.0f}" for each in results]
        print(f"| {name}, pods/s | {' | '.join(values)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=Path(__file__).parents[1] / "docs" / "images")
    parser.add_argument("--one", nargs=6, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        what, kind, nodes, running, apps, unique = options.one
        measure = {"decisions": decisions, "memory": memory}[what]
        print(json.dumps(measure(kind, int(nodes), int(running), int(apps), float(unique))))
        return
    grown = {
        "nodes": (
            NODES,
            {
                APPS: [measured("decisions", "apps", n, 2 * n, 300, 1 / 3) for n in NODES],
                PLAIN: [measured("decisions", "basic", n, 2 * n, 300, 0) for n in NODES],
            },
        ),
        "running pods": (PODS, {APPS: [measured("decisions", "apps", 5_000, n, 300, 1 / 3) for n in PODS]}),
        "apps": (KINDS, {APPS: [measured("decisions", "apps", 5_000, 10_000, n, 1 / 3) for n in KINDS]}),
    }
    for unit, (xs, rows) in grown.items():
        table(unit, xs, rows)
        if unit == "nodes":
            speeds(rows)
        picture(options.folder / f"growth-{unit.replace(' ', '-')}.svg", unit, xs, rows)
    print("\n| bytes | a node | a pod's own object | what the cluster keeps of a pod |\n|---|---|---|---|")
    for name, apps, unique in MEMORY:
        found = measured("memory", "apps", 5_000, 10_000, apps, unique)
        print(f"| {name} | {' | '.join(f'{value:,.0f}' for value in found.values())} |", flush=True)


if __name__ == "__main__":
    main()
