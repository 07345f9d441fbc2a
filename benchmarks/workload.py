"""Make a workload for `kschedlab bench`: workload.py KIND NODES RUNNING ARRIVING [SEED] [--apps N] [--unique SHARE]

apps      hundreds of apps, each with rules of its own: affinity, spreading, host ports; some pods carry their own names
budgets   the same apps, with budgets, on nodes that are full with four pods: each arriving pod must evict
basic     pods with different requests, half-empty nodes
mixed     with taints, preferred node affinity, spreading over zones, and images
affinity  every pod prefers nodes without pods of its own app
preempt   every node is full with four pods; each arriving pod must evict

RUNNING is ignored where the nodes are full. With as many apps as pods, every pod has rules of its own.
The same arguments give the same workload: {"objects": [nodes and running pods], "queue": [arriving pods]}.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

KINDS = ("apps", "budgets", "basic", "mixed", "affinity", "preempt")
FULL = ("budgets", "preempt")
"""Kinds in which every node is full."""
APPS = ("web", "db", "cache", "batch")
Object = dict[str, Any]

HOST, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"


def node(rng: random.Random, kind: str, number: int) -> Object:
    name = f"n{number}"
    capacity = {"cpu": "4" if kind in FULL else "8", "memory": "32Gi", "pods": "110"}
    labels = {
        "kubernetes.io/hostname": name,
        "topology.kubernetes.io/zone": f"z{number % 3}",
        "topology.kubernetes.io/region": "r",
        "disk": rng.choice(["ssd", "hdd"]),
    }
    made: Object = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}, "spec": {}}
    made["status"] = {"capacity": capacity, "allocatable": capacity}
    if kind == "mixed":
        if rng.random() < 0.2:
            effect = rng.choice(["NoSchedule", "PreferNoSchedule"])
            made["spec"]["taints"] = [{"key": "dedicated", "value": "db", "effect": effect}]
        made["status"]["images"] = [
            {"names": [f"reg.example/{app}:v1"], "sizeBytes": rng.randint(20, 900) << 20} for app in rng.sample(APPS, 2)
        ]
    return made


def pod(rng: random.Random, kind: str, number: int, runs_on: int | None = None, app: App | None = None) -> Object:
    name, labels = f"p{number}", {"app": rng.choice(APPS)}
    if app is not None:
        labels = app.labels(name)
    requests = app.requests if app is not None else some_requests(rng)
    priority = 0
    if kind in FULL:
        running = runs_on is not None
        requests = {"cpu": "1" if running else f"{rng.randint(11, 25)}00m", "memory": "500Mi"}
        priority = rng.randrange(4) if running else 100
    container: Object = {"name": "c", "image": f"reg.example/{labels['app']}:v1"}
    container |= {"resources": {"requests": requests}}
    spec: Object = {"schedulerName": "default-scheduler", "priority": priority, "containers": [container]}
    if app is not None:
        spec |= app.wishes
        container["ports"] = app.ports
    else:
        spec |= wishes(rng, kind, labels["app"])
    made: Object = {"apiVersion": "v1", "kind": "Pod", "spec": spec, "status": {}}
    made["metadata"] = {
        "name": name,
        "namespace": "default",
        "uid": f"u{number}",
        "labels": labels,
        "creationTimestamp": "2024-01-01T00:00:00Z",
    }
    if runs_on is not None:
        spec["nodeName"] = f"n{runs_on}"
        made["status"] = {"phase": "Running", "startTime": start_time(number)}
    return made


def some_requests(rng: random.Random) -> Object:
    return {"cpu": f"{rng.randint(5, 60)}0m", "memory": f"{rng.randint(32, 900)}Mi"}


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


@dataclass(frozen=True)
class App:
    """One app. ``own_names``: its pods carry their own names as a label, as a StatefulSet's do.

    ``wishes``: fields of the spec of its pods; ``ports``, ``requests``: those of their container.
    """

    name: str
    own_names: bool
    wishes: Object
    ports: list[Object]
    requests: Object

    def labels(self, pod: str) -> dict[str, str]:
        """The labels of the pod of that name."""
        own = {"statefulset.kubernetes.io/pod-name": pod} if self.own_names else {}
        return {"app": self.name, "tier": f"tier-{len(self.ports)}", **own}

    def budget(self, allowed: int) -> Object:
        """A budget of all pods of the app."""
        spec = {"minAvailable": 1, "selector": {"matchLabels": {"app": self.name}}}
        metadata = {"name": self.name, "namespace": "default"}
        status = {"disruptionsAllowed": allowed}
        return {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": metadata,
            "spec": spec,
            "status": status,
        }


def draw_apps(rng: random.Random, number: int, unique: float) -> list[App]:
    """So many apps; this share of them labels each pod with its own name."""
    return [draw_app(rng, place, place < unique * number) for place in rng.sample(range(number), number)]


def draw_app(rng: random.Random, number: int, own_names: bool) -> App:
    name = f"app-{number}"
    same = {"labelSelector": {"matchLabels": {"app": name}}}
    affinity: Object = {"podAntiAffinity": apart(rng, same)}
    if rng.random() < 0.3:
        preferred = [{"weight": rng.randint(1, 100), "podAffinityTerm": same | {"topologyKey": ZONE}}]
        affinity["podAffinity"] = {"preferredDuringSchedulingIgnoredDuringExecution": preferred}
    if rng.random() < 0.4:
        affinity["nodeAffinity"] = on_disks(rng)
    wishes: Object = {"affinity": affinity}
    if rng.random() < 0.5:
        hard = rng.random() < 0.5
        spread = {"maxSkew": rng.randint(1, 5), "topologyKey": ZONE if hard else rng.choice([HOST, ZONE]), **same}
        wishes["topologySpreadConstraints"] = [
            spread | {"whenUnsatisfiable": "DoNotSchedule" if hard else "ScheduleAnyway"}
        ]
    port = 8000 + number % 20000
    ports = [{"containerPort": port, "hostPort": port, "protocol": "TCP"}] if rng.random() < 0.1 else []
    return App(name, own_names, wishes, ports, some_requests(rng))


def apart(rng: random.Random, same: Object) -> Object:
    """Anti-affinity of the app to itself on a host: required by some, preferred by the others."""
    term = same | {"topologyKey": HOST}
    if rng.random() < 0.2:
        return {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    return {
        "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": rng.randint(1, 100), "podAffinityTerm": term}]
    }


def on_disks(rng: random.Random) -> Object:
    """Node affinity for one kind of disk, required or preferred."""
    disk = {"matchExpressions": [{"key": "disk", "operator": "In", "values": [rng.choice(["ssd", "hdd"])]}]}
    if rng.random() < 0.5:
        return {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [disk]}}
    return {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": rng.randint(1, 100), "preference": disk}]}


def workload(
    kind: str, nodes: int, running: int, arriving: int, seed: int = 1, apps: int = 300, unique: float = 1 / 3
) -> dict[str, list[Object]]:
    rng = random.Random(f"{kind}/{seed}")
    running = 4 * nodes if kind in FULL else running
    drawn: Sequence[App | None] = draw_apps(rng, apps, unique) if kind in ("apps", "budgets") else [None]
    objects = [node(rng, kind, number) for number in range(nodes)]
    if kind == "budgets":
        objects += [app.budget(rng.randrange(3)) for app in drawn if app is not None]
    pods = [
        pod(rng, kind, number, number % nodes if number < running else None, drawn[number % len(drawn)])
        for number in range(running + arriving)
    ]
    return {"objects": objects + pods[:running], "queue": pods[running:]}


def main() -> None:
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=formatter)
    parser.add_argument("kind", choices=KINDS)
    for name in ("nodes", "running", "arriving"):
        parser.add_argument(name, type=int)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    parser.add_argument("--apps", type=int, default=300, help="number of apps (default: %(default)s)")
    parser.add_argument("--unique", type=float, default=1 / 3, help="share of apps whose pods carry their own name")
    json.dump(workload(**vars(parser.parse_args())), sys.stdout)


if __name__ == "__main__":
    main()
