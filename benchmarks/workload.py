"""Make a workload for `kschedlab bench`: workload.py KIND NODES RUNNING ARRIVING [SEED] > workload.json

basic     pods with different requests, half-empty nodes
mixed     with taints, preferred node affinity, spreading over zones, and images
affinity  every pod prefers nodes without pods of its own app
preempt   every node is full with four pods; each arriving pod must evict (RUNNING is ignored)

The same arguments give the same workload: {"objects": [nodes and running pods], "queue": [arriving pods]}.
"""

import argparse
import json
import random
import sys
from typing import Any

KINDS = ("basic", "mixed", "affinity", "preempt")
APPS = ("web", "db", "cache", "batch")
Object = dict[str, Any]


def node(rng: random.Random, kind: str, number: int) -> Object:
    name = f"n{number}"
    capacity = {"cpu": "4" if kind == "preempt" else "8", "memory": "32Gi", "pods": "110"}
    labels = {
        "kubernetes.io/hostname": name,
        "topology.kubernetes.io/zone": f"z{number % 3}",
        "topology.kubernetes.io/region": "r",
        "disk": rng.choice(["ssd", "hdd"]),
    }
    made: Object = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": {},
    }
    made["status"] = {"capacity": capacity, "allocatable": capacity}
    if kind == "mixed":
        if rng.random() < 0.2:
            effect = rng.choice(["NoSchedule", "PreferNoSchedule"])
            made["spec"]["taints"] = [{"key": "dedicated", "value": "db", "effect": effect}]
        made["status"]["images"] = [
            {"names": [f"reg.example/{app}:v1"], "sizeBytes": rng.randint(20, 900) << 20} for app in rng.sample(APPS, 2)
        ]
    return made


def pod(rng: random.Random, kind: str, number: int, runs_on: int | None = None) -> Object:
    app = rng.choice(APPS)
    requests = {"cpu": f"{rng.randint(5, 60)}0m", "memory": f"{rng.randint(32, 900)}Mi"}
    priority = 0
    if kind == "preempt":
        running = runs_on is not None
        requests = {"cpu": "1" if running else f"{rng.randint(11, 25)}00m", "memory": "500Mi"}
        priority = rng.randrange(4) if running else 100
    container = {"name": "c", "image": f"reg.example/{app}:v1", "resources": {"requests": requests}}
    spec = {"schedulerName": "default-scheduler", "priority": priority, "containers": [container]}
    spec |= wishes(rng, kind, app)
    made: Object = {"apiVersion": "v1", "kind": "Pod", "spec": spec, "status": {}}
    made["metadata"] = {
        "name": f"p{number}",
        "namespace": "default",
        "uid": f"u{number}",
        "labels": {"app": app},
        "creationTimestamp": "2024-01-01T00:00:00Z",
    }
    if runs_on is not None:
        spec["nodeName"] = f"n{runs_on}"
        made["status"] = {"phase": "Running", "startTime": start_time(number)}
    return made


def start_time(number: int) -> str:
    minutes, seconds = divmod(number, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    return f"2024-01-{1 + days % 28:02d}T{hours:02d}:{minutes:02d}:{seconds:02d}Z"


def wishes(rng: random.Random, kind: str, app: str) -> Object:
    """What the pods of this kind ask for beside resources."""
    same_app = {"matchLabels": {"app": app}}
    if kind == "affinity":
        term = {"labelSelector": same_app, "topologyKey": "kubernetes.io/hostname"}
        weighted = [{"weight": 50, "podAffinityTerm": term}]
        return {"affinity": {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": weighted}}}
    asked: Object = {}
    if kind == "mixed":
        if rng.random() < 0.5:
            asked["tolerations"] = [{"key": "dedicated", "operator": "Exists"}]
        if rng.random() < 0.5:
            ssd = {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}
            weighted = [{"weight": 10, "preference": ssd}]
            asked["affinity"] = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": weighted}}
        if rng.random() < 0.5:
            zones = {"maxSkew": 5, "topologyKey": "topology.kubernetes.io/zone", "labelSelector": same_app}
            asked["topologySpreadConstraints"] = [zones | {"whenUnsatisfiable": "ScheduleAnyway"}]
    return asked


def workload(kind: str, nodes: int, running: int, arriving: int, seed: int = 1) -> dict[str, list[Object]]:
    rng = random.Random(f"{kind}/{seed}")
    running = 4 * nodes if kind == "preempt" else running
    objects = [node(rng, kind, number) for number in range(nodes)]
    objects += [pod(rng, kind, number, runs_on=number % nodes) for number in range(running)]
    return {"objects": objects, "queue": [pod(rng, kind, running + number) for number in range(arriving)]}


def main() -> None:
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=formatter)
    parser.add_argument("kind", choices=KINDS)
    for name in ("nodes", "running", "arriving"):
        parser.add_argument(name, type=int)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    json.dump(workload(**vars(parser.parse_args())), sys.stdout)


if __name__ == "__main__":
    main()
