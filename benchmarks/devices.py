"""How long a decision about devices takes: python -m benchmarks.devices [NODES] [DEVICES]

Pods arrive one after the other, each with a claim of its own; all nodes are asked. Times are those of the processor.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from typing import Any

from kschedlab.build import node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.scheduler import Scheduler

PODS = 40
DRIVER = "gpu.example.com"
LARGE = f'device.capacity["{DRIVER}"].memory.compareTo(quantity("40Gi")) >= 0'
SAME = [{"matchAttribute": f"{DRIVER}/numa"}]
ASKS: dict[str, dict[str, Any]] = {
    "one device": {"count": 1},
    "one with a selector": {"count": 1, "selectors": [{"cel": {"expression": LARGE}}]},
    "two of the same NUMA node": {"count": 2},
    "more of a NUMA node than there are": {"count": 5},
}


def _object(kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": "resource.k8s.io/v1", "kind": kind, "metadata": {"name": name}, "spec": spec}


def _slice(name: str, devices: int) -> dict[str, Any]:
    made = [
        {
            "name": f"gpu-{i}",
            "attributes": {"index": {"int": i}, "numa": {"int": i % 2}, "uuid": {"string": f"{name}-{i}"}},
            "capacity": {"memory": {"value": ("40Gi", "80Gi", "16Gi")[i % 3]}},
        }
        for i in range(devices)
    ]
    pool = {"name": name, "generation": 1, "resourceSliceCount": 1}
    return _object("ResourceSlice", name, {"driver": DRIVER, "nodeName": name, "pool": pool, "devices": made})


def decisions(nodes: int, devices: int, ask: dict[str, Any]) -> list[float]:
    """Milliseconds of each decision with its binding."""
    names = [f"n{i}" for i in range(nodes)]
    gpu = _object("DeviceClass", "gpu", {"selectors": [{"cel": {"expression": f'device.driver == "{DRIVER}"'}}]})
    objects = [*(node(name, cpu=64) for name in names), gpu, *(_slice(name, devices) for name in names)]
    for i in range(PODS):
        request = {"name": "r", "exactly": {"deviceClassName": "gpu", **ask}}
        constraints = SAME if ask["count"] > 1 else []
        claim = _object("ResourceClaim", f"c{i}", {"devices": {"requests": [request], "constraints": constraints}})
        claim["metadata"] |= {"namespace": "default", "uid": f"uid-c{i}"}
        objects += [claim, pod(f"p{i}", cpu=1, resourceClaims=[{"name": "gpu", "resourceClaimName": f"c{i}"}])]
    cluster = Cluster.from_dicts(objects)
    scheduler, times = Scheduler(cluster, percentage=100, rng=random.Random(0)), []
    for info in list(cluster.pending.values()):
        start = time.process_time()
        decision = scheduler.decide(info)
        scheduler.commit(decision)
        times.append((time.process_time() - start) * 1e3)
    return times


def main() -> None:
    nodes, devices = (int(each) for each in (sys.argv[1:] + ["100", "8"][len(sys.argv) - 1 :])[:2])
    print(f"| {nodes} nodes with {devices} devices each: milliseconds of a decision | median | slowest |")
    print("|---|---|---|")
    for name, ask in ASKS.items():
        times = decisions(nodes, devices, ask)
        print(f"| {name} | {statistics.median(times):.1f} | {max(times):.0f} |", flush=True)


if __name__ == "__main__":
    main()
