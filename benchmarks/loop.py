"""Time the whole loop on a workload of workload.py: loop.py FILE [--generation NAME] [--percentage N] [--seed N]

The nodes and running pods are there, and the scheduler's informers have synced, before the clock starts. Then all pods
of the queue are created through the API server, and the clock runs until nothing is left to do: informers, queue,
scheduling, assuming, binding, events and the log, in one process.

--real PROGRAM: then time the real scheduler too (called PROGRAM -file FILE -pct N, as tools/figures.py calls it), which
schedules and binds the same pods without an API server, informers and events. "ratio" is the loop's pods/s to its.
"""

import argparse
import gc
import json
import random
import resource
import subprocess
import time
from pathlib import Path
from typing import Any

import msgspec
import simpy

from kschedlab.generations import GENERATIONS, LATEST
from kschedlab.manifests.loading import decode_objects
from kschedlab.objects.model import Pod
from kschedlab.program.bench import Workload
from kschedlab_simulation.log import Log
from kschedlab_simulation.scheduler.kube_scheduler import KubeScheduler
from kschedlab_simulation.server.api import ApiServer

BEGIN = 1_700_000_000_000_000
HOUR = 3_600_000_000


def loop(path: Path, generation: str, percentage: int | None, seed: int) -> dict[str, Any]:
    """Schedule the workload's queue. Seconds on the wall clock; megabytes at the most."""
    workload = msgspec.json.decode(path.read_bytes(), type=Workload)
    table = GENERATIONS[generation]
    env, log = simpy.Environment(initial_time=BEGIN), Log()
    api = ApiServer(env, log, table.api)
    cluster, queue = decode_objects(workload.objects), decode_objects(workload.queue).pods
    for document in (*cluster.nodes, *cluster.pods):
        api.restore(document)
    scheduler = KubeScheduler(env, api, table, log, percentage=percentage, rng=random.Random(seed))
    scheduler.start()
    env.run(until=BEGIN + 1)
    scheduler.context.cache.cluster()
    before = len(log)
    gc.collect()
    gc.freeze()
    start = time.perf_counter()
    for pod in queue:
        api.create(pod, by="benchmark")
    while _unsettled(api, queue) and env.now < BEGIN + HOUR:
        env.run(until=env.now + 1_000_000)
    elapsed = time.perf_counter() - start
    return {
        "engine": f"kschedlab {generation}, the whole loop",
        "nodes": len(cluster.nodes),
        "pods": len(queue),
        "bound": sum(bool(_live(api, pod).spec.nodeName) for pod in queue),
        "seconds": round(elapsed, 3),
        "pods_per_second": round(len(queue) / elapsed, 1),
        "virtual_seconds": (env.now - BEGIN) // 1_000_000,
        "log_entries": len(log) - before,
        "megabytes": _megabytes(),
    }


def _megabytes() -> int:
    """The most memory that this process had. Linux's getrusage would count what its parent had when it forked."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    (peak,) = (line.split()[1] for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
    return int(peak) // 1024


def _unsettled(api: ApiServer, queue: list[Pod]) -> bool:
    """Whether some pod has neither a node nor been refused."""
    return not all(_live(api, pod).spec.nodeName or _live(api, pod).status.conditions for pod in reversed(queue))


def _live(api: ApiServer, pod: Pod) -> Pod:
    return api.get(Pod, pod.metadata.namespace, pod.metadata.name)


def real(program: str, path: Path, percentage: int | None) -> dict[str, Any]:
    """What the real scheduler's benchmark says of the workload."""
    command = [program, "-file", str(path), "-pct", str(percentage or 0)]
    answer: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return answer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--generation", choices=GENERATIONS, default=LATEST)
    parser.add_argument("--percentage", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--real", metavar="PROGRAM", help="the real scheduler's benchmark program")
    args = parser.parse_args()
    ours = loop(args.file, args.generation, args.percentage, args.seed)
    print(json.dumps(ours), flush=True)
    if args.real:
        theirs = real(args.real, args.file, args.percentage)
        ratio = ours["pods_per_second"] / theirs["pods_per_second"]
        print(json.dumps(theirs | {"ratio": round(ratio, 2)}))


if __name__ == "__main__":
    main()
