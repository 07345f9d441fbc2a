"""Time the scheduling of a queue, as the Go program of the benchmark does: the same workload, the same keys.

A workload is JSON: ``{"objects": [...], "queue": [pods]}``. The pods are prepared and queued before the clock starts.
"""

from __future__ import annotations

import gc
import random
import time
from pathlib import Path
from typing import Any

import msgspec

from kschedlab.cluster.cluster import Cluster
from kschedlab.generations import Generation
from kschedlab.manifests.loading import decode_objects
from kschedlab.scheduler import Scheduler


class Workload(msgspec.Struct):
    """A cluster and the pods that arrive."""

    objects: list[msgspec.Raw]
    queue: list[msgspec.Raw]


def load(path: Path, generation: Generation) -> tuple[Cluster, list[str]]:
    """The cluster, and the keys of the arriving pods in the order in which the queue gives them."""
    workload = msgspec.json.decode(path.read_bytes(), type=Workload)
    cluster = Cluster(decode_objects(workload.objects + workload.queue), generation.api)
    arriving = [info for info in cluster.pending.values()]
    return cluster, [info.key for info in sorted(arriving, key=lambda info: -info.priority)]


def bench(path: Path, generation: Generation, percentage: int | None, seed: int = 0) -> dict[str, Any]:
    """Schedule the workload's queue once, each pod one attempt. Seconds on the wall clock, milliseconds a pod.

    ``percentage``: percentageOfNodesToScore; None for the generation's own.
    """
    began = time.perf_counter()
    cluster, queue = load(path, generation)
    loading = time.perf_counter() - began
    scheduler = Scheduler(cluster, generation, percentage, random.Random(seed))
    gc.collect()
    gc.freeze()
    latencies, bound = [], 0
    start = time.perf_counter()
    for key in queue:
        before = time.perf_counter()
        decision = scheduler.decide(cluster.pending[key])
        scheduler.commit(decision)
        bound += decision.node is not None
        latencies.append(time.perf_counter() - before)
    elapsed = time.perf_counter() - start
    latencies.sort()
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
