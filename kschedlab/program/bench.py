"""``kschedlab bench``: measure how fast a queue is scheduled, with the workload and result of the Go benchmark.

A workload is JSON: ``{"objects": [...], "queue": [pods]}``. The pods are prepared and queued before the clock starts.
"""

from __future__ import annotations

import argparse
import gc
import random
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from kschedlab.cluster.cluster import Cluster
from kschedlab.generations import Generation
from kschedlab.manifests.loading import ManifestError, decode_objects
from kschedlab.manifests.sources import read_one
from kschedlab.program.arriving import arriving_pods, read_fields
from kschedlab.program.options import (
    Commands,
    UsageError,
    add_output,
    add_scheduler,
    chosen_profiles,
    print_json,
    say,
    screen,
)
from kschedlab.program.progress import Progress
from kschedlab.scheduler import Scheduler

if TYPE_CHECKING:
    from rich.console import RenderableType

SHOWN = 64
"""Number of pods between two updates of the progress line."""


def add(commands: Commands) -> None:
    parser = commands.add_parser("bench", help="measure how fast the pods of a workload are scheduled")
    parser.add_argument("workload", metavar="WORKLOAD.json", help="the workload: objects and arriving pods")
    help = "percentageOfNodesToScore; 0 means adaptive (default: the configuration's value, or 0)"
    parser.add_argument("--percentage", type=_percentage, metavar="N", help=help)
    add_scheduler(parser)
    add_output(parser, "json", "text")
    parser.set_defaults(run=run)


def _percentage(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= 100):
        raise argparse.ArgumentTypeError(f'"{text}" is not a percentage from 0 to 100')
    return int(text)


def run(options: argparse.Namespace) -> int:
    profiles = chosen_profiles(options)
    generations = [profiles] if isinstance(profiles, Generation) else [*profiles.values()]
    if len(generations) > 1:
        raise UsageError(f"{options.config}: bench takes one profile, not {len(generations)}")
    with Progress(sys.stderr) as progress:
        progress.reading([options.workload])
        result = bench(options.workload, generations[0], options.percentage, progress=progress.show)
    if options.output == "json":
        print_json(result)
    else:
        screen(options).print(table(result))
    return 0


def table(result: dict[str, Any]) -> RenderableType:
    from kschedlab.program.terminal.screen import grid, text

    lines = grid("", "", numbers=[1])
    lines.show_header = False
    for key, value in result.items():
        shown = f"{value:,}" if isinstance(value, int | float) else str(value)
        lines.add_row(text(key.replace("_", " ")), text(shown, "bold"))
    return lines


class Workload(msgspec.Struct):
    objects: list[msgspec.Raw]
    queue: list[msgspec.Raw]


def load(path: str, generation: Generation) -> tuple[Cluster, list[str]]:
    """The cluster, and the keys of the arriving pods in queue order. ManifestError, UsageError."""
    content = read_one(path).encoded
    try:
        workload = read_fields(content, Workload)
        objects = decode_objects(workload.objects)
        objects.pods += arriving_pods(workload.queue, objects)
    except (ManifestError, UsageError) as error:
        raise UsageError(f"{path}: {error}") from None
    cluster = Cluster(objects, generation.api)
    if not cluster.pending:
        raise UsageError(f"{path}: no pod waits for a node: list pods in queue")
    return cluster, [info.key for info in sorted(cluster.pending.values(), key=lambda info: -info.priority)]


def bench(
    path: str, generation: Generation, percentage: int | None, *, progress: Callable[[int, int], None] | None = None
) -> dict[str, Any]:
    """Schedule the workload's queue once, one attempt per pod. Total in wall-clock seconds, latency per pod in ms.

    ``percentage``: percentageOfNodesToScore; None for the generation's own. ``progress``: called now and then with the
    number of pods done and the number of all pods.
    """
    began = time.perf_counter()
    cluster, queue = load(path, generation)
    loading = time.perf_counter() - began
    scheduler = Scheduler(cluster, generation, percentage, random.Random(0))
    gc.collect()
    gc.freeze()
    latencies, bound, errors = [], 0, []
    start = time.perf_counter()
    for done, key in enumerate(queue):
        if progress is not None and done % SHOWN == 0:
            progress(done, len(queue))
        before = time.perf_counter()
        decision = scheduler.decide(cluster.pending[key])
        scheduler.commit(decision)
        bound += decision.node is not None
        if decision.error:
            errors.append(decision.error)
        latencies.append(time.perf_counter() - before)
    elapsed = time.perf_counter() - start
    latencies.sort()
    if errors:
        say(f"{len(errors)} of {len(queue)} pods could not be decided; the first: {errors[0]}")
    return {
        "engine": f"kschedlab {generation.name}",
        "pods": len(queue),
        "bound": bound,
        "seconds": round(elapsed, 3),
        "pods_per_second": round(len(queue) / elapsed, 1),
        "p50_ms": round(latencies[len(queue) // 2] * 1e3, 3),
        "p99_ms": round(latencies[len(queue) * 99 // 100] * 1e3, 3),
        "load_seconds": round(loading, 3),
    }
